//! Misuse: what a thread did that languages and POSIX leave undefined (a use after free, a mutex given
//! back by who does not hold it). Only the runtime sees it; it ends the execution there, and says here what
//! it knows: addresses and numbers, which others give names.

use crate::op::OpKind;
use alloc::vec::Vec;

/// What was done. The numbers are part of the channel's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum What {
    /// An access to a block that was given back, or an operation on an object in it.
    UseAfterFree = 1,
    /// A block was given back that had been given back.
    DoubleFree = 2,
    /// Something was given back that malloc did not give.
    InvalidFree = 3,
    /// A block was given back in which threads wait.
    FreeInUse = 4,
    /// A mutex was given back that the thread does not hold.
    Unlock = 5,
    /// A wait for a notify without holding the mutex.
    Wait = 6,
    /// Something was destroyed that is held or waited for.
    DestroyInUse = 7,
    /// An operation on what was destroyed.
    UseOfDestroyed = 8,
    /// A thread is joined that was joined, is being joined, or is detached; or what is no thread.
    Join = 9,
    /// A thread is detached that was detached or joined.
    Detach = 10,
    /// Something was initialised that is held or waited for.
    InitInUse = 11,
    /// A read-write lock was given back of which the thread has nothing.
    RwUnlock = 12,
    /// A block was given back by another family of functions than gave it ([`Misuse::families`]).
    MismatchedFree = 13,
    /// Something on the stack of a function that has returned was used.
    UseAfterReturn = 14,
    /// Something on the stack of a thread that has ended was used.
    UseAfterThreadEnd = 15,
    /// An operation on an object that nobody has initialised.
    Uninitialised = 16,
}

/// The functions that go together: what one of them gives, only its own give back. The numbers are part of the
/// channel's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Family {
    /// `malloc` and its like, and `free`.
    #[default]
    Malloc = 0,
    /// `new` and `delete`.
    New = 1,
    /// `new[]` and `delete[]`.
    NewArray = 2,
}

impl Family {
    /// From its number.
    pub fn from_u8(n: u8) -> Self {
        match n {
            1 => Family::New,
            2 => Family::NewArray,
            _ => Family::Malloc,
        }
    }

    /// What allocates.
    pub fn gives(self) -> &'static str {
        match self {
            Family::Malloc => "malloc",
            Family::New => "new",
            Family::NewArray => "new[]",
        }
    }

    /// What gives back.
    pub fn takes(self) -> &'static str {
        match self {
            Family::Malloc => "free",
            Family::New => "delete",
            Family::NewArray => "delete[]",
        }
    }
}

impl What {
    /// All of them.
    pub const ALL: [What; 16] = {
        use What::*;
        [
            UseAfterFree,
            DoubleFree,
            InvalidFree,
            FreeInUse,
            Unlock,
            Wait,
            DestroyInUse,
            UseOfDestroyed,
            Join,
            Detach,
            InitInUse,
            RwUnlock,
            MismatchedFree,
            UseAfterReturn,
            UseAfterThreadEnd,
            Uninitialised,
        ]
    };

    /// From its number.
    pub fn from_u8(n: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|w| *w as u8 == n)
    }
}

/// What another thread, or this one before, has to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Part {
    /// Allocated the block.
    Allocated = 1,
    /// Gave it back.
    Freed = 2,
    /// Holds the mutex; took it there.
    Holds = 3,
    /// Waits there for the object.
    Waits = 4,
    /// Destroyed the object.
    Destroyed = 5,
    /// Joined the thread, or is about to.
    Joined = 6,
    /// Detached the thread, or made it detached.
    Detached = 7,
    /// Initialised the object.
    Initialised = 8,
    /// Returned from the function that the object was in.
    Returned = 9,
    /// Has ended.
    Ended = 10,
}

impl Part {
    const ALL: [Part; 10] = {
        use Part::*;
        [Allocated, Freed, Holds, Waits, Destroyed, Joined, Detached, Initialised, Returned, Ended]
    };

    fn from_u8(n: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|p| *p as u8 == n)
    }
}

/// Somebody who has a part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Involved {
    /// Which.
    pub part: Part,
    /// Who.
    pub thread: u8,
    /// In which function, as an index into the method table; 0 is none.
    pub method: u16,
    /// Where, as an index into the site table; 0 is unknown.
    pub site: u32,
}

/// One misuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// What was done.
    pub what: What,
    /// By which operation.
    pub kind: OpKind,
    /// Bytes of the access; 0 where it is none. Of a mismatched free, what gave the block and what takes it
    /// ([`Misuse::families`]).
    pub size: u32,
    /// To what: an address, or a thread's number.
    pub object: u64,
    /// The block that it lies in: start and bytes; zeros where it is unknown or none.
    pub block: (u64, u64),
    /// Who else has to do with it. Where blocks come from is told only with
    /// [`crate::plan::flags::DETAIL`].
    pub involved: Vec<Involved>,
}

/// Something was destroyed or initialised, or has gone with the stack that it was on ([`Involved::part`] says which), rightly as far as this execution
/// shows. It is no event: where an operation may overtake it, it is misuse in any order, which
/// happens-before tells. What a thread initialises before it has spawned any comes before everything that
/// others do, and is told with [`crate::plan::flags::DETAIL`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destroyed {
    /// Events before it.
    pub at: u32,
    /// What: the operation that stands for all on it, and its address.
    pub kind: OpKind,
    /// Bytes of what has gone with its stack, or of a static object, in which anything may lie; 0 of others.
    pub size: u32,
    /// See there.
    pub object: u64,
    /// Who, and where.
    pub by: Involved,
}

