//! Loops that wait for another thread's write, in all the forms that programs give them.
