//! What of a Cargo package is built and how, as `cargo test` spells it.

use crate::error::{Error, Result};
use clap::Parser;
use raddle_instrumenter::rust::cargo::Kind;

/// Options of Cargo packages.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Cargo packages, as for `cargo test`")]
pub struct CargoOptions {
    /// Only these members of the workspace
    #[arg(short, long, value_name = "SPEC")]
    package: Vec<String>,
    /// All members of the workspace
    #[arg(long)]
    workspace: bool,
    /// All but these members
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    exclude: Vec<String>,
    /// Features to activate
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// All features
    #[arg(long)]
    all_features: bool,
    /// Without the feature `default`
    #[arg(long)]
    no_default_features: bool,
    /// With optimisations
    #[arg(short, long, conflicts_with = "profile")]
    release: bool,
    /// With this profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Only the library's unit tests
    #[arg(long)]
    lib: bool,
    /// Only this program: its unit tests, or what it does itself where it has none
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,
    /// Only the unit tests of all programs
    #[arg(long)]
    bins: bool,
    /// Only this example: its tests, or what it does itself where it has none
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,
    /// Only the tests of all examples
    #[arg(long)]
    examples: bool,
    /// Only this integration test
    #[arg(long = "test", id = "test-target", value_name = "NAME")]
    test: Vec<String>,
    /// Only targets that have `test = true`
    #[arg(long = "tests", id = "test-targets")]
    tests: bool,
    /// Only this benchmark
    #[arg(long, value_name = "NAME")]
    bench: Vec<String>,
    /// Only benchmarks
    #[arg(long)]
    benches: bool,
    /// Every target
    #[arg(long)]
    all_targets: bool,
    /// Without a change of Cargo.lock
    #[arg(long)]
    locked: bool,
    /// Without the network
    #[arg(long)]
    offline: bool,
    /// With --locked and --offline
    #[arg(long)]
    frozen: bool,
    /// Plain accesses to memory are watched in every dependency, also in the published crates that are audited
    #[arg(long)]
    watch_all: bool,
}

impl CargoOptions {
    /// Are there tests of the package or workspace that are not asked for?
    pub fn is_narrowed(&self) -> bool {
        let lists = [&self.package, &self.exclude, &self.bin, &self.example, &self.test, &self.bench];
        let kinds = [self.lib, self.bins, self.examples, self.tests, self.benches];
        lists.iter().any(|list| !list.is_empty()) || kinds.contains(&true)
    }

    /// From words of a command line.
    pub fn read(words: &[String]) -> Result<CargoOptions> {
        #[derive(clap::Parser)]
        #[command(no_binary_name = true)]
        struct Line {
            #[command(flatten)]
            cargo: CargoOptions,
        }
        Line::try_parse_from(words).map(|line| line.cargo).map_err(|e| {
            let text = e.to_string();
            let what = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            Error::new(format!("options of cargo: {}", what.trim()))
        })
    }

    /// As a command line of ours has them.
    pub fn words(&self) -> Vec<String> {
        let own = self.watch_all.then(|| "--watch-all".to_string());
        self.words_of_cargo().into_iter().chain(own).collect()
    }

    /// Are audited crates watched too?
    pub fn watches_all(&self) -> bool {
        self.watch_all
    }

    /// As cargo takes them.
    pub fn words_of_cargo(&self) -> Vec<String> {
        let flags = [
            ("--workspace", self.workspace),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
            ("--lib", self.lib),
            ("--bins", self.bins),
            ("--examples", self.examples),
            ("--tests", self.tests),
            ("--benches", self.benches),
            ("--all-targets", self.all_targets),
            ("--locked", self.locked),
            ("--offline", self.offline),
            ("--frozen", self.frozen),
        ];
        let profile: Vec<String> = self.profile.iter().cloned().collect();
        let values = [
            ("--package", &self.package),
            ("--exclude", &self.exclude),
            ("--features", &self.features),
            ("--profile", &profile),
            ("--bin", &self.bin),
            ("--example", &self.example),
            ("--test", &self.test),
            ("--bench", &self.bench),
        ];
        let flags = flags.iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_string());
        let values = values.iter().flat_map(|(o, values)| values.iter().map(move |v| format!("{o}={v}")));
        flags.chain(values).collect()
    }

    /// Is this program or example named, so that it is meant as it is where it has no test?
    pub fn names(&self, kind: Kind, name: &str) -> bool {
        match kind {
            Kind::Bin => self.bin.iter().any(|n| n == name),
            Kind::Example => self.example.iter().any(|n| n == name),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_read_as_they_are_said() {
        let said =
            "--workspace --release --package=a --exclude=b --features=x,y --features=z --test=it --watch-all";
        let words: Vec<String> = said.split(' ').map(str::to_string).collect();
        let read = CargoOptions::read(&words).unwrap();
        assert_eq!(read.words(), words);
        assert_eq!(read.words_of_cargo(), words[..words.len() - 1]);
        let short = ["-p", "a", "-F", "x", "-r"].map(str::to_string);
        assert_eq!(CargoOptions::read(&short).unwrap().words(), ["--release", "--package=a", "--features=x"]);
        let wrong = CargoOptions::read(&["--doc".into()]).unwrap_err().render();
        assert!(wrong.contains("--doc"), "{wrong}");
    }

    #[test]
    fn only_what_is_named_is_run_as_it_is() {
        let read = CargoOptions::read(&["--example=shown".into(), "--bins".into()]).unwrap();
        assert!(read.names(Kind::Example, "shown"));
        assert!(!read.names(Kind::Bin, "shown") && !read.names(Kind::Example, "other"));
    }
}
