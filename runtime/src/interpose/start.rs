//! The start of the program: the library's constructor finds the channel, and the replaced
//! `__libc_start_main` puts the exploring loop around `main`.

use super::{environment, malloc, real};
use crate::carrier::{os_thread, slot, tls};
use crate::debug;
use crate::kernel::{self, Setup, controlled, fault, session};
use crate::sys::{self, call};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::Ordering;
use raddle_schedule::Granularity;
use raddle_schedule::channel::{self, Channel};
use raddle_schedule::input::{self, INPUTS, Values};

/// A program's main function.
pub type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

static mut MAIN: Option<Main> = None;
static mut ARGUMENTS: (c_int, *mut *mut c_char, *mut *mut c_char) =
    (0, core::ptr::null_mut(), core::ptr::null_mut());

/// An environment variable's value.
fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a valid name; the value lives as long as the environment is left alone.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: a string of the environment.
    if value.is_null() { None } else { Some(unsafe { CStr::from_ptr(value) }) }
}

fn number(text: &CStr) -> Option<i32> {
    text.to_str().ok()?.parse().ok()
}

/// Names with commas between them.
fn names(text: &str) -> Vec<String> {
    text.split(',').filter(|n| !n.is_empty()).map(String::from).collect()
}

/// The values of each input, by a list of them.
fn inputs(list: &str) -> Vec<Vec<u64>> {
    let values = Values::parse(list).or_else(|_| Values::parse(input::DEFAULT));
    values.map_or_else(|_| Vec::new(), |values| INPUTS.iter().map(|input| input.values(&values)).collect())
}

/// Runs before the constructors of the program.
extern "C" fn constructor() {
    let Some(fd) = variable(c"RADDLE_CHANNEL").and_then(number) else { return };
    let flags = libc::MAP_SHARED;
    // SAFETY: maps the descriptor that the server has left open for this.
    let at =
        unsafe { call!(libc::SYS_mmap, 0, channel::BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, fd, 0) };
    if at < 0 {
        sys::complain("raddle: RADDLE_CHANNEL names no channel\n");
        sys::exit(71);
    }
    // SAFETY: a mapping of that size, kept for ever. The descriptor itself is not needed again.
    let channel = unsafe {
        call!(libc::SYS_close, fd);
        Channel::from_raw(at as *mut u8)
    };
    if !channel.is_valid() {
        sys::complain("raddle: the channel was made by another version of raddle\n");
        sys::exit(71);
    }
    let options = &channel.header().options;
    // SAFETY: plain queries.
    let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    let setup = Setup {
        channel,
        granularity: match options.granularity.load(Ordering::Relaxed) {
            1 => Granularity::Access,
            2 => Granularity::Statement,
            3 => Granularity::LockExit,
            _ => Granularity::Sync,
        },
        points_at: names(channel.focus()),
        trusted: names(channel.trusted()),
        points_in: names(channel.points_in()),
        os_threads: options.carriers.load(Ordering::Relaxed) == 1,
        fork: options.isolation.load(Ordering::Relaxed) == 1,
        main_kills: options.main_exit.load(Ordering::Relaxed) == 1,
        by_itself: options.by_itself.load(Ordering::Relaxed),
        inputs: inputs(channel.inputs()),
        has_unwatched_code: options.has_unwatched_code.load(Ordering::Relaxed) == 1,
        max_threads: options.max_threads.load(Ordering::Relaxed),
        random_choices: options.random_choices.load(Ordering::Relaxed) == 1,
        spin: cpus > 1,
    };
    environment::set_seed(options.seed.load(Ordering::Relaxed));
    let _ = real::get();
    malloc::init();
    crate::promoted::init(channel);
    super::init();
    tls::init();
    let os_threads = setup.os_threads;
    kernel::init(setup);
    debug::prepare();
    fault::install();
    if os_threads {
        os_thread::stay_on_one_cpu();
    }
    if !slot::create_main() {
        sys::complain("raddle: no memory for the first stack\n");
        sys::exit(71);
    }
}

#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// The program's start: main runs under control, or as it is.
///
/// # Safety
/// Called by the C start-up code.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    argc: c_int,
    argv: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    loader_fini: *mut c_void,
    stack_end: *mut c_void,
) -> c_int {
    let whole = controlled() && variable(c"RADDLE_ENTRY").is_none_or(|e| e != c"harness");
    // SAFETY: on the only thread; passed on otherwise.
    unsafe {
        MAIN = Some(main);
        let main = if whole { explored_main } else { main };
        (real::get().libc_start_main)(main, argc, argv, init, fini, loader_fini, stack_end)
    }
}

unsafe extern "C" fn explored_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: on the only thread.
    unsafe {
        ARGUMENTS = (argc, argv, envp);
        GIVEN = Some(Given::of(argc as usize, argv));
    }
    session::serve(session::Entry { body: run_main, context: core::ptr::null_mut(), whole_program: true })
}

/// The words that `main` is given, and what they are: they lie where the process's stack begins, which is not
/// rolled back, and programs put them into another order (`getopt`) or take them apart (`strtok`).
struct Given {
    words: Vec<(*mut c_char, Vec<u8>)>,
}

static mut GIVEN: Option<Given> = None;

impl Given {
    /// # Safety
    /// As many strings.
    unsafe fn of(count: usize, words: *const *mut c_char) -> Given {
        // SAFETY: the caller vouches for it.
        let word = |n: usize| unsafe {
            let word = *words.add(n);
            (word, CStr::from_ptr(word).to_bytes_with_nul().to_vec())
        };
        Given { words: (0..count).map(word).collect() }
    }

    /// As they were.
    ///
    /// # Safety
    /// The list that they were read from.
    unsafe fn restore(&self, words: *mut *mut c_char) {
        for (n, (word, text)) in self.words.iter().enumerate() {
            // SAFETY: the caller vouches for it; as many bytes as were read there.
            unsafe {
                if core::slice::from_raw_parts(word.cast::<u8>(), text.len()) != text.as_slice() {
                    core::ptr::copy_nonoverlapping(text.as_ptr(), word.cast(), text.len());
                }
                *words.add(n) = *word;
            }
        }
        // SAFETY: the list's end.
        unsafe { *words.add(self.words.len()) = core::ptr::null_mut() };
    }
}

extern "C" fn run_main(_: *mut c_void) -> c_int {
    // SAFETY: set above; `main` is called as libc would call it.
    unsafe {
        let (argc, argv, envp) = ARGUMENTS;
        let given = &raw const GIVEN;
        if let Some(given) = &*given {
            given.restore(argv);
        }
        match MAIN {
            Some(main) => main(argc, argv, envp),
            None => 0,
        }
    }
}
