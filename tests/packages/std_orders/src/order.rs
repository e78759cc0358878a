//! Each use rightly and wrongly; what comes of them stands in tests/tests/std_uses.

use crate::{Flag, Plain};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Condvar, Mutex, OnceLock};
use std::thread;

#[test]
fn right_send_before_its_receive() {
    let (plain, (sender, receiver)) = (Plain::new(), channel());
    thread::scope(|s| {
        s.spawn(|| {
            plain.write();
            sender.send(1).unwrap();
        });
        receiver.recv().unwrap();
        plain.write();
    });
}

/// What comes behind a send is not told by it.
#[test]
fn wrong_behind_the_send() {
    let (plain, (sender, receiver)) = (Plain::new(), channel());
    thread::scope(|s| {
        s.spawn(|| {
            sender.send(1).unwrap();
            plain.write();
        });
        receiver.recv().unwrap();
        plain.write();
    });
}

/// Receives a message of a channel, writes and tells; the other sends once more when it was told, and writes.
fn receive_before_another_send(send: impl Fn(u32) + Sync, receive: impl FnOnce() + Send) {
    let (plain, flag) = (Plain::new(), Flag::new());
    send(1);
    thread::scope(|s| {
        s.spawn(|| {
            plain.write();
            receive();
            flag.tell();
        });
        if flag.is_told() {
            send(2);
            plain.write();
        }
    });
}

/// No send waits for a receive, so none learns of one.
#[test]
fn wrong_receive_before_another_send() {
    let (sender, receiver) = channel();
    receive_before_another_send(
        |n| sender.send(n).unwrap(),
        move || {
            receiver.recv().unwrap();
            std::mem::forget(receiver);
        },
    );
}

/// Its place is taken by the second message.
#[test]
fn right_receive_before_the_send_that_it_makes_room_for() {
    let (sender, receiver) = sync_channel(1);
    receive_before_another_send(
        |n| sender.send(n).unwrap(),
        move || {
            receiver.recv().unwrap();
            std::mem::forget(receiver);
        },
    );
}

/// There are two places.
#[test]
fn wrong_receive_before_a_send_that_had_room() {
    let (sender, receiver) = sync_channel(2);
    receive_before_another_send(
        |n| sender.send(n).unwrap(),
        move || {
            receiver.recv().unwrap();
            std::mem::forget(receiver);
        },
    );
}

/// The third message takes the first one's place.
#[test]
fn right_second_round_of_two_places() {
    let (plain, flag, (sender, receiver)) = (Plain::new(), Flag::new(), sync_channel(2));
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    thread::scope(|s| {
        let (plain, flag) = (&plain, &flag);
        s.spawn(move || {
            plain.write();
            receiver.recv().unwrap();
            flag.tell();
            receiver.recv().unwrap();
            std::mem::forget(receiver);
        });
        if flag.is_told() {
            sender.send(3).unwrap();
            plain.write();
        }
    });
}

/// And the second one's is not the first one's.
#[test]
fn wrong_second_round_of_two_places() {
    let (plain, flag, (sender, receiver)) = (Plain::new(), Flag::new(), sync_channel(2));
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    thread::scope(|s| {
        let (plain, flag) = (&plain, &flag);
        s.spawn(move || {
            receiver.recv().unwrap();
            plain.write();
            receiver.recv().unwrap();
            flag.tell();
            std::mem::forget(receiver);
        });
        if flag.is_told() {
            sender.send(3).unwrap();
            plain.write();
        }
    });
}

/// A receive in vain tells nobody.
#[test]
fn wrong_receive_in_vain_before_a_send() {
    let (plain, flag, (sender, receiver)) = (Plain::new(), Flag::new(), sync_channel(1));
    thread::scope(|s| {
        let (plain, flag) = (&plain, &flag);
        s.spawn(move || {
            plain.write();
            // Not a fence either: what is told behind it is told by a store of its own.
            flag.tell();
            drop(receiver.try_recv());
            std::mem::forget(receiver);
        });
        if flag.is_told() {
            drop(sender.try_send(1));
            plain.write();
        }
    });
}

/// The return of a send without room for it comes behind its receive, and what it finds is told by std's mutex.
#[test]
fn right_rendezvous() {
    let (plain, (sender, receiver)) = (Plain::new(), sync_channel(0));
    thread::scope(|s| {
        let plain = &plain;
        s.spawn(move || {
            plain.write();
            receiver.recv().unwrap();
        });
        sender.send(1).unwrap();
        plain.write();
    });
}

