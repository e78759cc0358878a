//! The part of CMake's language that names programs: variables, lists, conditions on the system, loops and functions.

use super::super::BUILD;
use super::super::words::{Call, calls};
use crate::target::fits;
use std::collections::BTreeMap;
use std::path::Path;

/// Most calls that are followed, those of loops and functions again each time.
const MOST: usize = 20_000;
/// Longest text that is worked out.
const LONGEST: usize = 1 << 16;
/// Deepest nesting of folders, loops and functions.
const DEEPEST: usize = 40;

/// Conditions that hold on the system that Raddle explores on, and those that do not.
const HOLD: [&str; 5] = ["UNIX", "LINUX", "TRUE", "ON", "PROJECT_IS_TOP_LEVEL"];
const FAIL: [&str; 10] =
    ["WIN32", "MSVC", "APPLE", "MINGW", "ANDROID", "CYGWIN", "IOS", "EMSCRIPTEN", "FALSE", "OFF"];

/// An executable.
#[derive(Debug)]
pub struct Program {
    /// The name of its target.
    pub target: String,
    /// The folder that it is put into, and its name there.
    pub folder: String,
    pub file: String,
}

/// What a project's files say.
#[derive(Debug, Default)]
pub struct Interpreter {
    /// In their order. A `$` is left in what is not known.
    pub programs: Vec<Program>,
    /// Words of `add_test` and the like.
    pub tested: Vec<String>,
    functions: BTreeMap<String, Function>,
    done: usize,
    deep: usize,
}

#[derive(Clone, Debug)]
struct Function {
    parameters: Vec<String>,
    body: Vec<Call>,
    /// Its variables are those of its caller.
    is_macro: bool,
}

/// Variables by name. The items of a list are separated by semicolons.
type Variables = BTreeMap<String, String>;

impl Interpreter {
    /// Reads the project of a folder.
    pub fn read(folder: &Path) -> Interpreter {
        let mut all = Interpreter::default();
        let (source, binary) = (folder.display().to_string(), folder.join(BUILD).display().to_string());
        let mut variables = Variables::new();
        for (name, value) in [("CMAKE_SOURCE_DIR", &source), ("CMAKE_BINARY_DIR", &binary)] {
            variables.insert(name.into(), value.clone());
        }
        all.folder(variables, source, binary);
        all
    }

    fn folder(&mut self, mut variables: Variables, source: String, binary: String) {
        let path = Path::new(&source).join("CMakeLists.txt");
        let Ok(text) = std::fs::read_to_string(path) else { return };
        variables.insert("CMAKE_CURRENT_SOURCE_DIR".into(), source.clone());
        variables.insert("CMAKE_CURRENT_LIST_DIR".into(), source);
        variables.insert("CMAKE_CURRENT_BINARY_DIR".into(), binary);
        self.run(&calls(&text), &mut variables);
    }

    fn run(&mut self, calls: &[Call], variables: &mut Variables) {
        self.deep += 1;
        let mut at = 0;
        while let Some(call) = calls.get(at).filter(|_| self.done < MOST && self.deep < DEEPEST) {
            self.done += 1;
            let end = match call.name.as_str() {
                "if" => self.condition(&calls[at..], variables),
                "foreach" | "while" | "function" | "macro" => self.block(&calls[at..], variables),
                _ => 0,
            };
            if end == 0 {
                self.call(call, variables);
            }
            at += end + 1;
        }
        self.deep -= 1;
    }

    /// Runs the branches that may be taken; where the condition ends.
    fn condition(&mut self, calls: &[Call], variables: &mut Variables) -> usize {
        let end = end_of(calls, "if", "endif");
        let mut heads = vec![0];
        let mut depth = 0;
        for (at, call) in calls[..end].iter().enumerate() {
            match call.name.as_str() {
                "if" => depth += 1,
                "endif" => depth -= 1,
                "else" | "elseif" if depth == 1 => heads.push(at),
                _ => {}
            }
        }
        heads.push(end);
        for pair in heads.windows(2) {
            let holds = match &calls[pair[0]] {
                Call { name, .. } if name == "else" => Some(true),
                Call { words, .. } => holds(words, variables),
            };
            if holds != Some(false) {
                self.run(&calls[pair[0] + 1..pair[1]], variables);
            }
            if holds == Some(true) {
                break;
            }
        }
        end
    }

