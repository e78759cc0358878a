//! Functions in which a test fails.

mod gate;

#[cfg(test)]
mod tests {
    use super::gate::Gate;
    use std::sync::{Arc, Mutex};
    use std::thread;

    fn sum(of: &Mutex<Vec<i32>>) -> i32 {
        of.lock().unwrap().iter().sum()
    }

    #[test]
    fn waits_in_a_method() {
        let gate = Arc::new(Gate::default());
        let other = Arc::clone(&gate);
        let waiter = thread::spawn(move || other.pass());
        gate.open();
        waiter.join().unwrap();
    }

    #[test]
    fn asserts_in_the_test() {
        let all = Arc::new(Mutex::new(vec![1, -1]));
        let other = Arc::clone(&all);
        let adder = thread::spawn(move || other.lock().unwrap().push(1));
        let found = sum(&all);
        assert_eq!(found, 0, "judges"); // judges
        adder.join().unwrap();
    }
}
