//! How a schedule file is laid out: one difference, one operation, one stretch in a line, so that people and version
//! control read it line by line. That is JSON, pretty down to these, which are the objects three levels down and deeper.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};
use std::string::String;
use std::vec::Vec;

/// Objects from this depth on stand in one line.
const DEPTH: usize = 3;

/// As text.
pub fn layout(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let format = Layout { pretty: PrettyFormatter::new(), depth: 0, line: None };
    // Into memory, of strings and numbers only: this cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut text, format));
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

struct Layout<'a> {
    pretty: PrettyFormatter<'a>,
    /// Objects and arrays around.
    depth: usize,
    /// Of these, the outermost that stands in one line.
    line: Option<usize>,
}

impl Layout<'_> {
    fn is_deep(&self) -> bool {
        self.line.is_some()
    }

    /// Out of an object or array.
    fn leave(&mut self) {
        self.line = self.line.filter(|line| *line < self.depth);
        self.depth -= 1;
    }
}

/// The same method of the one formatter or of the other.
macro_rules! either {
    ($self:ident, $method:ident($($argument:expr),*)) => {
        if $self.is_deep() {
            CompactFormatter.$method($($argument),*)
        } else {
            $self.pretty.$method($($argument),*)
        }
    };
}

impl Formatter for Layout<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        either!(self, begin_array(writer))
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let done = either!(self, end_array(writer));
        self.leave();
        done
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        either!(self, begin_array_value(writer, first))
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        either!(self, end_array_value(writer))
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.depth >= DEPTH {
            self.line.get_or_insert(self.depth);
        }
        either!(self, begin_object(writer))
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let done = either!(self, end_object(writer));
        self.leave();
        done
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        either!(self, begin_object_key(writer, first))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        either!(self, begin_object_value(writer))
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        either!(self, end_object_value(writer))
    }
}
