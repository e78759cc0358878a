//! A bank whose accounts have a lock each.
//!
//! [`Bank::transfer`] is the mistake: between the two accounts it holds no lock, and an audit at
//! that moment misses the money. [`Bank::transfer_locked`] holds both locks, taken in the order of
//! the accounts so that two transfers cannot wait for each other.

use std::sync::{Mutex, MutexGuard};

/// Accounts, by number.
pub struct Bank {
    accounts: Vec<Mutex<u32>>,
}

/// There is not enough money in the account.
#[derive(Debug, PartialEq, Eq)]
pub struct Insufficient;

impl Bank {
    /// A bank with these balances.
    pub fn new(balances: &[u32]) -> Bank {
        Bank { accounts: balances.iter().map(|balance| Mutex::new(*balance)).collect() }
    }

    /// What is in an account.
    pub fn balance(&self, account: usize) -> u32 {
        *self.lock(account)
    }

    /// Moves money; wrong when somebody looks at both accounts meanwhile.
    pub fn transfer(&self, from: usize, to: usize, amount: u32) -> Result<(), Insufficient> {
        withdraw(&mut self.lock(from), amount)?;
        *self.lock(to) += amount;
        Ok(())
    }

    /// Moves money, with both accounts locked.
    pub fn transfer_locked(&self, from: usize, to: usize, amount: u32) -> Result<(), Insufficient> {
        let first = self.lock(from.min(to));
        let second = self.lock(from.max(to));
        let (mut source, mut target) = if from < to { (first, second) } else { (second, first) };
        withdraw(&mut source, amount)?;
        *target += amount;
        Ok(())
    }

    /// The money in all accounts, locked together.
    pub fn total(&self) -> u32 {
        let guards: Vec<_> = (0..self.accounts.len()).map(|account| self.lock(account)).collect();
        guards.iter().map(|balance| **balance).sum()
    }

    fn lock(&self, account: usize) -> MutexGuard<'_, u32> {
        self.accounts[account].lock().expect("no thread panics while it holds an account")
    }
}

fn withdraw(balance: &mut u32, amount: u32) -> Result<(), Insufficient> {
    *balance = balance.checked_sub(amount).ok_or(Insufficient)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_more_than_there_is() {
        let bank = Bank::new(&[10, 0]);
        assert_eq!(bank.transfer(0, 1, 11), Err(Insufficient));
        assert_eq!(bank.total(), 10);
    }

    #[test]
    fn transfers_add_up_in_the_end() {
        let bank = Bank::new(&[10, 10]);
        thread::scope(|s| {
            s.spawn(|| bank.transfer(0, 1, 3));
            bank.transfer(1, 0, 5).expect("there are 10");
        });
        assert_eq!((bank.balance(0), bank.balance(1)), (12, 8));
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn an_account_that_does_not_exist() {
        Bank::new(&[1]).balance(1);
    }
}
