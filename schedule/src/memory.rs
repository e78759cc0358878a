//! What memory held in the course of an execution that is recorded in detail: the values that
//! operations read and wrote, the types that a program of Rust tells of them, what an operation means
//! where it is only part of something larger, and the blocks of the heap. It lies beside the events,
//! which are the same with it and without.

use crate::channel::wire;
use alloc::string::String;
use alloc::vec::Vec;

/// Most bytes that are told of one object.
pub const MOST: usize = 64;
/// Where blocks of the heap begin, in every execution.
pub const HEAP: u64 = 0x2000_0000_0000;

/// The memory of one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// In the order in which it was looked at.
    pub held: Vec<Held>,
    /// Names of types by number, from 1.
    pub types: Vec<String>,
    /// What operations mean: the event, and what it is.
    pub meanings: Vec<(u32, Meaning)>,
    /// Blocks of the heap by the time they were allocated.
    pub blocks: Vec<Block>,
    /// Of an execution that a failed assertion ended: the frames of that thread, innermost first.
    pub frames: Vec<Frame>,
    /// And its stack from the innermost of these on: where it begins, and as much as is told.
    pub stack: (u64, Vec<u8>),
    /// Panics of Rust in their order, those included that nobody heard of any more.
    pub panics: Vec<Panicked>,
    /// Variables of the environment that were asked for and are not set, each once.
    pub unset: Vec<Unset>,
}

/// A variable of the environment that is not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unset {
    /// Its name.
    pub name: String,
    /// Where it was asked for: return addresses, innermost first.
    pub frames: Vec<u64>,
}

/// A panic of Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panicked {
    /// Events there were before it.
    pub event: u32,
    /// Which thread panicked.
    pub thread: u8,
    /// Where, as a site.
    pub site: u32,
    /// What it says.
    pub message: String,
}

/// What lay at an event's object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Index of the event in [`crate::Trace::events`].
    pub event: u32,
    /// When.
    pub moment: Moment,
    /// Its type: 1 + an index into [`Memory::types`]; 0 where debug information may tell.
    pub of_type: u16,
    /// Bytes from one element to the next, if it is one of many; 0 where that is not known.
    pub stride: u32,
    /// The first of its bytes, at most [`MOST`]; as many as it has if it has no more.
    pub bytes: Vec<u8>,
}

/// When memory was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Moment {
    /// Right before the operation.
    #[default]
    Before = 0,
    /// Right after it.
    After = 1,
    /// After it was repeated before the thread's next step, perhaps from elsewhere: repetitions are no
    /// events.
    Last = 2,
    /// When the execution ended: of what the thread that ended it had worked with.
    End = 3,
}

/// What an operation is, where it is only part of something larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Meaning {
    /// A read-write lock is taken for reading.
    ReadLocks = 1,
    /// A read-write lock is taken for writing.
    WriteLocks = 2,
    /// A reader gives it back.
    ReadUnlocks = 3,
    /// The writer gives it back.
    WriteUnlocks = 4,
    /// The writer becomes a reader.
    Downgrades = 5,
    /// A one-time initialisation begins.
    Runs = 6,
    /// It is done.
    Completes = 7,
    /// It was found done.
    FindsDone = 8,
    /// It panicked.
    Poisons = 9,
    /// A writer begins to wait for a read-write lock, which readers who come later can see.
    BeginsToWait = 10,
    /// It does not wait any more, since its time is over.
    StopsWaiting = 11,
    /// A read-write lock cannot be had for reading.
    CannotRead = 12,
    /// It cannot be had for writing.
    CannotWrite = 13,
    /// A lock is poisoned.
    PoisonsLock = 14,
    /// A lock is left in a panic, which changes nothing about its poison.
    KeepsPoison = 15,
    /// It is asked whether a lock is poisoned.
    AsksForPoison = 16,
    /// A lock's poison is cleared.
    ClearsPoison = 17,
    /// A reader has to wait for a read-write lock, and says so in its state.
    WaitsToRead = 18,
    /// So does a writer.
    WaitsToWrite = 19,
}

