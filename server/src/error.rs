//! What a person is told when something cannot be done.

use std::path::Path;

/// One message: what happened (naming file or test), why, and what to do next.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Error {
    /// What could not be done, naming the file, test or option.
    pub what: String,
    /// Why; may have several lines (a compiler's own messages).
    pub cause: Option<String>,
    /// What to do about it.
    pub next: Option<String>,
}

/// Results of everything that a person asked for.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// With nothing but what happened.
    pub fn new(what: impl Into<String>) -> Self {
        Error { what: what.into(), cause: None, next: None }
    }

    /// Adds why.
    pub fn because(mut self, cause: impl ToString) -> Self {
        self.cause = Some(cause.to_string().trim_end().to_string()).filter(|c| !c.is_empty());
        self
    }

    /// Adds what to do.
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// A failed operation on a file.
    pub fn file(doing: &str, path: &Path, e: &std::io::Error) -> Self {
        Error::new(format!("cannot {doing} {}", path.display())).because(e)
    }

    /// The text for standard error.
    pub fn render(&self) -> String {
        let mut text = format!("error: {}\n", self.what);
        if let Some(cause) = &self.cause {
            if cause.contains('\n') {
                text += &format!("{cause}\n");
            } else {
                text += &format!("  cause: {cause}\n");
            }
        }
        if let Some(next) = &self.next {
            text += &format!("  next: {next}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rendered_with_file_cause_and_next_step() {
        let e = std::io::Error::from(std::io::ErrorKind::NotFound);
        let e = Error::file("read", Path::new("a.c"), &e).next("give a file that exists");
        assert_eq!(
            e.render(),
            "error: cannot read a.c\n  cause: entity not found\n  next: give a file that exists\n"
        );
    }
}
