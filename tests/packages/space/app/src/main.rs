//! A program, with a test of its own.
fn main() {
    println!("{}", app::sum_of(3));
}

#[cfg(test)]
mod tests {
    #[test]
    fn of_the_program() {
        assert_eq!(app::sum_of(1), 0);
    }
}
