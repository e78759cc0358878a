//! gdb's machine interface, as text: records and the values in them (gdb manual, "GDB/MI Output
//! Syntax"). What cannot be read is told apart, never guessed.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `"text"`.
    Text(String),
    /// `{name="text"}`.
    Tuple(Fields),
    /// `["text"]`, or `[name="text"]`: names are empty where there are none.
    List(Fields),
}

/// Named values, in gdb's order; names may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<(String, Value)>);

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `^`: the answer to a command.
    Result,
    /// `*`: the program stopped or runs.
    Exec,
    /// `=` and `+`: other news.
    Notify,
    /// `~`, `@` and `&`: text for a terminal.
    Stream,
}

/// One line of gdb's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the command that it answers.
    pub token: Option<u64>,
    /// What it is.
    pub kind: Kind,
    /// `done`, `error`, `stopped`, …; the text of a stream.
    pub class: String,
    /// What it says.
    pub fields: Fields,
}

impl Fields {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The text of this name; empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// The number of this name.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name).parse().ok()
    }

    /// The fields of a tuple of this name.
    pub fn tuple(&self, name: &str) -> Option<&Fields> {
        self.get(name).and_then(Value::fields)
    }

    /// The tuples in a list of this name.
    pub fn tuples(&self, name: &str) -> impl Iterator<Item = &Fields> {
        let list = self.get(name).and_then(Value::fields);
        list.into_iter().flat_map(|l| &l.0).filter_map(|(_, v)| v.fields())
    }
}

impl Value {
    fn fields(&self) -> Option<&Fields> {
        match self {
            Value::Tuple(fields) | Value::List(fields) => Some(fields),
            Value::Text(_) => None,
        }
    }
}

/// Reads one line; `None` for the prompt and for what is not MI.
pub fn parse(line: &[u8]) -> Option<Record> {
    let mut text = Reader(line.trim_ascii_end());
    let token = text.digits();
    let kind = match text.next()? {
        b'^' => Kind::Result,
        b'*' => Kind::Exec,
        b'=' | b'+' => Kind::Notify,
        b'~' | b'@' | b'&' => {
            let class = text.quoted()?;
            return Some(Record { token, kind: Kind::Stream, class, fields: Fields::default() });
        }
        _ => return None,
    };
    let class = text.name()?;
    let mut fields = Fields::default();
    while text.eat(b',') {
        fields.0.push(text.field()?);
    }
    text.0.is_empty().then_some(Record { token, kind, class, fields })
}

/// Deepest nesting that is read: recursion takes stack.
const DEEPEST: u32 = 200;

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.0.first() == Some(&byte);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> &[u8] {
        let n = self.0.iter().position(|b| !wanted(*b)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        taken
    }

    fn digits(&mut self) -> Option<u64> {
        std::str::from_utf8(self.take(|b| b.is_ascii_digit())).ok()?.parse().ok()
    }

    fn name(&mut self) -> Option<String> {
        let name = self.take(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
    }

    fn field(&mut self) -> Option<(String, Value)> {
        self.field_within(0)
    }

    fn field_within(&mut self, depth: u32) -> Option<(String, Value)> {
        let name = self.name()?;
        self.eat(b'=').then_some(())?;
        Some((name, self.value(depth)?))
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match self.0.first()? {
            b'"' => self.quoted().map(Value::Text),
            b'{' => self.several(b'}', depth).map(Value::Tuple),
            b'[' => self.several(b']', depth).map(Value::List),
            _ => None,
        }
    }

    /// What stands between brackets.
    fn several(&mut self, end: u8, depth: u32) -> Option<Fields> {
        self.next()?;
        let mut fields = Fields::default();
        if self.eat(end) {
            return Some(fields);
        }
        loop {
            fields.0.push(match self.0.first()? {
                b'"' | b'{' | b'[' => (String::new(), self.value(depth + 1)?),
                _ => self.field_within(depth + 1)?,
            });
            if self.eat(end) {
                return Some(fields);
            }
            self.eat(b',').then_some(())?;
        }
    }

    /// A string of C. gdb escapes bytes, so that the text is known only at its end.
    fn quoted(&mut self) -> Option<String> {
        self.eat(b'"').then_some(())?;
        let mut bytes = Vec::new();
        loop {
            match self.next()? {
                b'"' => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                b'\\' => bytes.push(self.escaped()?),
                byte => bytes.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> Option<u8> {
        Some(match self.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    match self.0.first() {
                        Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                        _ => break,
                    }
                    self.next();
                }
                value as u8
            }
            other => other,
        })
    }
}

/// A text as an argument of a command.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += "\\n",
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests;
