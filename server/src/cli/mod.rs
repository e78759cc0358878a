//! The command line: one file per subcommand. What interface.md promises but is not built yet is
//! refused by name ([`unbuilt`]), never ignored.

mod attach;
pub mod cc;
mod clean;
mod completions;
mod config;
mod dap;
mod doctor;
mod explain;
mod explore;
mod gui;
mod host;
mod init;
mod list;
mod lsp;
mod replay;
mod replay_all;
mod schedules;
mod show;
mod watch;

use crate::error::{Error, Result};
use crate::exit_status as status;
use crate::options::{self, typed_options, unbuilt};
use crate::terminal::paint;
use clap::{CommandFactory, Parser, Subcommand};
use raddle_instrumenter::c::Language;
use std::ffi::OsString;

/// Explores the thread interleavings of ordinary Rust, C and C++ tests.
#[derive(Parser)]
#[command(name = "raddle", version, max_term_width = 100, after_help = EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    color: paint::Choice,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  raddle                                          the tests of the current folder
  raddle explore queue.c                          every interleaving of a C program, fewest preemptions first
  raddle explore . transfers --bound preemptions=2   tests of a Cargo package whose names contain `transfers`
  raddle replay queue.c queue sync@7:T2#3f2a      run one schedule again
  make CC='raddle cc' && raddle explore ./prog    a program with a build of its own

Exit status: 0 passed within the stated guarantee, 1 a failure was found, 2 an error,
3 a limit or Ctrl-C ended the search before its goal.";

#[derive(Subcommand)]
enum Command {
    /// Explore the interleavings of tests
    Explore(Box<options::explore::Args>),
    /// Explore again whenever a source file is saved
    Watch(Box<watch::Args>),
    /// Run one schedule of a test, or all that are stored
    Replay(replay::Args),
    /// Say why a schedule of a test fails
    Explain(explain::Args),
    /// List, keep and prune stored schedules
    Schedules(schedules::Args),
    /// List the tests of a target and where they are
    List(list::Args),
    /// Show what is inserted into a source file, as a diff
    Show(show::Args),
    /// Serve an editor as a language server
    Lsp(lsp::Args),
    /// Compile and link C like `cc`, for exploring
    #[command(disable_help_flag = true)]
    Cc {
        /// The compiler's own arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        args: Vec<OsString>,
    },
    /// Compile and link C++ like `c++`, for exploring
    #[command(name = "c++", disable_help_flag = true)]
    Cpp {
        /// The compiler's own arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        args: Vec<OsString>,
    },
    /// Keep the searches of a workspace for its editors and windows
    Host(host::Args),
    /// Serve a debugger's front end: the Debug Adapter Protocol on standard input and output
    Dap(dap::Args),
    /// Open the explorer window
    Gui(gui::Args),
    /// Print the options that hold for a target, and where each was set
    Config(Box<config::Args>),
    /// Write a raddle.toml for a folder
    Init(init::Args),
    /// Say what is missing on this machine, and what each thing is for
    Doctor(doctor::Args),
    /// Empty the cache folder
    Clean,
    /// Print completions for a shell
    Completions(completions::Args),
    /// Print the manual page
    Man,
}

/// What is printed where Ctrl-C ends a build.
pub const INTERRUPTED: &str = "raddle: interrupted while building; no test was explored";

/// Runs the command line; the exit status.
pub fn run(args: Vec<OsString>) -> u8 {
    // Before any parsing: everything after it belongs to the compiler.
    for (name, language) in [("cc", Language::C), ("c++", Language::Cpp)] {
        if args.get(1).is_some_and(|a| a == name) {
            return finish(cc::run(language, &args[2..]));
        }
    }
    // `raddle` alone explores the current folder.
    let given = if args.len() <= 1 { ["raddle", "explore"].map(OsString::from).to_vec() } else { args };
    let cli = match Cli::try_parse_from(&given) {
        Ok(cli) => cli,
        Err(e) => return refuse(&e),
    };
    paint::Paint::choose(cli.color);
    let mut command = cli.command;
    match &mut command {
        Command::Explore(args) => args.merge(),
        Command::Watch(args) => args.merge(),
        Command::List(args) => args.merge(),
        Command::Config(args) => args.explore.merge(),
        _ => {}
    }
    finish(match command {
        // The host reads the settings files.
        Command::Explore(args) if args.attach => attach::run(&args, typed(&given, "explore")),
        Command::Explore(args) => {
            args.configured(&typed(&given, "explore")).and_then(|args| explore::run(&args))
        }
        Command::Watch(args) => args.configured(&typed(&given, "watch")).and_then(|args| watch::run(&args)),
        Command::Replay(args) => replay::run(args, &typed(&given, "replay")),
        Command::Explain(args) => explain::run(&args, &typed(&given, "explain")),
        Command::Config(args) => config::run(*args, &typed(&given, "config")),
        Command::Schedules(args) => schedules::run(&args),
        Command::List(args) => list::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Cc { args } => cc::run(Language::C, &args),
        Command::Cpp { args } => cc::run(Language::Cpp, &args),
        Command::Host(args) => host::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::Gui(args) => gui::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Clean => clean::run(),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man => completions::manual(Cli::command()),
    })
}

/// The exit status; an error is said first.
pub fn finish(done: Result<u8>) -> u8 {
    done.unwrap_or_else(|e| {
        eprint!("{}", e.render());
        status::ERROR
    })
}

/// The options of a subcommand that were typed, each in one word.
fn typed(words: &[OsString], subcommand: &str) -> Vec<String> {
    let mut command = Cli::command();
    let Ok(matches) = command.try_get_matches_from_mut(words) else { return Vec::new() };
    match (command.find_subcommand(subcommand), matches.subcommand_matches(subcommand)) {
        (Some(command), Some(matches)) => typed_options(command, matches),
        _ => Vec::new(),
    }
}

fn refuse(e: &clap::Error) -> u8 {
    if let Some(name) = unbuilt::named(e) {
        let next = "see `raddle --help` and `raddle explore --help` for what there is";
        eprint!("{}", Error::new(format!("`{name}` is not built yet")).next(next).render());
        return status::ERROR;
    }
    // clap's own output: help and version to standard output with 0, errors to standard error with 2.
    let _ = e.print();
    if e.use_stderr() { status::ERROR } else { status::PASSED }
}

/// Prints to standard output; a closed pipe ends the output, not the command.
pub fn out(text: &str) -> Result<()> {
    use std::io::{ErrorKind, Write};
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::new("cannot write the report").because(e)),
        _ => Ok(()),
    }
}