impl Meaning {
    /// From its number.
    pub fn from_u8(n: u8) -> Option<Self> {
        use Meaning::*;
        let all = [
            ReadLocks,
            WriteLocks,
            ReadUnlocks,
            WriteUnlocks,
            Downgrades,
            Runs,
            Completes,
            FindsDone,
            Poisons,
            BeginsToWait,
            StopsWaiting,
            CannotRead,
            CannotWrite,
            PoisonsLock,
            KeepsPoison,
            AsksForPoison,
            ClearsPoison,
            WaitsToRead,
            WaitsToWrite,
        ];
        all.into_iter().find(|m| *m as u8 == n)
    }

    /// Is it about a lock's poison? Then other operations on the lock are what they are, and no part of anything.
    pub fn is_of_poison(self) -> bool {
        use Meaning::*;
        matches!(self, PoisonsLock | KeepsPoison | AsksForPoison | ClearsPoison)
    }
}

/// Where a function of a thread stood, and what its debug information may speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The address that the function it called returns to.
    pub code: u64,
    /// The stack pointer there, which is where the frame of the function it called begins.
    pub stack: u64,
}

/// A block of the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// Bytes asked for.
    pub size: u64,
    /// Events there were before it was allocated.
    pub event: u32,
    /// Who allocated it: return addresses, innermost first.
    pub frames: Vec<u64>,
}

impl Held {
    /// As the payload of a [`wire::HELD`] record.
    pub fn encode(&self, out: &mut Vec<u64>) {
        wire::pack_text(self.event, &self.bytes, out);
        out.insert(0, self.moment as u64 | u64::from(self.of_type) << 8 | u64::from(self.stride) << 32);
    }

    fn decode(words: &[u64]) -> Option<Held> {
        let (first, rest) = words.split_first()?;
        let (event, bytes) = wire::unpack_text(rest)?;
        let moment = match first & 0xff {
            0 => Moment::Before,
            1 => Moment::After,
            2 => Moment::Last,
            3 => Moment::End,
            _ => return None,
        };
        let (of_type, stride) = ((first >> 8) as u16, (first >> 32) as u32);
        Some(Held { event, moment, of_type, stride, bytes: bytes.to_vec() })
    }
}

impl Frame {
    /// As the payload of a [`wire::FRAME`] record.
    pub fn encode(&self) -> [u64; 2] {
        [self.code, self.stack]
    }

    fn decode(words: &[u64]) -> Option<Frame> {
        let [code, stack] = *<&[u64; 2]>::try_from(words).ok()?;
        Some(Frame { code, stack })
    }
}

impl Panicked {
    /// As the payload of a [`wire::PANICKED`] record.
    pub fn encode(&self, out: &mut Vec<u64>) {
        wire::pack_text(self.event, self.message.as_bytes(), out);
        out.insert(0, u64::from(self.thread) | u64::from(self.site) << 32);
    }

    fn decode(words: &[u64]) -> Option<Panicked> {
        let (first, rest) = words.split_first()?;
        let (event, message) = wire::unpack_text(rest)?;
        let (thread, site) = (*first as u8, (first >> 32) as u32);
        Some(Panicked { event, thread, site, message: String::from_utf8_lossy(message).into_owned() })
    }
}

impl Block {
    /// As the payload of a [`wire::BLOCK`] record.
    pub fn encode(&self, out: &mut Vec<u64>) {
        out.clear();
        out.extend([self.address, self.size, u64::from(self.event)]);
        out.extend_from_slice(&self.frames);
    }

    fn decode(words: &[u64]) -> Option<Block> {
        let (head, frames) = words.split_at_checked(3)?;
        Some(Block { address: head[0], size: head[1], event: head[2] as u32, frames: frames.to_vec() })
    }
}

impl Unset {
    /// As the payload of a [`wire::UNSET`] record.
    pub fn encode(&self, out: &mut Vec<u64>) {
        wire::pack_text(0, self.name.as_bytes(), out);
        out.splice(0..0, self.frames.iter().copied());
        out.insert(0, self.frames.len() as u64);
    }

    fn decode(words: &[u64]) -> Option<Unset> {
        let (frames, rest) = words.split_first()?;
        let (frames, rest) = rest.split_at_checked(usize::try_from(*frames).ok()?)?;
        let (_, name) = wire::unpack_text(rest)?;
        Some(Unset { name: String::from_utf8_lossy(name).into_owned(), frames: frames.to_vec() })
    }
}

