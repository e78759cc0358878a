//! Names of Linux's system calls on x86-64, for texts: those that wait, or that have to do with threads, processes and
//! files.

use alloc::format;
use alloc::string::String;

/// How an execution ends whose program waits in a call of its own, as the runtime says it: which call it is, the system
/// tells from outside alone.
pub const PAST_LIBC: &str = "a system call in assembly is not modelled yet: it waits";

/// The same with the call's number.
pub fn past_libc(number: i64) -> String {
    format!(
        "`{}` in assembly is not modelled yet: it waits, for something that Raddle does not control",
        name(number)
    )
}

/// Calls that wait for a time, or for what happens outside of the process: poll, select, pause, nanosleep, rt_sigtimedwait,
/// rt_sigsuspend, io_getevents, clock_nanosleep, epoll_wait, pselect6, ppoll, epoll_pwait, io_uring_enter and epoll_pwait2.
const WAITING: [i64; 14] = [7, 23, 34, 35, 128, 130, 208, 230, 232, 270, 271, 281, 426, 441];

/// Does a process that is in this call wait for something that is none of its threads?
pub fn waits(number: i64) -> bool {
    WAITING.contains(&number)
}

/// Numbers and names, in the order of the numbers.
const NAMES: [(u16, &str); 94] = [
    (0, "SYS_read"),
    (1, "SYS_write"),
    (2, "SYS_open"),
    (3, "SYS_close"),
    (7, "SYS_poll"),
    (9, "SYS_mmap"),
    (10, "SYS_mprotect"),
    (11, "SYS_munmap"),
    (12, "SYS_brk"),
    (13, "SYS_rt_sigaction"),
    (14, "SYS_rt_sigprocmask"),
    (16, "SYS_ioctl"),
    (17, "SYS_pread64"),
    (18, "SYS_pwrite64"),
    (19, "SYS_readv"),
    (20, "SYS_writev"),
    (22, "SYS_pipe"),
    (23, "SYS_select"),
    (25, "SYS_mremap"),
    (32, "SYS_dup"),
    (34, "SYS_pause"),
    (35, "SYS_nanosleep"),
    (37, "SYS_alarm"),
    (38, "SYS_setitimer"),
    (40, "SYS_sendfile"),
    (41, "SYS_socket"),
    (42, "SYS_connect"),
    (43, "SYS_accept"),
    (44, "SYS_sendto"),
    (45, "SYS_recvfrom"),
    (46, "SYS_sendmsg"),
    (47, "SYS_recvmsg"),
    (56, "SYS_clone"),
    (57, "SYS_fork"),
    (58, "SYS_vfork"),
    (59, "SYS_execve"),
    (60, "SYS_exit"),
    (61, "SYS_wait4"),
    (62, "SYS_kill"),
    (65, "SYS_semop"),
    (69, "SYS_msgsnd"),
    (70, "SYS_msgrcv"),
    (72, "SYS_fcntl"),
    (73, "SYS_flock"),
    (101, "SYS_ptrace"),
    (128, "SYS_rt_sigtimedwait"),
    (130, "SYS_rt_sigsuspend"),
    (200, "SYS_tkill"),
    (202, "SYS_futex"),
    (206, "SYS_io_setup"),
    (208, "SYS_io_getevents"),
    (209, "SYS_io_submit"),
    (218, "SYS_set_tid_address"),
    (220, "SYS_semtimedop"),
    (222, "SYS_timer_create"),
    (228, "SYS_clock_gettime"),
    (230, "SYS_clock_nanosleep"),
    (231, "SYS_exit_group"),
    (232, "SYS_epoll_wait"),
    (233, "SYS_epoll_ctl"),
    (234, "SYS_tgkill"),
    (242, "SYS_mq_timedsend"),
    (243, "SYS_mq_timedreceive"),
    (247, "SYS_waitid"),
    (257, "SYS_openat"),
    (270, "SYS_pselect6"),
    (271, "SYS_ppoll"),
    (272, "SYS_unshare"),
    (273, "SYS_set_robust_list"),
    (275, "SYS_splice"),
    (281, "SYS_epoll_pwait"),
    (283, "SYS_timerfd_create"),
    (288, "SYS_accept4"),
    (289, "SYS_signalfd4"),
    (290, "SYS_eventfd2"),
    (291, "SYS_epoll_create1"),
    (293, "SYS_pipe2"),
    (294, "SYS_inotify_init1"),
    (298, "SYS_perf_event_open"),
    (299, "SYS_recvmmsg"),
    (308, "SYS_setns"),
    (310, "SYS_process_vm_readv"),
    (317, "SYS_seccomp"),
    (321, "SYS_bpf"),
    (322, "SYS_execveat"),
    (323, "SYS_userfaultfd"),
    (334, "SYS_rseq"),
    (425, "SYS_io_uring_setup"),
    (426, "SYS_io_uring_enter"),
    (427, "SYS_io_uring_register"),
    (434, "SYS_pidfd_open"),
    (435, "SYS_clone3"),
    (441, "SYS_epoll_pwait2"),
    (449, "SYS_futex_waitv"),
];

/// A system call as programs write it; of others its number.
pub fn name(number: i64) -> String {
    let known = u16::try_from(number).ok().and_then(|n| NAMES.binary_search_by_key(&n, |(n, _)| *n).ok());
    known.map_or_else(|| format!("{number}"), |i| NAMES[i].1.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_order_of_their_numbers() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(name(0), "SYS_read");
        assert_eq!(name(449), "SYS_futex_waitv");
        assert_eq!(name(4711), "4711");
        assert_eq!(name(-1), "-1");
        assert!(WAITING.is_sorted() && WAITING.iter().all(|n| name(*n).starts_with("SYS_")));
    }
}
