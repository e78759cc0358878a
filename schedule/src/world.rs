//! What a process has besides the memory of its program, and threads can tell each other by: objects at addresses where
//! nothing of the program lies. No value stands there: what they are like is known to the runtime alone, so searches that
//! compare states by values go by who did something to them last.

use crate::{MAX_THREADS, ended, named};

/// Where they lie.
pub const BASE: u64 = 0x0f20_0000_0000;
/// The numbers of `rand` and `random`, which the whole process draws from.
pub const RANDOM: u64 = BASE;
/// Those of `drand48` and its like.
pub const RANDOM_48: u64 = BASE + 8;
/// The numbers of thread-specific keys, which are given out one after the other.
pub const KEY_NUMBERS: u64 = BASE + 16;
/// What is to be done when the process ends, the last first.
pub const AT_EXIT: u64 = BASE + 24;
/// How many threads there are, where there may be no more than some.
pub const THREADS: u64 = BASE + 32;
/// What functions of libc keep between two calls and nothing orders: plain memory to whoever calls them
/// ([`Kept`]).
const KEPT: u64 = BASE + 0x100;
/// What signals do, thread-specific keys, and the names of threads: so many of each at most.
const KIND: u64 = 0x1000;
const SIGNALS: u64 = BASE + KIND;
const KEYS: u64 = SIGNALS + KIND;
const NAMES: u64 = KEYS + KIND;
const CHANNELS: u64 = NAMES + KIND;
const END: u64 = CHANNELS + 5 * OF_KIND;

/// What is written to one descriptor and read from another, or the same: of each thread that makes some so many are told
/// apart.
pub const CHANNELS_EACH: u64 = 64;
/// Addresses of one kind of them.
const OF_KIND: u64 = MAX_THREADS as u64 * CHANNELS_EACH * 8;

/// A way for bytes, or counts, from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A pipe, or a FIFO.
    Pipe,
    /// What is sent to one of two connected sockets.
    Socket,
    /// A counter of events (`eventfd`): what is written is added.
    Counter,
    /// An epoll: operations on the channels that are registered with it are operations on it as well.
    Epoll,
    /// A timer with a descriptor (`timerfd`): to set it is to write to it, and so it is when it runs out.
    Timer,
}

/// The channel of this kind that a thread made, with this number among its own: below [`CHANNELS_EACH`].
pub const fn channel(kind: Channel, thread: usize, number: usize) -> u64 {
    let number = number as u64;
    let number = if number < CHANNELS_EACH { number } else { CHANNELS_EACH - 1 };
    CHANNELS + kind as u64 * OF_KIND + (thread as u64 % MAX_THREADS as u64 * CHANNELS_EACH + number) * 8
}

/// What kind of channel this is, if it is one.
const fn kind(object: u64) -> Option<Channel> {
    if object < CHANNELS || END <= object {
        return None;
    }
    Some(match (object - CHANNELS) / OF_KIND {
        0 => Channel::Pipe,
        1 => Channel::Socket,
        2 => Channel::Counter,
        3 => Channel::Epoll,
        _ => Channel::Timer,
    })
}

/// Is what is written there added, so that two writes come to the same in either order?
pub const fn adds(channel: u64) -> bool {
    matches!(kind(channel), Some(Channel::Counter))
}

/// Is this an epoll?
pub const fn is_epoll(channel: u64) -> bool {
    matches!(kind(channel), Some(Channel::Epoll))
}

/// Is this a timer?
pub const fn is_timer(channel: u64) -> bool {
    matches!(kind(channel), Some(Channel::Timer))
}

/// Is this a channel?
pub const fn is_channel(object: u64) -> bool {
    kind(object).is_some()
}

/// Channels that an operation can name beside its object: a set of so many bits ([`bit`]).
const BITS: u64 = 28;
const KINDS: u64 = 5;

/// The bit of a channel in a set of channels. Several channels may share one, so operations on sets that meet are taken for
/// dependent though they may not be. A bit does not tell which thread made the channel: that has another number in another
/// execution.
pub const fn bit(channel: u64) -> u64 {
    if !is_channel(channel) {
        return 0;
    }
    let (kind, number) = ((channel - CHANNELS) / OF_KIND, (channel - CHANNELS) / 8 % CHANNELS_EACH);
    1 << ((number * KINDS + kind) % BITS)
}

