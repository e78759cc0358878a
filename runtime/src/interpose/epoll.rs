//! Epolls. One is a channel ([`super::channels`]): to ask it is to read from it, and to register a descriptor with it is to write to
//! it. What is ready, and in which order it is told, the system knows: the calls that change it come one after the other, each
//! as a step. An operation on a channel that is registered is an operation on the epoll as well (`watching`).
//!
//! Numbers are followed, since the system does not tell one epoll from another: who makes another descriptor of one, or closes
//! it, goes through [`super::files`]. Refused are epolls that were made before the execution, if they would wait, and
//! what others than the program's own threads make ready.

use super::channels::{self, is_readable, made, step, way};
use super::gate::of;
use super::{files, modelled, refused, timers};
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::memory::{leaks, snapshot};
use crate::model::channel::{self, Beside};
use crate::model::clock;
use crate::sys::call;
use crate::{entry, entry_here};
use alloc::vec::Vec;
use core::cell::{Cell, UnsafeCell};
use core::ffi::{CStr, c_int, c_void};
use raddle_schedule::world::{self, Channel};

/// An epoll that the execution has made.
struct Epoll {
    object: u64,
    /// Its descriptors.
    fds: Vec<c_int>,
    /// What is registered with it.
    items: Vec<Item>,
}

/// A descriptor that is registered with an epoll, and its channels: where it reads and writes.
struct Item {
    fd: c_int,
    channels: [u64; 2],
}

struct All(UnsafeCell<Vec<Epoll>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for All {}

static ALL: All = All(UnsafeCell::new(Vec::new()));

fn all() -> &'static [Epoll] {
    // SAFETY: see `All`; nobody changes them while this is looked at.
    unsafe { &*ALL.0.get() }
}

fn change() -> &'static mut Vec<Epoll> {
    // SAFETY: see `All`; the only reference while it is there.
    unsafe { &mut *ALL.0.get() }
}

/// An execution begins.
pub fn begin() {
    change().clear();
}

/// Is there any?
pub(super) fn is_any() -> bool {
    !all().is_empty()
}

/// The epoll of this descriptor.
pub(super) fn object(fd: c_int) -> Option<u64> {
    all().iter().find(|epoll| epoll.fds.contains(&fd)).map(|epoll| epoll.object)
}

/// The running thread has made this one.
pub(super) fn add(fd: c_int, object: u64) {
    change().push(Epoll { object, fds: Vec::from([fd]), items: Vec::new() });
}

/// It is about to make another descriptor of this one, with this number.
pub(super) fn doubled(fd: c_int, number: impl FnOnce() -> c_int) {
    if let Some(epoll) = change().iter_mut().find(|epoll| epoll.fds.contains(&fd)) {
        epoll.fds.push(number());
    }
}

/// It is about to close this descriptor. With the last one the epoll goes.
pub(super) fn closed(fd: c_int) {
    change().iter_mut().for_each(|epoll| epoll.fds.retain(|own| *own != fd));
    change().retain(|epoll| !epoll.fds.is_empty());
}

/// Has this epoll something to tell?
pub(super) fn is_ready(object: u64) -> bool {
    let known = all().iter().find(|epoll| epoll.object == object);
    known.and_then(|epoll| epoll.fds.first()).is_some_and(|fd| channel::is_ready(*fd, libc::POLLIN))
}

fn watches(channels: [u64; 2]) -> impl Iterator<Item = &'static Epoll> {
    let is_one = move |item: &Item| item.channels.iter().any(|own| channels.contains(own));
    all().iter().filter(move |epoll| epoll.items.iter().any(is_one))
}

/// The epolls with which a descriptor of one of these channels is registered, as a set.
pub(super) fn watching(channels: [u64; 2]) -> u64 {
    watches(channels).fold(0, |all, epoll| all | world::bit(epoll.object))
}

/// Those of them that have something to tell.
pub(super) fn ready(channels: [u64; 2]) -> u64 {
    let no = watches(channels).filter(|epoll| !is_ready(epoll.object));
    watching(channels) & !no.fold(0, |all, epoll| all | world::bit(epoll.object))
}

/// The channels of a descriptor that is registered, or is no more.
struct Registered([u64; 2]);

impl Beside for Registered {
    fn more(&self) -> u64 {
        self.0.iter().fold(0, |all, channel| all | world::bit(*channel))
    }

