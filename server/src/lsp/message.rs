//! One message of the editor: made such as tower-lsp reads, or turned into the error that answers it.

use serde_json::{Map, Value, json};
use tower_lsp::jsonrpc::ErrorCode;

/// The method of what stands for a message that is answered with an error.
pub const MALFORMED: &str = "raddle/malformed";

/// What a text is.
#[derive(Debug, PartialEq)]
pub enum Read {
    /// A message, which may be one that stands for a malformed one.
    Message(Value),
    /// Nothing that could be answered, and why.
    Dropped(String),
}

/// Stands for a malformed message with this id, which is answered with an error.
pub fn malformed(id: Value, code: ErrorCode, text: &str) -> Read {
    let params = json!({ "code": code.code(), "message": text });
    Read::Message(json!({ "jsonrpc": "2.0", "id": id, "method": MALFORMED, "params": params }))
}

/// Reads a text.
pub fn read(text: &[u8]) -> Read {
    let parsed = serde_json::from_slice(text).or_else(|e| match whole_characters(text) {
        Some(text) => serde_json::from_slice(&text),
        None => Err(e),
    });
    let invalid = |id, text: &str| malformed(id, ErrorCode::InvalidRequest, text);
    let mut fields = match parsed {
        Ok(Value::Object(fields)) => fields,
        Ok(Value::Array(_)) => return invalid(Value::Null, "several messages in one are not taken"),
        Ok(_) => return invalid(Value::Null, "a message is an object"),
        Err(e) => {
            return malformed(Value::Null, ErrorCode::ParseError, &format!("a text that is no JSON: {e}"));
        }
    };
    fields.insert("jsonrpc".to_string(), json!("2.0"));
    let id = match fields.remove("id").map(number_or_text) {
        Some(None) => return invalid(Value::Null, "an id is a whole number or a text"),
        Some(Some(id)) => Some(id),
        None => None,
    };
    if let Some(id) = &id {
        fields.insert("id".to_string(), id.clone());
    }
    let Some(method) = fields.get("method") else { return answer(fields, id) };
    let Some(method) = method.as_str().map(str::to_string) else {
        return invalid(id.unwrap_or_default(), "a method is a text");
    };
    // Some editors write null, or nothing in an object, for no parameters.
    let takes_none = method == "shutdown" || method == "exit";
    match fields.get("params") {
        None => {}
        Some(Value::Null) => drop(fields.remove("params")),
        Some(Value::Object(_) | Value::Array(_)) if takes_none => drop(fields.remove("params")),
        Some(Value::Object(_) | Value::Array(_)) => {}
        Some(_) => {
            let what = format!("{method}: the parameters are neither an object nor an array");
            return match id {
                Some(id) => malformed(id, ErrorCode::InvalidParams, &what),
                None => Read::Dropped(what),
            };
        }
    }
    match (id, wrong(&method, fields.get("params").unwrap_or(&Value::Null))) {
        (None, Some(what)) => Read::Dropped(format!("{method}: {what}")),
        _ => Read::Message(Value::Object(fields)),
    }
}

/// An id as it can be answered. Some write whole numbers as 1.0.
fn number_or_text(id: Value) -> Option<Value> {
    match &id {
        Value::String(_) | Value::Null => Some(id),
        Value::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(_), _) => Some(id),
            (None, Some(f)) if f.fract() == 0.0 && f.abs() < 9e15 => Some(json!(f as i64)),
            _ => None,
        },
        _ => None,
    }
}

/// An answer to one of our requests. What is none of either kind is answered, so that its sender hears of it.
fn answer(mut fields: Map<String, Value>, id: Option<Value>) -> Read {
    let error = fields.remove("error").filter(|error| !error.is_null());
    if error.is_none() && !fields.contains_key("result") {
        let text = "neither a request nor an answer: it has no method, no result and no error";
        return malformed(id.unwrap_or_default(), ErrorCode::InvalidRequest, text);
    }
    let Some(id) = id.filter(|id| !id.is_null()) else {
        return Read::Dropped("an answer that does not say to what".to_string());
    };
    match error {
        Some(error) => {
            let code = error["code"].as_i64().unwrap_or(ErrorCode::InternalError.code());
            let text = error["message"].as_str().unwrap_or("the editor refused");
            Read::Message(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } }))
        }
        None => Read::Message(Value::Object(fields)),
    }
}

