//! Which element of an array an object of C is, where the array lies in a struct on the heap, which member of its object a
//! function of C++ means by a bare name, and which bit-fields share their bytes.

use super::names::size;
use super::places::Places;
use raddle_instrumenter::index::Reach;
use raddle_schedule::Trace;
use raddle_schedule::memory::Block;
use std::path::PathBuf;

/// What a member function of C++ calls by its bare name: `count` for `this->count`. It is the only word in its line that is called so,
/// stands alone and has as many bytes as the access.
pub fn of_this(index: usize, trace: &Trace, places: &Places) -> Option<(String, PathBuf)> {
    let e = &trace.events[index];
    let code = places.channel.sites().get(e.site).filter(|s| s.place.is_none())?.address.wrapping_sub(1);
    let spot = places.spot(e.site).filter(|s| s.file.extension().is_some_and(|e| e != "c" && e != "rs"))?;
    let is = |expression: &str| places.symbols.type_of_expression(code, expression, size(e)).is_some();
    let line = places.sources.line(&spot.file, spot.line);
    let mut members: Vec<&str> = bare_words(&line).filter(|w| is(&format!("this->{w}")) && !is(w)).collect();
    members.sort_unstable();
    members.dedup();
    let [member] = members[..] else { return None };
    Some((member.to_string(), spot.file))
}

/// The atomic of C++'s library that a line works on, where the library does it and the line names one atomic only, be it a member,
/// a variable or what a lambda captured. Nothing where the expression that the source was read for is an atomic itself. `stack`:
/// return addresses.
pub fn only_atomic(
    (index, stack): (usize, &[u64]),
    written: Option<&str>,
    trace: &Trace,
    places: &Places,
) -> Option<(String, Reach, PathBuf)> {
    let e = &trace.events[index];
    if !e.kind().is_atomic() || !places.is_of_header(e.site) {
        return None;
    }
    let site = places.channel.sites().get(e.site).filter(|s| s.place.is_none())?.address;
    let is_users = |address: &u64| places.symbols.frames(address.wrapping_sub(1)).iter().any(|f| f.is_users);
    let code = std::iter::once(site).chain(stack.iter().copied()).find(is_users)?.wrapping_sub(1);
    let spot = places.spot(e.site).or_else(|| places.stack_spot(stack))?;
    let line = places.sources.line(&spot.file, spot.line);
    let is = |expression: String| places.symbols.is_atomic(code, &expression);
    let reach = |word: &str| match () {
        () if is(word.to_string()) => Some(Reach::Local),
        () if is(format!("this->{word}")) => Some(Reach::Field),
        () if is(format!("this->__{word}")) => Some(Reach::Local),
        () => None,
    };
    let mut atomics: Vec<(&str, Reach)> = bare_words(&line).filter_map(|w| Some((w, reach(w)?))).collect();
    atomics.sort_unstable_by_key(|(word, _)| *word);
    atomics.dedup_by_key(|(word, _)| *word);
    let [(word, word_reach)] = atomics[..] else { return None };
    let is_other = written.is_some_and(|name| name != word && reach(name).is_some());
    (!is_other).then(|| (word.to_string(), word_reach, spot.file))
}

/// The words of a line that are no part of a longer expression: not `n` of `q->n`.
fn bare_words(line: &str) -> impl Iterator<Item = &str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = line.split(move |c| !in_word(c)).filter(|w| w.starts_with(|c: char| !c.is_ascii_digit()));
    words.filter(move |word| {
        let before = line[..word.as_ptr() as usize - line.as_ptr() as usize].trim_end();
        !before.ends_with('.') && !before.ends_with("->") && !before.ends_with("::")
    })
}

/// An element of an array that lies in a struct on C's heap, by its index: `b->accounts[1].lock` of
/// `b->accounts[to].lock`. The struct is the whole block, so the pointer points to its beginning.
pub fn name(expression: &str, index: usize, trace: &Trace, places: &Places) -> Option<String> {
    let (pointer, rest) = expression.split_once("->").filter(|(_, rest)| rest.contains('['))?;
    let e = &trace.events[index];
    let code = places.channel.sites().get(e.site).filter(|s| s.place.is_none())?.address;
    let holds = |b: &&Block| b.address <= e.object() && e.object() < b.address + b.size;
    let mut before = trace.memory.blocks.iter().rev().filter(|b| b.event as usize <= index);
    let block = before.find(holds)?;
    let part = (e.object() - block.address, size(e));
    let path = places.symbols.member_of(code.wrapping_sub(1), pointer, block.size, part)?;
    // Of the same shape, or it is something else that lies there.
    let shape = |text: &str| text.split(['[', ']']).step_by(2).collect::<String>();
    (shape(&path) == shape(rest)).then(|| format!("{pointer}->{path}"))
}

/// The bit-fields that an access touches, where the source names one of them: `c->open/dirty` of `c->dirty`.
pub fn with_its_neighbours(expression: &str, index: usize, trace: &Trace, places: &Places) -> Option<String> {
    let around = &expression[..=expression.rfind(['.', '>'])?];
    let e = &trace.events[index];
    let code = places.channel.sites().get(e.site).filter(|s| s.place.is_none() && size(e) > 0)?.address;
    let typed = places.symbols.type_of_expression(code.wrapping_sub(1), expression, size(e))?;
    Some(format!("{around}{}", typed.bit_fields(size(e))?))
}

#[cfg(test)]
mod tests {
    use super::bare_words;

    #[test]
    fn words_that_stand_alone() {
        let words = |line| bare_words(line).collect::<Vec<_>>();
        assert_eq!(words("if (n > q->count && count < 3)"), ["if", "n", "q", "count"]);
        assert_eq!(words("std::size a . b"), ["std", "a"]);
    }
}