impl Destroyed {
    /// What it is when nothing orders it and a use of the object.
    pub fn misuse(&self) -> What {
        match self.by.part {
            Part::Initialised => What::InitInUse,
            Part::Returned => What::UseAfterReturn,
            Part::Ended => What::UseAfterThreadEnd,
            _ if self.is_static() => What::UseOfDestroyed,
            _ => What::DestroyInUse,
        }
    }

    /// Has it gone with the stack that it was on?
    pub fn is_of_stack(&self) -> bool {
        matches!(self.by.part, Part::Returned | Part::Ended)
    }

    /// Is it a static object whose destructor has run?
    pub fn is_static(&self) -> bool {
        self.by.part == Part::Destroyed && self.size > 0
    }

    /// Bytes of what has gone: one at least.
    pub fn bytes(&self) -> u64 {
        u64::from(self.size.max(1))
    }

    /// Has this address gone with it?
    pub fn covers(&self, address: u64) -> bool {
        (self.object..self.object + self.bytes()).contains(&address)
    }

    /// Words of each for the channel.
    pub const WORDS: usize = 3;

    /// Most bytes of one that fit in.
    const MOST: u32 = (1 << 24) - 1;

    /// As words for the channel, appended.
    pub fn encode(&self, out: &mut Vec<u64>) {
        let size = u64::from(self.size.min(Self::MOST)) << 40;
        out.extend([u64::from(self.at) | (self.kind as u64) << 32 | size, self.object, self.by.encode()]);
    }

    /// All of them, back from words; `None` when they are none.
    pub fn decode(words: &[u64]) -> Option<Vec<Destroyed>> {
        let (all, rest) = words.as_chunks::<3>();
        let one = |w: &[u64; 3]| {
            let kind = OpKind::from_u8((w[0] >> 32) as u8)?;
            let size = (w[0] >> 40) as u32;
            Some(Destroyed { at: w[0] as u32, kind, size, object: w[1], by: Involved::decode(w[2])? })
        };
        if rest.is_empty() { all.iter().map(one).collect() } else { None }
    }
}

impl Involved {
    /// As a word for the channel.
    pub(crate) fn encode(&self) -> u64 {
        let numbers = self.part as u64 | u64::from(self.thread) << 8 | u64::from(self.method) << 16;
        numbers | u64::from(self.site) << 32
    }

    /// Back from a word; `None` when it is none.
    pub(crate) fn decode(word: u64) -> Option<Involved> {
        Some(Involved {
            part: Part::from_u8(word as u8)?,
            thread: (word >> 8) as u8,
            method: (word >> 16) as u16,
            site: (word >> 32) as u32,
        })
    }
}

/// Words before those of [`Misuse::involved`].
const HEADER: usize = 4;

impl Misuse {
    /// [`Misuse::size`] of a mismatched free.
    pub fn mismatch(gave: Family, takes: Family) -> u32 {
        gave as u32 | (takes as u32) << 8
    }

    /// What gave the block of a mismatched free, and what takes it.
    pub fn families(&self) -> (Family, Family) {
        (Family::from_u8(self.size as u8), Family::from_u8((self.size >> 8) as u8))
    }

    /// As words for the channel.
    pub fn encode(&self, out: &mut Vec<u64>) {
        out.clear();
        out.push(self.what as u64 | (self.kind as u64) << 8 | u64::from(self.size) << 32);
        out.extend([self.object, self.block.0, self.block.1]);
        out.extend(self.involved.iter().map(Involved::encode));
    }

    /// Back from words; `None` when they are none.
    pub fn decode(words: &[u64]) -> Option<Misuse> {
        let (header, involved) = words.split_at_checked(HEADER)?;
        let involved = involved.iter().map(|w| Involved::decode(*w));
        Some(Misuse {
            what: What::from_u8(header[0] as u8)?,
            kind: OpKind::from_u8((header[0] >> 8) as u8)?,
            size: (header[0] >> 32) as u32,
            object: header[1],
            block: (header[2], header[3]),
            involved: involved.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_destroyed_crosses_the_channel() {
        let by = Involved { part: Part::Destroyed, thread: 5, method: 6, site: 7 };
        let all = [
            Destroyed { at: u32::MAX, kind: OpKind::Lock, size: 0, object: 0x2000_0000_0010, by },
            Destroyed { at: 3, kind: OpKind::SemWait, size: (1 << 24) - 1, object: 8, by },
        ];
        let mut words = Vec::new();
        all.iter().for_each(|d| d.encode(&mut words));
        assert_eq!(Destroyed::decode(&words), Some(all.to_vec()));
        assert_eq!(Destroyed::decode(&words[..4]), None);
    }

    #[test]
    fn misuse_crosses_the_channel() {
        let mut words = Vec::new();
        for what in What::ALL {
            for part in Part::ALL {
                let involved = Involved { part, thread: 63, method: u16::MAX, site: u32::MAX };
                let misuse = Misuse {
                    what,
                    kind: OpKind::CondEnqueue,
                    size: 16,
                    object: 0x2000_0000_0010,
                    block: (0x2000_0000_0010, 64),
                    involved: alloc::vec![involved, Involved { thread: 0, site: 7, ..involved }],
                };
                misuse.encode(&mut words);
                assert_eq!(Misuse::decode(&words), Some(misuse));
            }
        }
        assert_eq!(Misuse::decode(&words[..3]), None);
        words[0] = 0;
        assert_eq!(Misuse::decode(&words), None);
    }
}