    fn ready(&self) -> u64 {
        let no = self.0.iter().filter(|channel| !is_readable(**channel));
        self.more() & !no.fold(0, |all, channel| all | world::bit(*channel))
    }
}

type Create = unsafe extern "C" fn(c_int) -> c_int;
type Control = unsafe extern "C" fn(c_int, c_int, c_int, *mut libc::epoll_event) -> c_int;
type Wait = unsafe extern "C" fn(c_int, *mut libc::epoll_event, c_int, c_int) -> c_int;
type WaitFor =
    unsafe extern "C" fn(c_int, *mut libc::epoll_event, c_int, c_int, *const libc::sigset_t) -> c_int;

fn create(name: &CStr, argument: c_int, caller: *const c_void) -> c_int {
    if modelled() {
        files::touched();
    }
    // SAFETY: libc's functions of these names have this type; passed on as it came.
    let fd = unsafe { of::<Create>(name)(argument) };
    if modelled() && fd >= 0 {
        made(Channel::Epoll, &[fd], caller);
    }
    fd
}

entry! {
    /// Makes an epoll.
    fn epoll_create / create_sized(size: c_int) -> c_int, 1, caller {
        create(c"epoll_create", size, caller)
    }
}

entry! {
    /// The same with flags.
    fn epoll_create1 / create_with(how: c_int) -> c_int, 1, caller {
        create(c"epoll_create1", how, caller)
    }
}

/// Could somebody outside of the program make this descriptor ready? The system itself refuses files and folders.
fn is_outside(fd: c_int) -> bool {
    // SAFETY: plain data, which the call fills.
    let about = unsafe {
        let mut about: libc::stat = core::mem::zeroed();
        if call!(libc::SYS_fstat, fd, &raw mut about) != 0 {
            return false;
        }
        about
    };
    !matches!(about.st_mode & libc::S_IFMT, libc::S_IFREG | libc::S_IFDIR)
}

entry! {
    /// Registers a descriptor, changes what is asked of it, or takes it out.
    fn epoll_ctl / control(epoll: c_int, does: c_int, fd: c_int, event: *mut libc::epoll_event) -> c_int, 4, caller {
        let registered = if modelled() { before_control(epoll, does, fd, event, caller) } else { None };
        // SAFETY: libc's function of this name has this type; passed on as it came.
        let status = unsafe { of::<Control>(c"epoll_ctl")(epoll, does, fd, event) };
        if let Some(channels) = registered.filter(|_| status == 0) {
            keep(epoll, does, Item { fd, channels });
        }
        status
    }
}

/// The point before it, where that is one; the channels of the descriptor.
fn before_control(
    epoll: c_int,
    does: c_int,
    fd: c_int,
    event: *const libc::epoll_event,
    caller: *const c_void,
) -> Option<[u64; 2]> {
    // SAFETY: the caller's, if there is one. The system keeps a word of it, which may be the address of a block.
    if let Some(event) = unsafe { event.as_ref() } {
        leaks::handed_over(event.u64 as usize);
    }
    let known = way(fd);
    let own = known.filter(|way| !way.is_outside && !world::is_epoll(way.reads));
    if does == libc::EPOLL_CTL_ADD && own.is_none() && is_outside(fd) {
        let what = match known {
            Some(way) if !way.is_outside => "of an epoll in another one",
            _ => "of a descriptor that other processes make ready",
        };
        refused::refuse_waiting("epoll_ctl", what, caller);
    }
    let channels = own.map(|way| [way.reads, way.writes]);
    let site = refused::called_at(caller);
    step(epoll, caller, |way, _| {
        let beside = Registered(channels.unwrap_or([0; 2]));
        channel::registers(way.reads, &beside, || is_readable(way.reads), site);
    });
    channels
}

/// The system has done so.
fn keep(epoll: c_int, does: c_int, item: Item) {
    let channels = item.channels;
    let Some(known) = change().iter_mut().find(|known| known.fds.contains(&epoll)) else { return };
    let bit = world::bit(known.object);
    if does != libc::EPOLL_CTL_MOD {
        known.items.retain(|old| old.fd != item.fd);
    }
    if does == libc::EPOLL_CTL_ADD {
        known.items.push(item);
    }
    let object = known.object;
    channel::beside_has_changed(channels, bit, |_| watching(channels));
    if world::is_timer(channels[0]) {
        k().waits_by_timer(object, first_timer(object).is_some());
    }
}