    /// Runs a loop, or keeps a function; where it ends.
    fn block(&mut self, calls: &[Call], variables: &mut Variables) -> usize {
        let Call { name, words } = &calls[0];
        let end = end_of(calls, name, &format!("end{name}"));
        let body = &calls[1..end.max(1)];
        match (name.as_str(), words.split_first()) {
            ("foreach", Some((variable, items))) => {
                for item in self.items(items, variables) {
                    variables.insert(variable.clone(), item);
                    self.run(body, variables);
                }
                variables.remove(variable);
            }
            ("function" | "macro", Some((called, parameters))) => {
                let function = Function {
                    parameters: parameters.to_vec(),
                    body: body.to_vec(),
                    is_macro: name == "macro",
                };
                self.functions.insert(called.to_lowercase(), function);
            }
            _ => {}
        }
        end
    }

    /// What a loop goes through.
    fn items(&self, words: &[String], variables: &Variables) -> Vec<String> {
        let words = expanded(words, variables);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match &words[..] {
            ["IN", "LISTS", names @ ..] => {
                let names = names.iter().filter(|name| **name != "ITEMS");
                let lists = names.filter_map(|name| variables.get(*name));
                lists.flat_map(|list| items(list)).collect()
            }
            ["RANGE", ends @ ..] => {
                let ends: Vec<usize> = ends.iter().filter_map(|end| end.parse().ok()).collect();
                match ends[..] {
                    [last] => (0..=last).take(MOST).map(|n| n.to_string()).collect(),
                    [first, last] => (first..=last).take(MOST).map(|n| n.to_string()).collect(),
                    _ => Vec::new(),
                }
            }
            ["IN", "ITEMS", rest @ ..] | rest => rest.iter().map(|item| item.to_string()).collect(),
        }
    }

    fn call(&mut self, call: &Call, variables: &mut Variables) {
        let words = expanded(&call.words, variables);
        let Some((first, rest)) = words.split_first() else { return };
        let has = |word: &str| words.iter().any(|w| w == word);
        let get = |name: &str| variables.get(name).cloned();
        match call.name.as_str() {
            "project" => {
                variables.entry("CMAKE_PROJECT_NAME".into()).or_insert(first.clone());
                for (name, of) in [
                    ("PROJECT_SOURCE_DIR", "CMAKE_CURRENT_SOURCE_DIR"),
                    ("PROJECT_BINARY_DIR", "CMAKE_CURRENT_BINARY_DIR"),
                ] {
                    let folder = variables.get(of).cloned().unwrap_or_default();
                    variables.insert(name.into(), folder);
                }
                variables.insert("PROJECT_NAME".into(), first.clone());
            }
            "set" => {
                let values: Vec<&str> = rest
                    .iter()
                    .map(String::as_str)
                    .take_while(|w| !["CACHE", "PARENT_SCOPE"].contains(w))
                    .collect();
                if !has("CACHE") || get(first).is_none() {
                    variables.insert(first.clone(), values.join(";"));
                }
            }
            "option" => {
                let value = rest.get(1).map_or("OFF", String::as_str);
                variables.entry(first.clone()).or_insert(value.to_string());
            }
            "list" if first == "APPEND" && !rest.is_empty() => {
                let list = variables.entry(rest[0].clone()).or_default();
                let all = [list.clone(), rest[1..].join(";")];
                *list = all.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(";");
            }
            "get_filename_component" if rest.len() >= 2 => {
                let file = rest[0].rsplit('/').next().unwrap_or_default();
                let end = match rest[1].as_str() {
                    "NAME_WE" => file.find('.'),
                    "NAME_WLE" => file.rfind('.'),
                    "NAME" => None,
                    _ => return,
                };
                variables.insert(first.clone(), file[..end.unwrap_or(file.len())].to_string());
            }
            "string" if first == "REPLACE" && rest.len() >= 4 => {
                let text = rest[3..].join(";").replace(&rest[0], &rest[1]);
                variables.insert(rest[2].clone(), text);
            }
            "file" if first.starts_with("GLOB") && !rest.is_empty() => {
                let folder = get("CMAKE_CURRENT_SOURCE_DIR").unwrap_or_default();
                let files = rest[1..].iter().filter(|w| w.contains('*')).flat_map(|p| glob(&folder, p));
                variables.insert(rest[0].clone(), files.collect::<Vec<_>>().join(";"));
            }
            "add_subdirectory" if !has("EXCLUDE_FROM_ALL") && !first.contains(['$']) => {
                let (Some(source), Some(binary)) =
                    (get("CMAKE_CURRENT_SOURCE_DIR"), get("CMAKE_CURRENT_BINARY_DIR"))
                else {
                    return;
                };
                let below = within(&source, first);
                let built = rest.first().map_or_else(|| within(&binary, first), |name| within(&binary, name));
                if !below.contains("..") && self.deep < DEEPEST {
                    self.folder(variables.clone(), below, built);
                }
            }
            "add_executable" if !["IMPORTED", "ALIAS", "EXCLUDE_FROM_ALL"].into_iter().any(has) => {
                let binary = get("CMAKE_CURRENT_BINARY_DIR").unwrap_or_default();
                let put = get("CMAKE_RUNTIME_OUTPUT_DIRECTORY").or(get("EXECUTABLE_OUTPUT_PATH"));
                let folder = put.filter(|p| !p.is_empty()).map_or(binary.clone(), |p| within(&binary, &p));
                let (target, file) =
                    (first.clone(), first.clone() + &get("CMAKE_EXECUTABLE_SUFFIX").unwrap_or_default());
                self.programs.push(Program { target, folder, file });
            }
            "set_target_properties" => {
                let at = words.iter().position(|w| w == "PROPERTIES").unwrap_or(words.len());
                let binary = get("CMAKE_CURRENT_BINARY_DIR").unwrap_or_default();
                for program in self.programs.iter_mut().filter(|p| words[..at].contains(&p.target)) {
                    for pair in words[at..].get(1..).unwrap_or_default().chunks_exact(2) {
                        match pair[0].as_str() {
                            "OUTPUT_NAME" | "RUNTIME_OUTPUT_NAME" => program.file = pair[1].clone(),
                            "RUNTIME_OUTPUT_DIRECTORY" => program.folder = within(&binary, &pair[1]),
                            _ => {}
                        }
                    }
                }
            }
            "add_test" => self.tested.extend(words),
            name if name.ends_with("_discover_tests") => self.tested.push(first.clone()),
            name => {
                let Some(function) = self.functions.get(name).cloned() else { return };
                let mut inner = variables.clone();
                for (n, parameter) in function.parameters.iter().enumerate() {
                    inner.insert(parameter.clone(), words.get(n).cloned().unwrap_or_default());
                }
                let more = words.get(function.parameters.len()..).unwrap_or_default();
                inner.insert("ARGN".into(), more.join(";"));
                inner.insert("ARGV".into(), words.join(";"));
                self.run(&function.body, &mut inner);
                if function.is_macro {
                    *variables = inner;
                }
            }
        }
    }
}