/// An object that stands for all channels with this bit, the lowest of those that are set.
pub const fn sharing(bits: u64) -> u64 {
    SHARED + bits.trailing_zeros() as u64 * 8
}

/// Objects for these.
const SHARED: u64 = BASE - KIND;

/// Objects that stand for the channels in this set, one for each bit.
pub fn shared(bits: u64) -> impl Iterator<Item = u64> {
    (0..BITS).filter(move |at| bits >> at & 1 != 0).map(|at| sharing(1 << at))
}

/// What reports call a channel.
pub const fn channel_name(channel: u64) -> &'static str {
    match kind(channel) {
        Some(Channel::Socket) => "socket",
        Some(Channel::Counter) => "eventfd",
        Some(Channel::Epoll) => "epoll",
        Some(Channel::Timer) => "timerfd",
        _ => "pipe",
    }
}

/// What the value of a [`crate::OpKind::ChannelSend`] or [`crate::OpKind::ChannelRecv`] says.
pub mod found {
    /// There was something to read before it.
    pub const READABLE: u64 = 1;
    /// It closed an end, and wrote nothing.
    pub const CLOSED: u64 = 2;
    /// It made another descriptor of one, and read nothing.
    pub const DOUBLED: u64 = 4;

    /// It changed what an epoll tells, and wrote nothing.
    pub const REGISTERED: u64 = 8;

    const SET: u64 = (1 << super::BITS) - 1;
    const MORE: u32 = 4;
    const READY: u32 = 32;

    /// A value that says so much, and that the operation is about these channels beside its object, of which some were
    /// readable before it.
    pub const fn value(found: u64, more: u64, ready: u64) -> u64 {
        found | (more & SET) << MORE | (ready & SET) << READY
    }

    /// The channels beside the object.
    pub const fn more(value: u64) -> u64 {
        value >> MORE & SET
    }

    /// Those of them that were readable before the operation.
    pub const fn ready(value: u64) -> u64 {
        value >> READY & SET
    }
}

/// Size of a [`crate::OpKind::ChannelRecv`] that does not wait: where nothing is there it says so at once.
pub const AT_ONCE: u32 = 2;

/// Size of one that asks whether something is there, and takes nothing. It does not wait.
pub const LOOKS: u32 = 4;

/// Size of one that asks so and waits.
pub const LOOKS_AND_WAITS: u32 = 8;

/// Does a [`crate::OpKind::ChannelRecv`] of this size wait until something is there?
pub const fn waits(size: u32) -> bool {
    !matches!(size, AT_ONCE | LOOKS)
}

/// Does it take nothing?
pub const fn looks(size: u32) -> bool {
    matches!(size, LOOKS | LOOKS_AND_WAITS)
}

/// Size of a [`crate::OpKind::ChannelSend`] that closes an end: not even where writes are added does it commute with one.
pub const CLOSES: u32 = 16;

/// What functions of libc keep for the whole process from one call to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Where `strtok` goes on.
    Token,
    /// How far `mblen` is in a character.
    Mblen,
    /// The same of `mbtowc`.
    Mbtowc,
    /// The same of `wctomb`.
    Wctomb,
    /// The same of `mbrlen` that is given no state.
    Mbrlen,
    /// The same of `mbrtowc`.
    Mbrtowc,
    /// The same of `wcrtomb`.
    Wcrtomb,
    /// The same of `mbsrtowcs`.
    Mbsrtowcs,
    /// The same of `mbsnrtowcs`.
    Mbsnrtowcs,
    /// The same of `wcsrtombs`.
    Wcsrtombs,
    /// The same of `wcsnrtombs`.
    Wcsnrtombs,
    /// The parts of a time that `localtime` and `gmtime` give back.
    Time,
    /// The text that `asctime` and `ctime` give back.
    TimeText,
}

/// What reports call them.
const KEPT_NAMES: [&str; 13] = [
    "where strtok goes on",
    "the state of mblen",
    "the state of mbtowc",
    "the state of wctomb",
    "the state of mbrlen",
    "the state of mbrtowc",
    "the state of wcrtomb",
    "the state of mbsrtowcs",
    "the state of mbsnrtowcs",
    "the state of wcsrtombs",
    "the state of wcsnrtombs",
    "the time that localtime gives back",
    "the text that asctime gives back",
];

/// A word that stands for it.
pub const fn kept(what: Kept) -> u64 {
    KEPT + what as u64 * 8
}

