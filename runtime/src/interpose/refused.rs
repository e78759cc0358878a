//! Functions that could block, or leave the controlled world, and are not modelled yet: never
//! entered silently. Each ends the execution with an error that names it.

use super::modelled;
use crate::kernel::point::end_execution;
use alloc::format;
use core::ffi::c_void;
use raddle_schedule::Outcome;

/// Ends the execution because of this function.
pub fn refuse(name: &str) -> ! {
    let message = format!("`{name}` is not modelled yet: Raddle cannot control a program that calls it");
    end_execution(Outcome::Unsupported, 0, &message)
}

/// What `name` stands for behind this library; looked up each time, since it is rare.
fn behind(name: &core::ffi::CStr) -> *mut c_void {
    // SAFETY: a valid name.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

extern "C" fn gate(name: *const core::ffi::c_char) -> *mut c_void {
    // SAFETY: one of the names below.
    let name = unsafe { core::ffi::CStr::from_ptr(name) };
    if modelled() {
        refuse(name.to_str().unwrap_or("?"));
    }
    let at = behind(name);
    if at.is_null() {
        crate::sys::complain("raddle: libc has no such function\n");
        crate::sys::exit(71);
    }
    at
}

macro_rules! refused {
    ($($name:ident)*) => { $(
        /// Refused under control, otherwise libc's.
        ///
        /// # Safety
        /// As in libc.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            // Keeps all argument registers (and al, the count of vector ones) across the gate,
            // which returns where to jump.
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rdi", ".cfi_adjust_cfa_offset 8",
                "push rsi", ".cfi_adjust_cfa_offset 8",
                "push rdx", ".cfi_adjust_cfa_offset 8",
                "push rcx", ".cfi_adjust_cfa_offset 8",
                "push r8", ".cfi_adjust_cfa_offset 8",
                "push r9", ".cfi_adjust_cfa_offset 8",
                "push rax", ".cfi_adjust_cfa_offset 8",
                "lea rdi, [rip + 2f]",
                "call {gate}",
                "mov r11, rax",
                "pop rax", ".cfi_adjust_cfa_offset -8",
                "pop r9", ".cfi_adjust_cfa_offset -8",
                "pop r8", ".cfi_adjust_cfa_offset -8",
                "pop rcx", ".cfi_adjust_cfa_offset -8",
                "pop rdx", ".cfi_adjust_cfa_offset -8",
                "pop rsi", ".cfi_adjust_cfa_offset -8",
                "pop rdi", ".cfi_adjust_cfa_offset -8",
                "jmp r11",
                "2:",
                concat!(".asciz \"", stringify!($name), "\""),
                ".cfi_endproc",
                gate = sym gate,
            )
        }
    )* };
}

refused! {
    pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
    pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock
    pthread_rwlock_clockwrlock pthread_rwlock_unlock
    pthread_barrier_wait pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
    pthread_mutex_timedlock pthread_mutex_clocklock
    pthread_cancel pthread_timedjoin_np pthread_tryjoin_np pthread_clockjoin_np pthread_kill
    sem_open sem_clockwait
    thrd_create thrd_join mtx_lock mtx_trylock mtx_timedlock mtx_unlock cnd_wait cnd_timedwait
    cnd_signal cnd_broadcast call_once thrd_yield thrd_sleep
    fork vfork execve execv execvp execl execlp posix_spawn posix_spawnp system popen
    wait waitpid waitid pause sigwait sigwaitinfo sigtimedwait sigsuspend
    poll ppoll select pselect epoll_wait epoll_pwait accept accept4 connect recv recvfrom recvmsg
    flock lockf msgrcv msgsnd semop semtimedop mq_receive mq_send mq_timedreceive mq_timedsend
    eventfd_read timer_create setitimer alarm dlopen dlclose
    mremap shmat sbrk brk
}