/// What is wrong with the parameters of a notification, which nobody would be told otherwise.
fn wrong(method: &str, params: &Value) -> Option<&'static str> {
    let document = &params["textDocument"];
    let changes =
        || params["contentChanges"].as_array().is_some_and(|all| all.iter().all(|c| c["text"].is_string()));
    match method {
        "textDocument/didOpen"
        | "textDocument/didChange"
        | "textDocument/didSave"
        | "textDocument/didClose"
            if document["uri"].as_str().is_none_or(|uri| tower_lsp::lsp_types::Url::parse(uri).is_err()) =>
        {
            Some("the parameters name no document")
        }
        "textDocument/didOpen" if !document["text"].is_string() => Some("the document has no text"),
        "textDocument/didChange" if !changes() => Some("the parameters have no changes"),
        "window/workDoneProgress/cancel" if params["token"].is_null() => {
            Some("the parameters name no progress")
        }
        _ => None,
    }
}

/// A text in which halves of UTF-16 pairs that stand alone are replaced: editors that keep such texts write them so, and
/// serde_json takes none. `None` where there is nothing to replace.
fn whole_characters(text: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut whole, mut at, mut replaced) = (Vec::with_capacity(text.len()), 0, false);
    while at < text.len() {
        let length = match unit(at) {
            Some(0xd800..0xdc00) if unit(at + 6).is_some_and(|u| (0xdc00..0xe000).contains(&u)) => 12,
            Some(0xd800..0xe000) => {
                whole.extend_from_slice(b"\\ufffd");
                (at, replaced) = (at + 6, true);
                continue;
            }
            Some(_) => 6,
            // An escaped backslash is no beginning of another escape.
            None if text[at] == b'\\' => 2,
            None => 1,
        };
        let end = (at + length).min(text.len());
        whole.extend_from_slice(&text[at..end]);
        at = end;
    }
    replaced.then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a text: itself, an error with its id, or a reason to drop it.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match read(text.as_bytes()) {
            Read::Dropped(why) => format!("dropped: {why}"),
            Read::Message(m) if m["method"] == MALFORMED => {
                format!(
                    "{} to {}: {}",
                    m["params"]["code"],
                    m["id"],
                    m["params"]["message"].as_str().unwrap()
                )
            }
            Read::Message(m) => m.to_string(),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn what_is_malformed_is_answered() {
        let none =
            "-32600 to null: neither a request nor an answer: it has no method, no result and no error";
        check("{}", none);
        check(r#"{"id":3,"method":7}"#, "-32600 to 3: a method is a text");
        check("[]", "-32600 to null: several messages in one are not taken");
        check("7", "-32600 to null: a message is an object");
        check(r#"{"id":1.5,"method":"a"}"#, "-32600 to null: an id is a whole number or a text");
        check(r#"{"id":[],"method":"a"}"#, "-32600 to null: an id is a whole number or a text");
        check("{", "-32700 to null: a text that is no JSON: EOF while parsing an object at line 1 column 1");
        check(
            r#"{"id":"a","method":"b","params":5}"#,
            "-32602 to \"a\": b: the parameters are neither an object nor an array",
        );
        assert!(matches!(read(b"{\"method\":\"\xff\"}"), Read::Message(m) if m["params"]["code"] == -32700));
    }

    #[test]
    fn what_can_be_understood_is_made_such_as_is_read() {
        check(r#"{"id":2.0,"method":"a","params":null}"#, r#"{"id":2,"jsonrpc":"2.0","method":"a"}"#);
        check(
            r#"{"id":"x","method":"shutdown","params":{}}"#,
            r#"{"id":"x","jsonrpc":"2.0","method":"shutdown"}"#,
        );
        check(r#"{"id":1,"result":null,"error":null}"#, r#"{"id":1,"jsonrpc":"2.0","result":null}"#);
        check(
            r#"{"id":1,"error":"no"}"#,
            r#"{"error":{"code":-32603,"message":"the editor refused"},"id":1,"jsonrpc":"2.0"}"#,
        );
    }

    #[test]
    fn halves_of_pairs_are_replaced() {
        check(r#"{"method":"\ud83e a \uDD80"}"#, "{\"jsonrpc\":\"2.0\",\"method\":\"\u{fffd} a \u{fffd}\"}");
        check(r#"{"method":"\ud83e\udd80 \ud800"}"#, "{\"jsonrpc\":\"2.0\",\"method\":\"🦀 \u{fffd}\"}");
        check(r#"{"method":"\\ud800\ud800"}"#, "{\"jsonrpc\":\"2.0\",\"method\":\"\\\\ud800\u{fffd}\"}");
    }

    #[test]
    fn notifications_that_say_nothing_are_dropped() {
        check(
            r#"{"method":"a","params":5}"#,
            "dropped: a: the parameters are neither an object nor an array",
        );
        check(
            r#"{"method":"textDocument/didOpen","params":{}}"#,
            "dropped: textDocument/didOpen: the parameters name no document",
        );
        check(r#"{"result":5}"#, "dropped: an answer that does not say to what");
    }
}
