//! The words of the command line, which `raddle gui` fills in. By hand they may be left out.

use std::ffi::OsString;
use std::path::PathBuf;

/// What the window was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The workspace's root.
    pub root: PathBuf,
    /// The target whose tests are offered.
    pub target: Option<String>,
    /// The `raddle` that hosts are started with.
    pub raddle: PathBuf,
    /// Which build of Raddle this belongs to.
    pub build: String,
    /// Dark or light whatever the system says.
    pub theme: Option<egui::Theme>,
}

/// What there is to know, in a few lines.
pub const USAGE: &str = "\
The window of Raddle; `raddle gui [TARGET]` starts it.

Usage: raddle-gui [--root FOLDER] [--target TARGET] [--raddle PROGRAM] [--build ID] [--theme dark|light]";

/// What to do instead of opening a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Help was asked for.
    Help,
    /// This is wrong.
    Wrong(String),
}

impl Arguments {
    /// From the words after the program's name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, Refusal> {
        let mut arguments = Arguments {
            root: PathBuf::from("."),
            target: None,
            raddle: beside("raddle"),
            build: env!("CARGO_PKG_VERSION").to_string(),
            theme: None,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let name = word.to_string_lossy().into_owned();
            if name == "--help" || name == "-h" {
                return Err(Refusal::Help);
            }
            let value = words.next().ok_or_else(|| Refusal::Wrong(format!("{name} needs a value")));
            arguments.set(&name, value)?;
        }
        Ok(arguments)
    }

    fn set(&mut self, name: &str, value: Result<OsString, Refusal>) -> Result<(), Refusal> {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        match name {
            "--root" => self.root = value?.into(),
            "--target" => self.target = Some(text(value?)),
            "--raddle" => self.raddle = value?.into(),
            "--build" => self.build = text(value?),
            "--theme" => self.theme = Some(theme(&text(value?))?),
            _ => return Err(Refusal::Wrong(format!("unknown argument {name}"))),
        }
        Ok(())
    }
}

fn theme(name: &str) -> Result<egui::Theme, Refusal> {
    match name {
        "dark" => Ok(egui::Theme::Dark),
        "light" => Ok(egui::Theme::Light),
        _ => Err(Refusal::Wrong(format!("--theme is dark or light, not {name}"))),
    }
}

/// The program of this name in this program's folder, or the one in PATH.
fn beside(name: &str) -> PathBuf {
    let here = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(name)));
    here.filter(|p| p.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, Refusal> {
        Arguments::parse(words.iter().map(OsString::from))
    }

    #[test]
    fn words_become_arguments() {
        let words = ["--root", "/w", "--target", "a.c", "--raddle", "/r", "--build", "b", "--theme", "light"];
        let all = parse(&words).expect("they are right");
        assert_eq!((all.root, all.raddle), (PathBuf::from("/w"), PathBuf::from("/r")));
        assert_eq!((all.target.as_deref(), all.build.as_str()), (Some("a.c"), "b"));
        assert_eq!(all.theme, Some(egui::Theme::Light));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |words: &[&str]| match parse(words) {
            Err(Refusal::Wrong(why)) => why,
            other => panic!("{words:?} gave {other:?}"),
        };
        assert_eq!(wrong(&["--root"]), "--root needs a value");
        assert_eq!(wrong(&["--colour", "x"]), "unknown argument --colour");
        assert_eq!(wrong(&["--theme", "pink"]), "--theme is dark or light, not pink");
        assert_eq!(parse(&["--help"]), Err(Refusal::Help));
    }
}