/// What streams of stdio are like: a word for each of the three that there are from the beginning, and a word and a lock for
/// each of the others.
const STREAMS: u64 = 0x0f40_0000_0000;
const OTHERS: u64 = STREAMS + 0x100;
const STREAMS_END: u64 = OTHERS + (BEFORE as u64 + 1) * STREAMS_EACH * EACH_STREAM;
const STANDARD: [&str; 3] = ["stdin", "stdout", "stderr"];
/// Of each thread that makes some, so many are told apart.
const STREAMS_EACH: u64 = 1 << 20;
const EACH_STREAM: u64 = 16;
/// In the place of a thread: streams that were made before the first execution.
pub const BEFORE: usize = MAX_THREADS;

/// The word of standard input (0), output (1) or error (2).
pub const fn standard_stream(number: usize) -> u64 {
    STREAMS + number as u64 * 8
}

/// The word of the stream that a thread made, with this number among its own. Where a stream lies depends on what was there
/// before, in other executions too.
pub const fn stream(thread: usize, number: u32) -> u64 {
    let number = if (number as u64) < STREAMS_EACH { number as u64 } else { STREAMS_EACH - 1 };
    OTHERS + (thread as u64 % (BEFORE as u64 + 1) * STREAMS_EACH + number) * EACH_STREAM
}

/// The lock of the stream with this word.
pub const fn stream_lock(word: u64) -> u64 {
    word + 8
}

/// Is it a stream's lock?
pub const fn is_stream_lock(object: u64) -> bool {
    OTHERS <= object && object < STREAMS_END && !object.is_multiple_of(EACH_STREAM)
}

/// What reports call this word, if it is one of what functions keep or of a stream.
pub const fn kept_name(object: u64) -> Option<&'static str> {
    if is_stream_lock(object) {
        return None;
    }
    if STREAMS <= object && object < STREAMS_END {
        let number = ((object - STREAMS) / 8) as usize;
        return Some(if number < STANDARD.len() { STANDARD[number] } else { "a stream" });
    }
    if object < KEPT || KEPT + KEPT_NAMES.len() as u64 * 8 <= object {
        return None;
    }
    Some(KEPT_NAMES[((object - KEPT) / 8) as usize])
}

/// The action of a signal.
pub const fn signal(number: usize) -> u64 {
    SIGNALS + number as u64 * 8
}

/// A thread-specific key.
pub const fn key(number: usize) -> u64 {
    KEYS + number as u64 * 8
}

/// The name of a thread.
pub const fn thread_name(thread: usize) -> u64 {
    NAMES + thread as u64 * 8
}

/// An object that is named by a thread, as it would be called if `name` said the number of that thread: a channel or a stream
/// that it made, its name, or a word that says whether it has ended. Any other object is itself.
pub fn of_another_thread(object: u64, name: impl Fn(u8) -> u8) -> u64 {
    let renumber = |base: u64, each: u64| {
        let thread = (object - base) / each % (MAX_THREADS as u64 + 1);
        if thread == MAX_THREADS as u64 {
            return object;
        }
        object - thread * each + u64::from(name(thread as u8)) * each
    };
    match object {
        CHANNELS..END => {
            let kind = (object - CHANNELS) / OF_KIND * OF_KIND;
            renumber(CHANNELS + kind, CHANNELS_EACH * 8)
        }
        NAMES..CHANNELS if object < thread_name(MAX_THREADS) => renumber(NAMES, 8),
        OTHERS..STREAMS_END => renumber(OTHERS, STREAMS_EACH * EACH_STREAM),
        _ => match ended::thread(object) {
            Some(thread) => object - ended::word(thread) + ended::word(name(thread)),
            None => object,
        },
    }
}

/// Is this such an object, or the word of a semaphore's name?
pub const fn is(object: u64) -> bool {
    BASE <= object && object < END || STREAMS <= object && object < STREAMS_END || named::is_word(object)
}

