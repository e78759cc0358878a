//! The editor's types: `vscode-extension/src/protocol.ts` is written from the types of this crate,
//! and this test compares. `UPDATE_EXPECT=1 cargo test -p raddle-protocol` writes it anew.

use crate::explanation::*;
use crate::interleaving::*;
use crate::report::{Estimate, Location, Verdict};
use crate::session::*;
use expect_test::expect_file;
use ts_rs::{Config, TS};

/// One declaration a line, with what the type is for.
fn declaration<T: TS>(config: &Config, text: &mut String) {
    let docs = T::docs().unwrap_or_default();
    text.push('\n');
    text.push_str(docs.trim_start());
    if !docs.is_empty() && !docs.ends_with('\n') {
        text.push('\n');
    }
    text.push_str("export ");
    text.push_str(&T::decl(config));
    text.push('\n');
}

macro_rules! declarations {
    ($($name:ty),* $(,)?) => {{
        // Counts stay far below 2^53; values of the program are text for that reason.
        let config = Config::new().with_large_int("number");
        let mut text = String::from(
            "// Written from the types in protocol/: UPDATE_EXPECT=1 cargo test -p raddle-protocol\n",
        );
        $(declaration::<$name>(&config, &mut text);)*
        text
    }};
}

#[test]
fn the_editor_has_the_same_types() {
    let text = declarations![
        Version,
        Empty,
        Location,
        Verdict,
        Hello,
        HelloResult,
        TestsParams,
        TestsResult,
        TestItem,
        MethodItem,
        VariableItem,
        TestInFile,
        ExploreParams,
        ExploreResult,
        SessionParams,
        FocusParams,
        Focus,
        SchedulesParams,
        SchedulesResult,
        StoredSchedule,
        TraceParams,
        Then,
        ExplainParams,
        NearestPassing,
        Explanation,
        Value,
        Mistake,
        Section,
        Deciding,
        Order,
        Choice,
        Operation,
        SteerParams,
        SteerResult,
        ShowParams,
        SaveParams,
        SaveResult,
        SessionsResult,
        State,
        Severity,
        Problem,
        SessionState,
        Counts,
        BoundState,
        Estimate,
        CoveragePoint,
        FocusState,
        Shown,
        SessionFailure,
        Related,
        Interleaving,
        Lane,
        Step,
        Preempted,
        Pending,
    ];
    expect_file!["../../vscode-extension/src/protocol.ts"].assert_eq(&text);
}