impl Memory {
    /// Adds one record; `None` if it is none of these.
    pub(crate) fn receive(&mut self, kind: u32, words: &[u64]) -> Option<()> {
        match kind {
            wire::HELD => self.held.push(Held::decode(words)?),
            wire::BLOCK => self.blocks.push(Block::decode(words)?),
            wire::TYPE => {
                let (_, name) = wire::unpack_text(words)?;
                self.types.push(String::from_utf8_lossy(name).into_owned());
            }
            wire::MEANING => {
                let word = words.first()?;
                self.meanings.push((*word as u32, Meaning::from_u8((*word >> 32) as u8)?));
            }
            wire::FRAME => self.frames.push(Frame::decode(words)?),
            wire::PANICKED => self.panics.push(Panicked::decode(words)?),
            wire::UNSET => self.unset.push(Unset::decode(words)?),
            wire::STACK_BYTES => {
                let (at, rest) = words.split_first()?;
                let (_, bytes) = wire::unpack_text(rest)?;
                // Pieces follow each other.
                if self.stack.1.is_empty() {
                    self.stack.0 = *at;
                }
                if self.stack.0 + self.stack.1.len() as u64 != *at {
                    return None;
                }
                self.stack.1.extend_from_slice(bytes);
            }
            _ => return None,
        }
        Some(())
    }

    /// The name of a type by its number.
    pub fn type_name(&self, number: u16) -> Option<&str> {
        self.types.get(usize::from(number).checked_sub(1)?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;

    #[test]
    fn it_survives_the_wire() {
        let held = Held {
            event: 7,
            moment: Moment::Last,
            of_type: 1,
            stride: 24,
            bytes: alloc::vec![1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        let block = Block { address: 0x1000, size: 48, event: 3, frames: alloc::vec![5, 6] };
        let mut trace = Trace::default();
        let mut words = Vec::new();
        held.encode(&mut words);
        assert_eq!(wire::receive(&mut trace, wire::HELD, &words), Ok(false));
        block.encode(&mut words);
        assert_eq!(wire::receive(&mut trace, wire::BLOCK, &words), Ok(false));
        wire::pack_text(1, b"i64", &mut words);
        assert_eq!(wire::receive(&mut trace, wire::TYPE, &words), Ok(false));
        let meaning = [9 | (Meaning::Poisons as u64) << 32];
        assert_eq!(wire::receive(&mut trace, wire::MEANING, &meaning), Ok(false));
        let frame = Frame { code: 7, stack: 8 };
        assert_eq!(wire::receive(&mut trace, wire::FRAME, &frame.encode()), Ok(false));
        let panicked = Panicked { event: 4, thread: 3, site: 17, message: "sold out".into() };
        panicked.encode(&mut words);
        assert_eq!(wire::receive(&mut trace, wire::PANICKED, &words), Ok(false));
        let unset = Unset { name: "WORKERS".into(), frames: alloc::vec![5, 6] };
        unset.encode(&mut words);
        assert_eq!(wire::receive(&mut trace, wire::UNSET, &words), Ok(false));
        for at in [0x70, 0x75] {
            wire::pack_text(0, b"stack", &mut words);
            words.insert(0, at);
            assert_eq!(wire::receive(&mut trace, wire::STACK_BYTES, &words), Ok(false));
        }
        assert_eq!(wire::receive(&mut trace, wire::STACK_BYTES, &words), Err(()), "there already");
        assert_eq!((&trace.memory.frames[..], trace.memory.stack.0), (&[frame][..], 0x70));
        assert_eq!(trace.memory.stack.1, b"stackstack");
        assert_eq!((trace.memory.held, trace.memory.blocks), (alloc::vec![held], alloc::vec![block]));
        assert_eq!(trace.memory.meanings, [(9, Meaning::Poisons)]);
        assert_eq!(trace.memory.types, ["i64"]);
        assert_eq!(trace.memory.panics, [panicked]);
        assert_eq!(trace.memory.unset, [unset]);
        let mut other = Trace::default();
        assert_eq!(wire::receive(&mut other, wire::FRAME, &[1, 2, 3]), Err(()));
        assert_eq!(wire::receive(&mut other, wire::HELD, &[4, 0]), Err(()));
        assert_eq!(wire::receive(&mut other, wire::BLOCK, &[1, 2]), Err(()));
        assert_eq!(wire::receive(&mut other, wire::MEANING, &[200 << 32]), Err(()));
    }
}
