//! What is generic in std's own locks is compiled in here and has hooks, but that they are taken is seen nowhere.

use std::io::{self, BufRead, BufWriter, LineWriter, Write};
use std::thread;

fn in_two(f: fn()) {
    let other = thread::spawn(f);
    f();
    other.join().unwrap();
}

#[test]
fn output_is_locked() {
    in_two(|| {
        writeln!(io::stdout().lock(), "one line").unwrap();
        let mut held = io::stdout().lock();
        held.write_all(b"the beginning ").unwrap();
        (&mut held as &mut dyn Write).write_all(b"and the end\n").unwrap();
        println!("under the same lock");
        drop(held);
        let mut buffered = BufWriter::new(io::stdout().lock());
        (0..3).for_each(|i| writeln!(buffered, "line {i}").unwrap());
        drop(buffered);
        writeln!(LineWriter::new(io::stdout().lock()), "by lines").unwrap();
        io::copy(&mut &b"copied\n"[..], &mut io::stdout().lock()).unwrap();
        io::stdout().lock().flush().unwrap();
    });
}

#[test]
fn errors_are_locked() {
    fn say<T: std::fmt::Display>(what: T) {
        eprintln!("{what}");
    }
    in_two(|| {
        writeln!(io::stderr().lock(), "one line").unwrap();
        let mut held = io::stderr().lock();
        held.write_all(b"the beginning ").unwrap();
        writeln!(held, "and the end").unwrap();
        say(3);
    });
}

#[test]
fn input_is_locked() {
    in_two(|| {
        assert_eq!(io::stdin().lock().read_line(&mut String::new()).unwrap(), 0);
        assert_eq!(io::stdin().lock().lines().count(), 0);
    });
}

/// What the program does beside is in no order by that.
#[test]
fn output_orders_nothing_else() {
    static mut LINES: u32 = 0;
    in_two(|| {
        unsafe { LINES += 1 };
        writeln!(io::stdout().lock(), "a line").unwrap();
    });
}
