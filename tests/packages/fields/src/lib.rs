//! Fields of what guards and boxes lead to. Accesses are told of where a crate has code that could make them races.
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

struct Station {
    trains: u32,
    at: (u32, u8),
    signal: Box<Signal>,
}

struct Signal {
    green: bool,
    passed: u64,
}

impl Signal {
    fn pass(&mut self) {
        self.passed += 1; //= write, passed, Signal::pass, self
    }
}

#[test]
fn through_guards() {
    let signal = Box::new(Signal { green: false, passed: 0 });
    let station = Arc::new(Mutex::new(Station { trains: 0, at: (0, 0), signal }));
    let times = Arc::new(RwLock::new((7u32, 8u64)));
    let (other, late) = (station.clone(), times.clone());
    let driver = thread::spawn(move || {
        let mut guard = other.lock().unwrap();
        guard.trains += 1; //= write, guard.trains, through_guards::{closure}, guard
        guard.at.1 = 2; //= write, guard.at.1, through_guards::{closure}, guard
        guard.signal.green = true; //= write, guard.signal.green, through_guards::{closure}, guard
        guard.signal.pass();
        drop(guard);
        let mut late = late.write().unwrap();
        late.0 += 5; //= write, late.0, through_guards::{closure}, late
    });
    driver.join().unwrap();
    let trains = station.lock().unwrap().trains; //= read, guard.trains, through_guards, station
    let guard = station.lock().unwrap();
    let platform = guard.at.1; //= read, guard.at.1, through_guards, guard
    let is_green = guard.signal.green; //= read, guard.signal.green, through_guards, guard
    let time = times.read().unwrap().0; //= read, late.0, through_guards, times
    let trains = unsafe { std::ptr::read(&trains) };
    assert_eq!((trains, platform, is_green, time), (2, 2, true, 12));
}
