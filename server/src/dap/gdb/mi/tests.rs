//! What gdb says is read back, and what is damaged does no harm.

use super::*;
use std::fmt::Write;

fn text(s: &str) -> Value {
    Value::Text(s.to_string())
}

#[test]
fn what_gdb_says() {
    let line = br#"12*stopped,reason="breakpoint-hit",bkptno="2",frame={addr="0x0",args=[{name="x",value="\"a\\n\303\274\""}]},stopped-threads=["1","2"],thread-id="3""#;
    let record = parse(line).unwrap();
    assert_eq!((record.token, record.kind, &*record.class), (Some(12), Kind::Exec, "stopped"));
    assert_eq!(record.fields.number("thread-id"), Some(3));
    let argument = record.fields.tuple("frame").unwrap().tuples("args").next().unwrap();
    assert_eq!(argument.text("value"), "\"a\\nü\"");
    assert_eq!(
        record.fields.get("stopped-threads"),
        Some(&Value::List(Fields(vec![(String::new(), text("1")), (String::new(), text("2"))])))
    );
    assert_eq!(parse(b"~\"hello\\n\"\n").unwrap().class, "hello\n");
    assert_eq!(parse(b"^done\r\n").unwrap().fields, Fields::default());
}

#[test]
fn what_is_not_mi() {
    let lines: [&[u8]; 8] = [
        b"(gdb) ",
        b"",
        b"12",
        b"^done,",
        b"^done,x=",
        b"^done,x={\"a\"",
        b"^done,x=\"a",
        b"program's output",
    ];
    for line in lines {
        assert_eq!(parse(line), None, "{:?}", String::from_utf8_lossy(line));
    }
    let deep = format!("^done,x={}", "[".repeat(100_000));
    assert_eq!(parse(deep.as_bytes()), None);
}

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn text(&mut self) -> String {
        const LETTERS: &[char] = &['a', '"', '\\', '\n', '\t', 'ü', '€', '{', '}', '=', ',', '7', '\u{1}'];
        let length = self.below(6);
        (0..length).map(|_| LETTERS[self.below(LETTERS.len() as u64) as usize]).collect()
    }

    fn value(&mut self, depth: u32) -> Value {
        let kinds = if depth > 3 { 1 } else { 4 };
        let kind = self.below(kinds);
        let length = self.below(4);
        let mut fields = |named: bool| {
            let name = |r: &mut Random| if named { format!("n-{}_", r.below(9)) } else { String::new() };
            Fields((0..length).map(|_| (name(self), self.value(depth + 1))).collect())
        };
        match kind {
            0 => Value::Text(self.text()),
            1 => Value::Tuple(fields(true)),
            2 => Value::List(fields(true)),
            _ => Value::List(fields(false)),
        }
    }
}

/// As gdb writes it: bytes that are not plain in octal.
fn write(value: &Value, out: &mut String) {
    let several = |fields: &Fields, out: &mut String| {
        for (i, (name, value)) in fields.0.iter().enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            if !name.is_empty() {
                write!(out, "{name}=").unwrap();
            }
            write(value, out);
        }
    };
    match value {
        Value::Text(text) => {
            out.push('"');
            for b in text.bytes() {
                match b {
                    b'"' | b'\\' => write!(out, "\\{}", b as char).unwrap(),
                    b'\n' => out.push_str("\\n"),
                    b' '..=b'~' => out.push(b as char),
                    b => write!(out, "\\{b:03o}").unwrap(),
                }
            }
            out.push('"');
        }
        Value::Tuple(fields) => {
            out.push('{');
            several(fields, out);
            out.push('}');
        }
        Value::List(fields) => {
            out.push('[');
            several(fields, out);
            out.push(']');
        }
    }
}

#[test]
fn random_values_come_back() {
    let mut random = Random(1);
    for n in 0..2000 {
        let value = random.value(0);
        let mut line = format!("{n}^done,v=");
        write(&value, &mut line);
        let record = parse(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
        assert_eq!(record.token, Some(n));
        assert_eq!(record.fields.get("v"), Some(&value), "{line}");
    }
}

#[test]
fn damaged_lines_are_no_trouble() {
    let mut random = Random(2);
    for _ in 0..2000 {
        let mut line = String::from("1*stopped,v=");
        write(&random.value(0), &mut line);
        let mut bytes = line.into_bytes();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.below(256) as u8;
        bytes.truncate(bytes.len() - random.below(3) as usize);
        // It must not panic; whether it can be read is chance.
        let _ = parse(&bytes);
    }
}

#[test]
fn arguments_are_quoted() {
    assert_eq!(quote(r#"a "b" \c"#), r#""a \"b\" \\c""#);
}
