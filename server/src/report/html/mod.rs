//! The HTML report: one file that needs nothing else. For each test its verdict and what holds, for each
//! failure the interleaving as a picture ([`picture`]), why it fails, the source at what decides ([`source`])
//! and how to see it again.
//!
//! Everything that a program, a file or a name says is escaped by the templates (maud), and made visible
//! before that ([`crate::terminal::clean`]). The page's policy allows its own style and its own script, by their
//! digests, and nothing else: no address, no font, no image from anywhere. Without the script all of it is there.

mod failure;
mod marks;
mod page;
mod picture;
mod source;

pub use page::text;

/// What a test is called in addresses within the page.
fn anchor(test: usize) -> String {
    format!("test-{test}")
}

#[cfg(test)]
mod tests;
