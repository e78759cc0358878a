//! The compiler's errors (`--error-format=json`), as far as they say which files they are about.

use serde_json::Value;

/// The files in which the compiler found errors, with the first message about each; also those that
/// its notes name, if asked for.
pub(super) fn errors(stderr: &[u8], with_notes: bool) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in String::from_utf8_lossy(stderr).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        if !message["level"].as_str().is_some_and(|level| level.starts_with("error")) {
            continue;
        }
        let text = message["message"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
        let mut files = Vec::new();
        files_of(&message, with_notes, &mut files);
        for file in files {
            if !found.iter().any(|(f, _)| *f == file) {
                found.push((file, text.to_string()));
            }
        }
    }
    found
}

/// What the compiler said, without its messages to people: cargo goes by the others (`artifact`).
pub(super) fn without_warnings(stderr: &[u8]) -> Vec<u8> {
    let is_message = |line: &&[u8]| {
        let message = serde_json::from_slice::<Value>(line);
        message.is_ok_and(|m| m.get("level").is_some() && m.get("message").is_some())
    };
    stderr
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| !is_message(line))
        .flatten()
        .copied()
        .collect()
}

/// The files of a message's places and of the macros that led there.
fn files_of(message: &Value, with_notes: bool, files: &mut Vec<String>) {
    for span in message["spans"].as_array().into_iter().flatten() {
        let mut span = span;
        while let Some(file) =
            span["file_name"].as_str().filter(|_| with_notes || span["is_primary"] != false)
        {
            files.push(file.to_string());
            span = &span["expansion"]["span"];
        }
    }
    if with_notes {
        for child in message["children"].as_array().into_iter().flatten() {
            files_of(child, true, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_goes_by_stays() {
        let artifact = b"{\"$message_type\":\"artifact\",\"artifact\":\"x\"}\n";
        let warning = b"{\"message\":\"unused\",\"level\":\"warning\",\"spans\":[]}\n";
        let other = b"said by a wrapper";
        let said = [&artifact[..], warning, artifact, other].concat();
        assert_eq!(without_warnings(&said), [&artifact[..], artifact, other].concat());
    }

    #[test]
    fn errors_name_their_files() {
        let stderr = br#"{"$message_type":"artifact","artifact":"x"}
{"message":"unused","level":"warning","spans":[{"file_name":"w.rs","expansion":null}],"children":[]}
{"message":"mismatched types\nmore","level":"error","spans":[{"file_name":"a.rs","is_primary":true,"expansion":{"span":{"file_name":"b.rs","is_primary":false,"expansion":null}}}],"children":[{"message":"note","level":"note","spans":[{"file_name":"c.rs","expansion":null}],"children":[]}]}
{"message":"aborting","level":"error","spans":[],"children":[]}
not a message"#;
        let check = |with_notes, files: &[&str]| {
            let expected: Vec<_> =
                files.iter().map(|f| (f.to_string(), "mismatched types".to_string())).collect();
            assert_eq!(errors(stderr, with_notes), expected);
        };
        check(false, &["a.rs"]);
        check(true, &["a.rs", "b.rs", "c.rs"]);
    }
}
