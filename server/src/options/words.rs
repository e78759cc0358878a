//! The words of an option list: those that were typed, and those that a client of the host says.

use super::{explore, unbuilt};
use crate::error::{Error, Result};
use clap::FromArgMatches;
use clap::parser::ValueSource;

/// The options that were typed, each in one word.
pub fn typed_options(command: &clap::Command, matches: &clap::ArgMatches) -> Vec<String> {
    let mut typed = Vec::new();
    for arg in command.get_arguments().filter(|a| !["attach", "color"].contains(&a.get_id().as_str())) {
        let (id, Some(long)) = (arg.get_id().as_str(), arg.get_long()) else { continue };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        match arg.get_action().takes_values() {
            false => typed.push(format!("--{long}")),
            true => {
                let values = matches.get_raw(id).into_iter().flatten();
                typed.extend(values.map(|v| format!("--{long}={}", v.to_string_lossy())));
            }
        }
    }
    typed
}

/// Words of the command line of `raddle explore`, said to the host, of which a search may be led.
pub fn explore_args(words: Vec<String>) -> Result<explore::Args> {
    let command = <explore::Args as clap::Args>::augment_args(clap::Command::new("raddle explore"));
    let words = ["raddle explore".to_string()].into_iter().chain(words);
    let parsed = command.clone().try_get_matches_from(words).and_then(|matches| {
        Ok((explore::Args::from_arg_matches(&matches)?, typed_options(&command, &matches)))
    });
    match parsed {
        Ok((args, _)) if args.attach => {
            Err(Error::new("--attach is for the command line").next("leave it out: this is the host"))
        }
        Ok((args, _)) if args.ci.is_on() => {
            Err(Error::new("--ci is for the command line").next("leave it out: this is the host"))
        }
        Ok((args, _)) if !args.files.named().is_empty() => {
            let option = args.files.named()[0].0;
            Err(Error::new(format!("{option} is for the command line"))
                .next("leave it out: this is the host"))
        }
        Ok((args, typed)) => {
            let args = args.configured(&typed)?.led();
            args.check().map(|()| args)
        }
        Err(e) if unbuilt::named(&e).is_some() => {
            let name = unbuilt::named(&e).unwrap_or_default();
            Err(Error::new(format!("`{name}` is not built yet")))
        }
        Err(e) => {
            let text = e.to_string();
            let what = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            Err(Error::new(what.trim()).next("see `raddle explore --help`"))
        }
    }
}
