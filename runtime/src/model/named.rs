//! Named semaphores: what names mean in the execution that runs. None of them is there when it begins, and none is left when
//! it ends; what other processes would do to them is not there either.
//!
//! To open, close or unlink one is a step on the word that stands for its name, since the order of two of these decides
//! whose semaphore is created, and which one is found.

use super::atomic::{self, Effect};
use super::destroyed::{self, Class};
use super::event;
use crate::kernel::k;
use crate::sys;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::NAMED_SEMAPHORES;
use raddle_schedule::misuse::Involved;
use raddle_schedule::named::{BASE, LENGTH, MOST, semaphore, word};
use raddle_schedule::{OpKind, Order};

/// A semaphore that has, or had, a name.
pub struct Named {
    name: Vec<u8>,
    address: u64,
    /// How often it was opened and not closed.
    opens: u32,
    /// It still has its name.
    linked: bool,
}

/// Why it cannot be had.
pub enum Trouble {
    /// There is one, and a new one was wanted.
    Exists,
    /// There is none of this name.
    Missing,
    /// This count cannot be.
    Count,
    /// More than are modelled.
    Many,
}

/// Before the first execution or later: is there memory for them?
pub fn prepare() -> bool {
    let kernel = k();
    if !kernel.names_mapped {
        kernel.names_mapped = !sys::map_fixed(BASE as usize, LENGTH as usize).is_null();
    }
    kernel.names_mapped
}

/// The running thread does something to this name, of which there is one after the other: in the kernel under a lock of the
/// folder. Alone, nobody can come before it.
fn step(name: &[u8], site: u32) {
    k().setup().channel.header().outside.fetch_or(NAMED_SEMAPHORES, Ordering::Relaxed);
    if k().spawned > 1 {
        atomic::before(OpKind::AtomicRmw, word(name), 4, Order::SeqCst, site);
        atomic::done(0, Effect::Done);
    }
}

/// What it did to the semaphore is over: whoever comes to the name next comes behind that. In the same step.
fn over(name: &[u8], site: u32) {
    if k().spawned > 1 {
        let mut over = event(OpKind::AtomicRmw, word(name), site);
        over.set_access(Order::SeqCst, 4);
        k().inline(over);
    }
}

fn linked(name: &[u8]) -> Option<&'static mut Named> {
    k().named.iter_mut().find(|n| n.linked && n.name == name)
}

/// Opens the semaphore of this name: one that is there, or a new one with this count, if that is wanted; a new one `only`.
pub fn open(
    name: &[u8],
    new: Option<u32>,
    only: bool,
    is_outside: impl Fn(),
    by: Involved,
) -> Result<u64, Trouble> {
    step(name, by.site);
    if let Some(found) = linked(name) {
        if only {
            return Err(Trouble::Exists);
        }
        found.opens += 1;
        let (address, first) = (found.address, found.opens == 1);
        if first {
            // It was closed by all who had opened it, and keeps its count.
            let count = k().objects.get(address).count;
            appear(name, address, count, by);
        }
        return Ok(address);
    }
    is_outside();
    let count = new.ok_or(Trouble::Missing)?;
    if count > i32::MAX as u32 {
        return Err(Trouble::Count);
    }
    let word = word(name);
    let is_free = |n: &usize| k().named.iter().all(|named| named.address != semaphore(word, *n));
    // Names that share a place are not told apart by its word.
    let is_shared = k().named.iter().any(|n| self::word(&n.name) == word && n.name != name);
    let number = (0..MOST).find(is_free).filter(|_| !is_shared).ok_or(Trouble::Many)?;
    let address = semaphore(word, number);
    appear(name, address, count, by);
    k().named.push(Named { name: name.to_vec(), address, opens: 1, linked: true });
    Ok(address)
}

fn appear(name: &[u8], address: u64, count: u32, by: Involved) {
    destroyed::initialise(Class::Semaphore, address, by);
    over(name, by.site);
    let object = k().objects.get(address);
    object.known = true;
    object.count = count;
}

/// Closes the semaphore at this address, once; `false` if none is open there. Behind the last close it must not be used.
pub fn close(address: u64, by: Involved) -> bool {
    let Some(name) = k().named.iter().find(|n| n.address == address).map(|n| n.name.clone()) else {
        return false;
    };
    step(&name, by.site);
    let Some(at) = k().named.iter().position(|n| n.address == address && n.opens > 0) else { return false };
    let named = &mut k().named[at];
    named.opens -= 1;
    let (last, linked) = (named.opens == 0, named.linked);
    if last {
        destroyed::destroy(Class::Semaphore, address, by);
        over(&name, by.site);
    }
    if last && !linked {
        k().named.remove(at);
    }
    true
}

/// Takes its name from the semaphore; `false` if there is none of this name.
pub fn unlink(name: &[u8], is_outside: impl Fn(), site: u32) -> bool {
    step(name, site);
    let Some(named) = linked(name) else {
        is_outside();
        return false;
    };
    named.linked = false;
    k().named.retain(|n| n.linked || n.opens > 0);
    true
}
