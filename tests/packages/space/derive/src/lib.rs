//! An attribute that makes tests, with state of its own behind a lock: in the compiler, with the real std.
use proc_macro::{TokenStream, TokenTree};
use std::sync::Mutex;

static MADE: Mutex<u32> = Mutex::new(0);

/// Two tests of one function: it is called with 0 and with 1.
#[proc_macro_attribute]
pub fn twice(_: TokenStream, item: TokenStream) -> TokenStream {
    *MADE.lock().unwrap() += 1;
    let mut tokens = item.clone().into_iter();
    let name = loop {
        match tokens.next() {
            Some(TokenTree::Ident(word)) if word.to_string() == "fn" => match tokens.next() {
                Some(TokenTree::Ident(name)) => break name.to_string(),
                _ => panic!("a function has a name"),
            },
            Some(_) => {}
            None => panic!("not a function"),
        }
    };
    let made = std::thread::spawn(move || {
        let case = |n: u32| format!("#[test] fn {name}_{n}() {{ {name}({n}); }}");
        case(0) + &case(1)
    });
    let made: TokenStream = made.join().unwrap().parse().unwrap();
    let mut all = item;
    all.extend(made);
    all
}

/// `main`-like attributes: the body of an async function on a little executor of the user's crate.
#[proc_macro_attribute]
pub fn waits(_: TokenStream, item: TokenStream) -> TokenStream {
    let text = item.to_string();
    let text = text.replacen("async fn", "#[::core::prelude::v1::test] fn", 1);
    let open = text.find('{').unwrap();
    let (head, body) = text.split_at(open);
    format!("{head} {{ crate::block_on(async {body}) }}").parse().unwrap()
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs_beside_the_compiler() {}
}
