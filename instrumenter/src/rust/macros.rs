//! Macros: the arguments of those of std that take expressions, the items in `cfg_if!`, and
//! functions in the bodies of `macro_rules!`. What any other macro is given stays as it is: it may
//! care about every token. Those of std that print what they were given as it is written (`assert!`
//! without a message, `dbg!`) keep it that way: what stands in them has no points of its own.
//!
//! The body of a rule is not Rust yet, so it is edited token by token: `fn name … (…) … {body}`,
//! where the name may be a fragment `$name`, and no variable before it may turn out to be `const`
//! or `async`. What a rule passes on to another macro is left alone.

use super::functions::{Form, Walk};
use super::signatures::literal;
use super::{awaits, unmarked};
use crate::instrument::Marked;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Expr, Token};

/// Macros whose arguments are expressions separated by commas.
const OF_EXPRESSIONS: [&str; 23] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
    // Others that behave like them.
    "assert_matches",
    "matches",
    "ready",
];

/// Is it one of these, which only evaluate what they are given?
pub(super) fn is_of_expressions(mac: &syn::Macro) -> bool {
    let is_braced = matches!(mac.delimiter, syn::MacroDelimiter::Brace(_));
    !is_braced && mac.path.segments.last().is_some_and(|s| OF_EXPRESSIONS.iter().any(|name| s.ident == name))
}

fn asserts(name: &str) -> bool {
    name == "assert" || name == "debug_assert"
}

/// Tokens in one line, without a comma at the end.
fn words(tokens: &TokenStream) -> String {
    tokens.to_string().trim_end_matches([',', ' ', '\n']).replace('\n', " ")
}

/// The expressions in a call of a macro of [`OF_EXPRESSIONS`], which are edited. `None` where an async body may await something else
/// in it.
pub(super) fn awaiting(mac: &syn::Macro) -> Option<Vec<Expr>> {
    let name = mac.path.segments.last()?.ident.to_string();
    let Arguments { expressions, rest } = syn::parse2(mac.tokens.clone()).ok()?;
    let is_written_out = expressions.len() > 1 || !asserts(&name) || words(&mac.tokens).is_ascii();
    (is_of_expressions(mac) && is_written_out && !awaits::stand_in(&rest)).then_some(expressions)
}

