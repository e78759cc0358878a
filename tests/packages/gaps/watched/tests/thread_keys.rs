//! A thread-specific key of libc's.

extern "C" {
    fn pthread_key_create(key: *mut u32, destructor: Option<extern "C" fn(*mut u8)>) -> i32;
}

#[test]
fn thread_keys() {
    let mut key = 0;
    assert_eq!(unsafe { pthread_key_create(&mut key, None) }, 0);
}
