//! Births and joins in different threads are independent.