#[test]
fn right_rendezvous_the_other_way() {
    let (plain, (sender, receiver)) = (Plain::new(), sync_channel(0));
    thread::scope(|s| {
        let plain = &plain;
        s.spawn(move || {
            plain.write();
            sender.send(1).unwrap();
        });
        receiver.recv().unwrap();
        plain.write();
    });
}

#[test]
fn right_end_of_the_senders() {
    let (plain, (sender, receiver)) = (Plain::new(), channel::<u32>());
    thread::scope(|s| {
        let (plain, other) = (&plain, sender.clone());
        s.spawn(move || {
            plain.write();
            drop(sender);
        });
        drop(other);
        receiver.recv().unwrap_err();
        plain.write();
    });
}

#[test]
fn right_end_of_the_receiver() {
    for bound in 0..2 {
        let (plain, (sender, receiver)) = (Plain::new(), sync_channel(bound));
        thread::scope(|s| {
            let plain = &plain;
            s.spawn(move || {
                plain.write();
                drop(receiver);
            });
            if sender.send(1).is_err() {
                plain.write();
            }
        });
    }
}

/// What is left in the channel is dropped by its receiver.
#[test]
fn right_messages_left() {
    struct Writes<'a>(&'a Plain);
    impl Drop for Writes<'_> {
        fn drop(&mut self) {
            self.0.write();
        }
    }
    let (plain, (sender, receiver)) = (Plain::new(), channel());
    thread::scope(|s| {
        let plain = &plain;
        s.spawn(move || {
            plain.write();
            drop(sender.send(Writes(plain)));
        });
        drop(receiver);
    });
}

/// A notify tells nothing: only the mutex does.
#[test]
fn wrong_notify_alone() {
    let (plain, ready, changed) = (Plain::new(), Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            *ready.lock().unwrap() = true;
            plain.write();
            changed.notify_one();
        });
        let ready = changed.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap();
        drop(ready);
        plain.write();
    });
}

/// A try in vain tells nothing of who holds the lock.
#[test]
fn wrong_try_in_vain() {
    let (plain, lock) = (Plain::new(), Mutex::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            plain.write();
            drop(lock.lock());
        });
        if lock.try_lock().is_err() {
            plain.write();
        }
    });
}

/// That a thread has finished is no order: only to join it is.
#[test]
fn wrong_finished_for_joined() {
    static PLAIN: Plain = Plain::new();
    let thread = thread::spawn(|| PLAIN.write());
    if thread.is_finished() {
        PLAIN.write();
    }
    thread.join().unwrap();
}

#[test]
fn right_joined() {
    static PLAIN: Plain = Plain::new();
    let thread = thread::spawn(|| PLAIN.write());
    thread.join().unwrap();
    PLAIN.write();
}

#[test]
fn right_unpark() {
    let (plain, flag) = (Plain::new(), Flag::new());
    thread::scope(|s| {
        let (plain, flag, here) = (&plain, &flag, thread::current());
        s.spawn(move || {
            plain.write();
            flag.tell();
            here.unpark();
        });
        thread::park();
        if flag.is_told() {
            plain.write();
        }
    });
}

/// Who parks behind the token's giver has its order, and who only sees the flag has not.
#[test]
fn wrong_flag_for_token() {
    let (plain, flag) = (Plain::new(), Flag::new());
    thread::scope(|s| {
        let (plain, flag, here) = (&plain, &flag, thread::current());
        s.spawn(move || {
            here.unpark();
            plain.write();
            flag.tell();
        });
        thread::park();
        if flag.is_told() {
            plain.write();
        }
    });
}

#[test]
fn right_once_lock() {
    let (plain, once) = (Plain::new(), OnceLock::new());
    thread::scope(|s| {
        s.spawn(|| {
            plain.write();
            drop(once.set(1));
        });
        if once.get().is_some() {
            plain.write();
        }
    });
}

/// Who comes too late to set it tells nobody.
#[test]
fn wrong_set_too_late() {
    let (plain, once) = (Plain::new(), OnceLock::new());
    once.set(0).unwrap();
    let flag = Flag::new();
    thread::scope(|s| {
        s.spawn(|| {
            plain.write();
            flag.tell();
            drop(once.set(1));
        });
        if flag.is_told() && once.get().is_some() {
            plain.write();
        }
    });
}
