//! An audit while money is on its way: wrong with `transfer`, right with `transfer_locked`.

use bank::{Bank, Insufficient};
use std::sync::Arc;
use std::thread;

type Transfer = fn(&Bank, usize, usize, u32) -> Result<(), Insufficient>;

fn audit_during(transfer: Transfer) {
    let bank = Arc::new(Bank::new(&[100, 0]));
    let clerk = {
        let bank = bank.clone();
        thread::spawn(move || transfer(&bank, 0, 1, 30))
    };
    assert_eq!(bank.total(), 100, "the audit misses money");
    clerk.join().expect("the clerk does not panic").expect("there are 100");
    assert_eq!(bank.total(), 100);
}

#[test]
fn audit_sees_all_money() {
    audit_during(Bank::transfer);
}

#[test]
fn no_money_is_missing_with_both_accounts_locked() {
    audit_during(Bank::transfer_locked);
}