/// What reports call it, if it is one of them.
pub const fn name(object: u64) -> Option<&'static str> {
    match object {
        RANDOM => Some("the random numbers of rand"),
        RANDOM_48 => Some("the random numbers of drand48"),
        KEY_NUMBERS => Some("the numbers of keys"),
        AT_EXIT => Some("what atexit has registered"),
        THREADS => Some("the number of threads"),
        SIGNALS..KEYS => Some("the action of a signal"),
        KEYS..NAMES => Some("a thread-specific key"),
        NAMES..CHANNELS => Some("the name of a thread"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_functions_keep_has_names() {
        assert_eq!(kept_name(kept(Kept::Token)), Some("where strtok goes on"));
        assert_eq!(kept_name(kept(Kept::Wcsnrtombs)), Some("the state of wcsnrtombs"));
        let last = kept(Kept::TimeText);
        assert!(kept_name(last).is_some() && kept_name(last + 8).is_none() && kept_name(AT_EXIT).is_none());
        assert!(is(last) && last < SIGNALS);
        assert_eq!(kept_name(standard_stream(1)), Some("stdout"));
    }

    #[test]
    fn streams_are_told_apart_by_thread_and_number() {
        let last = stream(BEFORE, u32::MAX);
        assert_eq!(kept_name(last), Some("a stream"));
        assert!(is(last) && is(stream_lock(last)) && !is(STREAMS_END));
        assert!(stream(1, 0) > stream_lock(stream(0, u32::MAX)) && stream(0, 1) != stream(0, 2));
        assert!(is_stream_lock(stream_lock(stream(0, 1))) && !is_stream_lock(stream(0, 1)));
        assert_eq!(kept_name(stream_lock(stream(0, 1))), None);
    }

    #[test]
    fn objects_of_threads_are_renamed_with_them() {
        let swapped =
            |object| of_another_thread(object, |thread| if thread < 2 { 1 - thread } else { thread });
        for of in [
            |t: usize| channel(Channel::Pipe, t, 3),
            |t: usize| channel(Channel::Socket, t, 63),
            |t: usize| channel(Channel::Counter, t, 0),
            |t: usize| stream(t, 7),
            |t: usize| stream_lock(stream(t, u32::MAX)),
            thread_name,
            |t: usize| ended::word(t as u8),
            |t: usize| ended::gone(t as u8),
        ] {
            assert_eq!([swapped(of(0)), swapped(of(1)), swapped(of(63))], [of(1), of(0), of(63)]);
        }
        let others = [0, 63, 0x40_0000, RANDOM, THREADS, kept(Kept::TimeText), signal(9), key(3)];
        let others =
            others.into_iter().chain([standard_stream(1), stream(BEFORE, 5), stream_lock(stream(BEFORE, 0))]);
        assert!(others.into_iter().all(|object| of_another_thread(object, |_| 63) == object));
    }

    #[test]
    fn channels_are_told_apart_by_kind_thread_and_number() {
        let all = [Channel::Pipe, Channel::Socket, Channel::Counter, Channel::Epoll, Channel::Timer];
        let all = all.map(|kind| channel(kind, 63, 63));
        assert_eq!(all.map(channel_name), ["pipe", "socket", "eventfd", "epoll", "timerfd"]);
        assert_eq!(all.map(adds), [false, false, true, false, false]);
        assert_eq!(all.map(is_epoll), [false, false, false, true, false]);
        assert!(all.iter().all(|object| is(*object) && name(*object).is_none()));
        assert_ne!(channel(Channel::Pipe, 1, 0), channel(Channel::Pipe, 0, 63));
        // What is too many is one with the last.
        assert_eq!(channel(Channel::Pipe, 0, 64), channel(Channel::Pipe, 0, 63));
        assert!(!is(END) && kind(CHANNELS - 8).is_none());
    }

    #[test]
    fn a_channel_has_one_bit_whoever_made_it() {
        let all = [Channel::Pipe, Channel::Socket, Channel::Counter, Channel::Epoll, Channel::Timer];
        let bits = all.map(|kind| {
            let bit = super::bit(channel(kind, 3, 5));
            assert!(bit.is_power_of_two() && bit < 1 << BITS && bit == super::bit(channel(kind, 60, 5)));
            assert_ne!(bit, super::bit(channel(kind, 3, 6)));
            assert!(!is(sharing(bit)) && !is_channel(sharing(bit)));
            bit
        });
        assert_eq!(bits.iter().fold(0, |all, bit| all | bit).count_ones(), 5);
        assert_eq!(shared(bits[0] | bits[3]).count(), 2);
        assert_eq!(super::bit(RANDOM), 0);
        let value = found::value(found::READABLE, bits[0] | bits[1], bits[1]);
        assert_eq!((found::more(value), found::ready(value)), (bits[0] | bits[1], bits[1]));
        assert_eq!(value & found::READABLE, found::READABLE);
    }
}
