//! What lenses and diagnostics carry as parameters of requests: a client that has no commands of its own may send either
//! as it is. What only an extension needs (where the test ends, its document) is left out.

use raddle_protocol::session::method;
use serde_json::{Map, Value, json};
use tower_lsp::lsp_types::Url;

/// The parameters of a request of the host.
pub fn of_request(method: &str, params: Value) -> Value {
    let Value::Object(mut fields) = params else { return params };
    match method {
        method::EXPLORE => explore(&mut fields),
        method::STOP | method::PAUSE | method::RESUME => drop(fields.remove("end")),
        _ => {}
    }
    Value::Object(fields)
}

/// The test is known by its name; only a name without a file is a whole one.
fn explore(fields: &mut Map<String, Value>) {
    fields.remove("end");
    let uri = fields.remove("uri");
    let Some(test) = fields.remove("test") else { return };
    let of_uri = || Url::parse(uri.as_ref()?.as_str()?).ok()?.to_file_path().ok();
    let file = fields.get("at").and_then(|at| at.get("file")).cloned().or_else(|| of_uri().map(|f| json!(f)));
    match file {
        Some(file) => drop(fields.entry("in_file").or_insert(json!({ "file": file, "test": test }))),
        None => {
            fields.entry("tests").or_insert(json!([test]));
            fields.entry("exact").or_insert(json!(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(method: &str, given: Value, expected: Value) {
        assert_eq!(of_request(method, given), expected);
    }

    #[test]
    fn lenses_arguments_are_requests() {
        let at = json!({ "file": "/w/a.rs", "line": 3, "column": 1 });
        let lens = json!({ "target": "/w", "at": at, "uri": "file:///w/a.rs", "end": 7, "test": "t::a", "label": "t::a" });
        let in_file = json!({ "file": "/w/a.rs", "test": "t::a" });
        check(
            method::EXPLORE,
            lens,
            json!({ "target": "/w", "at": at, "in_file": in_file, "label": "t::a" }),
        );
        let by_uri = json!({ "target": "/w", "uri": "file:///w/a.rs", "test": "t::a" });
        check(method::EXPLORE, by_uri, json!({ "target": "/w", "in_file": in_file }));
        let whole = json!({ "target": "/w", "test": "t::a" });
        check(method::EXPLORE, whole, json!({ "target": "/w", "tests": ["t::a"], "exact": true }));
        check(method::STOP, json!({ "session": 4, "end": 7 }), json!({ "session": 4 }));
        check(method::TRACE, json!({ "end": 7 }), json!({ "end": 7 }));
        check(method::EXPLORE, json!(null), json!(null));
    }
}
