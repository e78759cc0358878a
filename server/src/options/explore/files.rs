//! The reports of a run that go into files: `--sarif`, `--junit` and `--html`.

use crate::error::{Error, Result};
use crate::report::run_report::RunReport;
use crate::report::{files, html, junit, sarif};
use std::path::{Path, PathBuf};

/// Where they go.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Files {
    /// Write what was found as SARIF 2.1.0, with each failing execution as thread flows, for code hosts
    #[arg(long, value_name = "FILE", conflicts_with = "attach")]
    sarif: Option<PathBuf>,
    /// Write what became of each test as JUnit XML, for CI servers. A search that a limit or Ctrl-C ended (exit 3)
    /// is an error of type `incomplete`
    #[arg(long, value_name = "FILE", conflicts_with = "attach")]
    junit: Option<PathBuf>,
    /// Write a page with each failing execution as a picture; it needs no network and no other file
    #[arg(long, value_name = "FILE", conflicts_with = "attach")]
    html: Option<PathBuf>,
}

impl Files {
    /// Options that were given, with their files.
    pub fn named(&self) -> Vec<(&'static str, &Path)> {
        let all = [("--sarif", &self.sarif), ("--junit", &self.junit), ("--html", &self.html)];
        all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
    }

    /// Refuses what cannot be written, before anything takes time.
    pub fn check(&self) -> Result<()> {
        let named = self.named();
        for (at, (option, path)) in named.iter().enumerate() {
            if let Some((other, _)) = named[..at].iter().find(|(_, other)| files::same(other, path)) {
                let what = format!("{other} and {option} name the same file, {}", path.display());
                return Err(Error::new(what).next("give each report a file of its own"));
            }
            files::check(option, path)?;
        }
        Ok(())
    }

    /// Writes them. One that fails does not keep the others from being written.
    pub fn write(&self, whole: &RunReport) -> Result<()> {
        let one = |(option, path): (&'static str, &Path)| {
            let text = match option {
                "--sarif" => sarif::text(whole),
                "--junit" => {
                    junit::text(whole).map_err(|e| Error::new("cannot make the JUnit report").because(e))?
                }
                _ => html::text(whole),
            };
            files::write(option, path, &text)
        };
        let done: Vec<Result<()>> = self.named().into_iter().map(one).collect();
        done.into_iter().collect()
    }
}
