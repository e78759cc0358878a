//! The example of the One Page Model Checker's paper (section 2): one thread prints a and b, the
//! other 1 and 2. Every execution fails, saying what was printed.
#![cfg(test)]

use std::sync::Mutex;

static PRINTED: Mutex<String> = Mutex::new(String::new());

fn print(c: char) {
    print!("{c}");
    PRINTED.lock().unwrap().push(c);
}

fn letters() {
    print('a');
    print('b');
}

fn digits() {
    print('1');
    print('2');
}

#[test]
fn two_printers() {
    let threads = [std::thread::spawn(letters), std::thread::spawn(digits)];
    for thread in threads {
        thread.join().unwrap();
    }
    panic!("{}", PRINTED.lock().unwrap());
}