impl Walk<'_> {
    /// A call of a macro, wherever it stands.
    pub(super) fn macro_call(&mut self, mac: &syn::Macro) {
        let Some(name) = mac.path.segments.last().map(|s| s.ident.to_string()) else { return };
        if name == "macro_rules" {
            return;
        }
        if name == "cfg_if" {
            return self.branches(&mac.tokens);
        }
        if !OF_EXPRESSIONS.contains(&name.as_str()) {
            self.done.unmarked |= name == "include" || unmarked::in_tokens(&mac.tokens);
            return;
        }
        if let Ok(Arguments { expressions, .. }) = syn::parse2(mac.tokens.clone()) {
            // Without a message, the condition's tokens are the message.
            match &expressions[..] {
                [condition] if asserts(&name) && awaits::stand_in(&mac.tokens) => {
                    self.awaiting_assertion(condition, &mac.tokens);
                }
                [_] if asserts(&name) => {
                    self.done.unmarked |= unmarked::in_expressions(&expressions);
                    return;
                }
                _ => expressions.iter().for_each(|e| self.visit_expr(e)),
            }
        }
        self.done.unmarked |= unmarked::in_rest(&mac.tokens);
    }

    /// A condition that awaits has to be edited: then the message is written out, as it is without.
    fn awaiting_assertion(&mut self, condition: &Expr, tokens: &TokenStream) {
        self.visit_expr(condition);
        // Its spaces are part of the message.
        let one_line = |text: &String| text.is_ascii() && !text.contains(['\n', '\r']);
        let text = condition.span().source_text().filter(one_line).unwrap_or_else(|| words(tokens));
        let message = format!(", \"{{}}\", {}::raddle_asserted!({text})", self.facade);
        let end = self.to(condition.span());
        self.edits().insert(end, message);
    }

    /// `if #[cfg(…)] { items } else { items }`, in a function with statements.
    fn branches(&mut self, tokens: &TokenStream) {
        for tree in tokens.clone() {
            let TokenTree::Group(group) = tree else { continue };
            if group.delimiter() != Delimiter::Brace {
                continue;
            }
            if let Ok(file) = syn::parse2::<syn::File>(group.stream()) {
                self.visit_file(&file);
            } else if let Ok(statements) = syn::Block::parse_within.parse2(group.stream()) {
                statements.iter().for_each(|s| self.visit_stmt(s));
            } else {
                self.done.unmarked |= unmarked::in_tokens(&group.stream());
            }
        }
    }

    /// The rules of a `macro_rules!`: `(matcher) => {body};` and so on.
    pub(super) fn rules(&mut self, tokens: &TokenStream) {
        let mut matcher = None;
        for tree in tokens.clone() {
            let TokenTree::Group(group) = tree else { continue };
            match matcher.take() {
                None => matcher = Some(group),
                Some(m) => {
                    self.done.unmarked |= unmarked::in_rule(&group.stream());
                    self.rule_body(&group, &m);
                }
            }
        }
    }

    /// Functions among these tokens, and in the groups among them.
    fn rule_body(&mut self, body: &Group, matcher: &Group) {
        let trees: Vec<TokenTree> = body.stream().into_iter().collect();
        let mut marked = None;
        for (i, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Ident(id) if id == "fn" => {
                    let found = function(&trees, i, matcher);
                    self.done.unmarked |= found.is_none() && !unmarked::is_parameters(trees.get(i + 1));
                    marked = found.or(marked);
                }
                TokenTree::Group(group) if !is_argument(&trees[..i]) => {
                    let own = marked.take_if(|(at, _)| *at == i);
                    self.rule_group(group, matcher, own.map(|(_, name)| name));
                }
                TokenTree::Group(group) => {
                    self.done.unmarked |= unmarked::in_tokens(&group.stream());
                }
                _ => {}
            }
        }
    }

    fn rule_group(&mut self, group: &Group, matcher: &Group, function: Option<Name>) {
        let Some(name) = function else { return self.rule_body(group, matcher) };
        let at = self.to(group.span_open());
        self.open(name.form, at, &name.argument);
        let line = group.span_open().start().line as u32;
        self.done.marked.push(Marked { name: name.shown.clone(), line });
        self.rule_body(group, matcher);
        let end = self.from(group.span_close());
        self.close(name.form, end);
    }
}

/// A function's name in a rule.
struct Name {
    /// For the marker: a literal, or a fragment.
    argument: String,
    /// For the record.
    shown: String,
    /// How its marker stands.
    form: Form,
}

/// The function whose `fn` stands at `at`: the place of its body among the trees, and its name. `None`
/// where it has no body here, or may be const or async.
fn function(trees: &[TokenTree], at: usize, matcher: &Group) -> Option<(usize, Name)> {
    if !is_plain(&trees[..at], matcher) {
        return None;
    }
    let (mut name, mut next) = match &trees.get(at + 1)? {
        TokenTree::Ident(id) => {
            let shown = id.to_string();
            (Name { argument: literal(&shown), shown, form: Form::Match }, at + 2)
        }
        TokenTree::Punct(p) if p.as_char() == '$' => {
            let TokenTree::Ident(id) = trees.get(at + 2)? else { return None };
            // A fragment of another kind does not stand for one name.
            if fragment(matcher.stream(), &id.to_string())? != "ident" {
                return None;
            }
            let shown = format!("${id}");
            (Name { argument: format!("\"\" {shown}"), shown, form: Form::Match }, at + 3)
        }
        _ => return None,
    };
    let mut has_parameters = false;
    while let Some(tree) = trees.get(next) {
        match tree {
            TokenTree::Punct(p) if p.as_char() == ';' => return None,
            TokenTree::Ident(id) if id == "fn" && !has_parameters => return None,
            TokenTree::Ident(id) if id == "impl" => name.form = Form::Let,
            TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis => has_parameters = true,
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => {
                let in_type = matches!(&trees[next - 1], TokenTree::Punct(p) if "<,=".contains(p.as_char()));
                // Attributes of the function that stand in it stay before everything else.
                let attributes = matches!(g.stream().into_iter().next(),
                    Some(TokenTree::Punct(p)) if p.as_char() == '#');
                if !in_type {
                    return (has_parameters && !attributes).then_some((next, name));
                }
            }
            _ => {}
        }
        next += 1;
    }
    None
}

