//! What goes between the window and the thread that speaks with the host: commands out, news in.
//! Nothing here waits; the answer to a command is news like any other.

use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{
    Focus, NearestPassing, SaveResult, SessionState, SteerParams, SteerResult, TestsResult, Then,
};

/// What a person asks for, on its way to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Connect, starting a host where there is none.
    Connect,
    /// End a host of another build, then connect.
    RestartHost,
    /// The tests, functions and variables of the target.
    Tests {
        /// The target.
        target: String,
    },
    /// Explore one test, by its whole name.
    Explore {
        /// The target.
        target: String,
        /// The test.
        test: String,
    },
    /// Let a search stand still.
    Pause(u32),
    /// Let it go on.
    Resume(u32),
    /// End it.
    Stop(u32),
    /// Prioritise these, and nothing else.
    Focus {
        /// Functions.
        methods: Vec<String>,
        /// Variables.
        variables: Vec<String>,
    },
    /// Fetch an execution.
    Trace {
        /// The session whose test is meant.
        session: u32,
        /// Which execution.
        schedule: String,
    },
    /// Show this everywhere.
    Show {
        /// The session.
        session: u32,
        /// The execution.
        schedule: String,
        /// The selected event.
        event: u32,
    },
    /// A choice made by hand.
    Steer {
        /// The session.
        session: u32,
        /// The execution up to the choice.
        prefix: String,
        /// The step of the choice.
        step: u32,
        /// The choice, as schedules write it.
        choice: String,
        /// Stop there, or search below.
        then: Then,
    },
    /// Look for the execution that passes and is nearest to this one.
    NearestPassing {
        /// The session.
        session: u32,
        /// The failing schedule.
        schedule: String,
    },
    /// Keep a schedule.
    Save {
        /// The session.
        session: u32,
        /// The schedule.
        schedule: String,
    },
    /// Read a source file.
    ReadSource {
        /// Its absolute path.
        file: String,
    },
}

impl Command {
    /// As the request's parameters, for a choice.
    pub fn steer_params(session: u32, prefix: String, step: u32, choice: String, then: Then) -> SteerParams {
        SteerParams { version: Default::default(), session, prefix, step, choice, then }
    }
}

/// What has become known.
#[derive(Clone, Debug)]
pub enum News {
    /// There is a host.
    Connected {
        /// Its sessions.
        sessions: Vec<SessionState>,
        /// What it prioritises.
        focus: Focus,
    },
    /// There is none.
    NotConnected {
        /// Why.
        why: String,
        /// It is there, and of another build.
        other_build: bool,
    },
    /// It has gone.
    Closed,
    /// A session as it stands.
    Session(Box<SessionState>),
    /// What is prioritised.
    Focused(Focus),
    /// The target's tests, or why they cannot be had.
    Tests(Result<Box<TestsResult>, String>),
    /// A session was begun here.
    Explored(u32),
    /// An execution that was asked for.
    Trace {
        /// The session.
        session: u32,
        /// The schedule that was asked for.
        schedule: String,
        /// The execution, or why it cannot be had.
        answer: Result<Box<Interleaving>, String>,
    },
    /// Answer to [`Command::Show`].
    Shown(Result<Box<SessionState>, String>),
    /// Answer to [`Command::Steer`].
    Steered(Result<SteerResult, String>),
    /// Answer to [`Command::NearestPassing`].
    Nearest {
        /// The session.
        session: u32,
        /// The failing schedule.
        schedule: String,
        /// What was found, or why nothing can be.
        answer: Result<Box<NearestPassing>, String>,
    },
    /// Answer to [`Command::Save`].
    Saved(Result<SaveResult, String>),
    /// A source file.
    Source {
        /// Its path.
        file: String,
        /// Its text, or why it cannot be read.
        text: Result<String, String>,
    },
    /// Something else that was asked for did not work.
    Refused(String),
}