entry_here! {
    /// Waits until something that is registered is ready, or a time is over.
    fn epoll_wait / wait(epoll: c_int, events: *mut libc::epoll_event, count: c_int, limit: c_int) -> c_int, 4, here {
        let call = |limit| {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            unsafe { of::<Wait>(c"epoll_wait")(epoll, events, count, limit) }
        };
        waits("epoll_wait", [epoll, count, limit], events as usize, here, call)
    }
}

entry_here! {
    /// The same with other signals blocked meanwhile.
    fn epoll_pwait / wait_with(
        epoll: c_int,
        events: *mut libc::epoll_event,
        count: c_int,
        limit: c_int,
        signals: *const libc::sigset_t
    ) -> c_int, 5, here {
        let call = |limit| {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            unsafe { of::<WaitFor>(c"epoll_pwait")(epoll, events, count, limit, signals) }
        };
        if modelled() && !signals.is_null() && limit != 0 && !channel::is_ready(epoll, libc::POLLIN) {
            refused::refuse_waiting("epoll_pwait", "with signals", here.caller);
        }
        waits("epoll_pwait", [epoll, count, limit], events as usize, here, call)
    }
}

/// Waits, and asks the system for what is there then. Milliseconds below 0 are for ever.
fn waits(
    name: &str,
    [epoll, count, limit]: [c_int; 3],
    events: usize,
    here: &Here,
    call: impl Fn(c_int) -> c_int,
) -> c_int {
    if !modelled() {
        return call(limit);
    }
    let room = usize::try_from(count).unwrap_or(0);
    snapshot::touch(events, room.saturating_mul(size_of::<libc::epoll_event>()));
    // The system only refuses to tell nothing.
    if room == 0 {
        return call(0);
    }
    let Some(known) = way(epoll) else {
        if limit != 0 && !channel::is_ready(epoll, libc::POLLIN) {
            refused::refuse_waiting(name, "of an epoll that was made before the execution", here.caller);
        }
        return call(0);
    };
    let site = refused::called_at(here.caller);
    let end = u64::try_from(limit).ok().map(|limit| k().me().clock.saturating_add(limit * 1_000_000));
    loop {
        let timer = first_timer(known.reads);
        if let Some(timer) = timer.filter(|timer| timer.due <= k().me().clock) {
            timers::runs_out(timer.fd, here.caller);
            continue;
        }
        let is_over = Cell::new(false);
        let waits = |way: channels::Way| match limit {
            0 => channel::try_receive(way.reads, epoll, &channel::Nothing, site, Some(here)),
            _ if limit > 0 || timer.is_some() => {
                let is_own = limit > 0;
                let told = channel::receive_within(way.reads, epoll, &channel::Nothing, is_own, site, here);
                is_over.set(!told);
            }
            _ => is_over.set(!channel::receive(way.reads, epoll, &channel::Nothing, site)),
        };
        if k().spawned > 1 {
            step(epoll, here.caller, |way, _| waits(way));
        } else if !channel::is_ready(epoll, libc::POLLIN) {
            waits(known);
        }
        // It may be another one that was set meanwhile.
        match (first_timer(known.reads), end) {
            _ if !is_over.get() => return call(0),
            (Some(timer), _) if end.is_none_or(|end| timer.due <= end) => {
                timers::runs_out(timer.fd, here.caller)
            }
            (_, Some(end)) => {
                clock::pass_to(end);
                return 0;
            }
            _ => {}
        }
    }
}

/// A timer with this channel was set, or stopped: tells those that wait for it, or with an epoll for that.
pub(super) fn timer_changed(timer: u64) {
    k().waits_by_timer(timer, timers::due(timer).is_some());
    for epoll in watches([timer, timer]) {
        k().waits_by_timer(epoll.object, first_timer(epoll.object).is_some());
    }
}

/// A timer that runs, and its descriptor.
#[derive(Clone, Copy)]
struct Due {
    fd: c_int,
    due: u64,
}

/// Of the timers that are registered with this epoll the one that runs out first.
fn first_timer(object: u64) -> Option<Due> {
    let known = all().iter().find(|epoll| epoll.object == object)?;
    let timers = known
        .items
        .iter()
        .filter_map(|item| timers::due_behind(item.fd, item.channels[0]).map(|due| Due { fd: item.fd, due }));
    timers.min_by_key(|timer| timer.due)
}