/// Does a condition hold, as far as that is known without CMake?
fn holds(words: &[String], variables: &Variables) -> Option<bool> {
    match words {
        [not, rest @ ..] if not == "NOT" => holds(rest, variables).map(|holds| !holds),
        [name] if HOLD.contains(&name.as_str()) => Some(true),
        [name] if FAIL.contains(&name.as_str()) => Some(false),
        [name] => match variables.get(name)?.to_uppercase().as_str() {
            "ON" | "TRUE" | "YES" | "1" | "Y" => Some(true),
            "OFF" | "FALSE" | "NO" | "0" | "N" | "" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Where the block that the first call opens ends; the last call, where it does not.
fn end_of(calls: &[Call], open: &str, close: &str) -> usize {
    let mut depth = 0;
    for (at, call) in calls.iter().enumerate() {
        depth += i32::from(call.name == open) - i32::from(call.name == close);
        if depth == 0 {
            return at;
        }
    }
    calls.len() - 1
}

fn items(list: &str) -> Vec<String> {
    list.split(';').filter(|item| !item.is_empty()).map(str::to_string).collect()
}

/// The words with their variables. A list becomes several words.
fn expanded(words: &[String], variables: &Variables) -> Vec<String> {
    words.iter().flat_map(|word| items(&expand(word, variables))).collect()
}

fn expand(word: &str, variables: &Variables) -> String {
    const UNKNOWN: &str = "\u{1}{";
    let mut text = word.to_string();
    // The innermost first.
    while let Some(at) = text.rfind("${").filter(|_| text.len() < LONGEST) {
        let Some(length) = text[at..].find('}') else { break };
        let name = &text[at + 2..at + length];
        let value = variables.get(name).cloned().unwrap_or_else(|| format!("{UNKNOWN}{name}}}"));
        // What it names is expanded already.
        text.replace_range(at..=at + length, &value.replace("${", UNKNOWN));
    }
    text.replace(UNKNOWN, "${")
}

/// A path that may be relative to a folder.
fn within(folder: &str, path: &str) -> String {
    Path::new(folder).join(path.trim_end_matches('/').trim_start_matches("./")).display().to_string()
}

/// The files of a pattern whose last name may have `*`.
fn glob(folder: &str, pattern: &str) -> Vec<String> {
    let path = within(folder, pattern);
    let Some((folder, name)) = path.rsplit_once('/') else { return Vec::new() };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut files: Vec<String> =
        names.filter(|file| fits(name, file)).map(|file| format!("{folder}/{file}")).collect();
    files.sort();
    files
}