/// Can nothing of what stands before a `fn` make it const or async?
fn is_plain(before: &[TokenTree], matcher: &Group) -> bool {
    let mut rest = before;
    loop {
        rest = match rest {
            [front @ .., TokenTree::Punct(p), TokenTree::Ident(id)] if p.as_char() == '$' => {
                match fragment(matcher.stream(), &id.to_string()).as_deref() {
                    Some("vis") => front,
                    Some("meta" | "block" | "item" | "stmt" | "expr" | "ident" | "ty" | "path") => {
                        // A whole thing that ended before, or an identifier that may be anything.
                        return fragment(matcher.stream(), &id.to_string()).as_deref() != Some("ident");
                    }
                    _ => return false,
                }
            }
            [front @ .., TokenTree::Ident(id)] if id == "unsafe" || id == "extern" || id == "pub" => front,
            [front @ .., TokenTree::Literal(_)] => front,
            // `pub(crate)`
            [front @ .., TokenTree::Ident(id), TokenTree::Group(g)]
                if id == "pub" && g.delimiter() == Delimiter::Parenthesis =>
            {
                front
            }
            [.., TokenTree::Ident(_)] => return false,
            // The end of a repetition: attributes, or something that may be `const`.
            [.., TokenTree::Punct(p), TokenTree::Group(g), TokenTree::Punct(_)] if p.as_char() == '$' => {
                return starts_with_hash(g);
            }
            _ => return true,
        };
    }
}

fn starts_with_hash(group: &Group) -> bool {
    matches!(group.stream().into_iter().next(), Some(TokenTree::Punct(p)) if p.as_char() == '#')
}

/// The kind of the fragment `$name:kind` in a matcher.
fn fragment(matcher: TokenStream, name: &str) -> Option<String> {
    let trees: Vec<TokenTree> = matcher.into_iter().collect();
    for (i, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(g) => {
                if let Some(kind) = fragment(g.stream(), name) {
                    return Some(kind);
                }
            }
            TokenTree::Punct(p) if p.as_char() == '$' => {
                if let [TokenTree::Ident(id), TokenTree::Punct(colon), TokenTree::Ident(kind), ..] =
                    &trees[i + 1..]
                    && id == name
                    && colon.as_char() == ':'
                {
                    return Some(kind.to_string());
                }
            }
            _ => {}
        }
    }
    None
}

/// Is the group that follows these tokens what another macro is given?
fn is_argument(before: &[TokenTree]) -> bool {
    let is_bang = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == '!');
    match before {
        [.., TokenTree::Ident(_), bang] if is_bang(bang) => true,
        // `macro_rules! name {…}`
        [.., TokenTree::Ident(_), bang, TokenTree::Ident(_)] if is_bang(bang) => true,
        _ => false,
    }
}

/// Expressions separated by commas, or `value; count`. What follows the first expressions and is none
/// (the pattern of `matches!`) is not looked at.
struct Arguments {
    expressions: Vec<Expr>,
    rest: TokenStream,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut expressions = Vec::new();
        while !input.is_empty() {
            let Ok(e) = input.parse() else { break };
            expressions.push(e);
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else {
                break;
            }
        }
        Ok(Arguments { expressions, rest: input.parse()? })
    }
}
