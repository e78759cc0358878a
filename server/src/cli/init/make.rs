//! Projects with a Makefile. It is read, never run: `$(shell …)` and included files are not followed.

use super::Seen;
use crate::shell::quote;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Its names, as make looks for them.
pub const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A rule.
#[derive(Debug)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

/// The programs that a Makefile links.
pub fn see(folder: &Path, name: &str) -> Seen {
    let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let (variables, rules) = read(&text);
    let phony: BTreeSet<&String> = rules
        .iter()
        .filter(|r| r.targets.iter().any(|t| t == ".PHONY"))
        .flat_map(|r| &r.targets[1..])
        .collect();
    let has_source = |name: &str| {
        ["c", "cc", "cpp", "cxx"].iter().any(|ext| folder.join(format!("{name}.{ext}")).is_file())
    };
    // Each program with what make is asked for.
    let mut programs: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, goal: &str| {
        let plain = !name.is_empty() && !name.contains(['$', '%', '*', '(']) && !name.starts_with(['/', '.']);
        let is_program = plain && !name.contains("..") && Path::new(name).extension().is_none();
        if is_program && !programs.iter().any(|(known, _)| known == name) {
            programs.push((name.to_string(), goal.to_string()));
        }
    };
    let lists = variables.values().flatten().chain(rules.iter().flat_map(|r| &r.needs));
    for rule in rules.iter().filter(|r| !r.targets.iter().any(|t| t.starts_with('.'))) {
        for line in rule.recipe.iter().filter(|line| links(line)) {
            // A recipe may name another output than its target.
            match output(line).filter(|name| *name != "$@") {
                Some(name) => rule.targets.iter().take(1).for_each(|goal| add(name, goal)),
                None => rule.targets.iter().filter(|t| !phony.contains(t)).for_each(|t| add(t, t)),
            }
            // What lists name and this pattern makes.
            for (before, after) in rule.targets.iter().filter_map(|t| t.split_once('%')) {
                if after.is_empty() && (!before.is_empty() || output(line) == Some("$@")) {
                    let made = lists
                        .clone()
                        .filter(|w| w.starts_with(before) && (!before.is_empty() || has_source(w)));
                    made.for_each(|name| add(name, name));
                }
            }
        }
        // A rule without a recipe leaves it to make's own, which links `name` from `name.c`.
        if rule.recipe.is_empty() {
            rule.targets.iter().filter(|t| !phony.contains(t) && has_source(t)).for_each(|t| add(t, t));
        }
    }
    // Lists such as `TESTS = a b`.
    variables.values().flatten().filter(|word| has_source(word)).for_each(|word| add(word, word));
    let mut notes = Vec::new();
    let fixed = rules.iter().flat_map(|r| &r.recipe).any(|line| {
        words_of(line).next().is_some_and(|first| COMPILERS.contains(&first) && !first.starts_with('$'))
    });
    if fixed {
        notes.push(format!("{name} names a compiler in a recipe: write $(CC) or $(CXX) there"));
    }
    let objects = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files = objects.map(|entry| entry.path());
    if files.any(|f| f.extension().is_some_and(|e| e == "o"))
        || programs.iter().any(|(p, _)| folder.join(p).exists())
    {
        notes.push("another compiler may have built some of it: run `make clean` once".into());
    }
    let mut goals: Vec<&String> = Vec::new();
    for (_, goal) in &programs {
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    let goals = goals.into_iter().map(|goal| format!(" {}", quote(goal))).collect::<String>();
    let mut programs: Vec<String> = programs.into_iter().map(|(name, _)| name).collect();
    if programs.is_empty() {
        notes.push(format!("{name} names no program that can be seen: write them into `programs`"));
        programs.push("*".into());
    }
    Seen {
        kind: "a project with a Makefile",
        build: vec![format!("make CC=\"$CC\" CXX=\"$CXX\"{goals}")],
        programs,
        notes,
    }
}

/// Compilers as recipes name them.
const COMPILERS: [&str; 10] =
    ["$(CC)", "${CC}", "$(CXX)", "${CXX}", "gcc", "g++", "cc", "c++", "clang", "clang++"];

/// The words of a line of a recipe, without what tells make how to run it.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.trim_start_matches(['@', '-', '+', ' ']).split_whitespace()
}

/// Does a line of a recipe call a compiler that links?
fn links(line: &str) -> bool {
    let only = ["-c", "-E", "-S", "-shared", "-M", "-MM"];
    words_of(line).any(|word| COMPILERS.contains(&word)) && !words_of(line).any(|word| only.contains(&word))
}

/// What it makes.
fn output(line: &str) -> Option<&str> {
    words_of(line).skip_while(|word| *word != "-o").nth(1)
}

/// Variables with their words, and rules. Variables are put in where they were set before.
fn read(text: &str) -> (BTreeMap<String, Vec<String>>, Vec<Rule>) {
    let joined = text.replace("\\\n", " ");
    let mut variables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut rules: Vec<Rule> = Vec::new();
    for line in joined.lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            if let Some(rule) = rules.last_mut() {
                rule.recipe.push(recipe.to_string());
            }
            continue;
        }
        let line = line.split('#').next().unwrap_or_default().trim();
        let set = line
            .split_once('=')
            .filter(|(name, _)| !name.trim_end_matches([':', '?', '+', ' ']).contains([':', ' ']));
        if let Some((name, value)) = set {
            let words = expanded(value, &variables);
            let known = variables.entry(name.trim_end_matches([':', '?', '+', ' ']).to_string()).or_default();
            if !name.ends_with('+') {
                known.clear();
            }
            known.extend(words);
            continue;
        }
        if let Some((targets, rest)) = line.split_once(':') {
            let (needs, recipe) =
                rest.split_once(';').map_or((rest, None), |(n, r)| (n, Some(r.to_string())));
            let (targets, needs) = (expanded(targets, &variables), expanded(needs, &variables));
            rules.push(Rule { targets, needs, recipe: recipe.into_iter().collect() });
        }
    }
    (variables, rules)
}

fn expanded(text: &str, variables: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let name = word.strip_prefix("$(").and_then(|w| w.strip_suffix(')'));
        let name = name.or_else(|| word.strip_prefix("${").and_then(|w| w.strip_suffix('}')));
        match name.and_then(|name| variables.get(name)) {
            Some(value) => words.extend(value.iter().cloned()),
            None => words.push(word.to_string()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::cli::init::tests::seen;

    #[test]
    fn programs_are_what_rules_link() {
        let text = "CC = gcc\nPROGS = queue \\\n  stack\nTESTS := unit\nall: $(PROGS)\n$(PROGS): common.o\n\t$(CC) -o $@ $^\n\
                    common.o: common.c\n\t$(CC) -c common.c\n%: %.c\n\t$(CC) -o $@ $<\nclean:\n\trm -f *.o\n\
                    check: unit\n\t./unit\n.PHONY: all clean check\nlib.a: common.o\n\tar rcs $@ $^\ntool: tool.c\n";
        let seen = seen(&[("Makefile", text), ("unit.c", ""), ("tool.c", ""), ("common.c", "")]);
        assert_eq!(seen.programs, ["queue", "stack", "unit", "tool"]);
        assert_eq!(seen.build, ["make CC=\"$CC\" CXX=\"$CXX\" queue stack unit tool"]);
        assert_eq!(seen.notes.len(), 0, "{:?}", seen.notes);
    }

    #[test]
    fn a_recipe_that_names_its_output_and_a_pattern() {
        let named = seen(&[(
            "Makefile",
            "all:\n\t$(CC) -O2 -o mpmc mpmc.c -lpthread\nindent:\n\tclang-format -i mpmc.c\n",
        )]);
        assert_eq!((named.programs, &named.build[0][24..]), (vec!["mpmc".to_string()], " all"));
        let text = "targets = main1 main2\nall: $(targets)\nmain%: lfq.c test.c\n\t$(CC) $^ -o $@\n";
        let pattern = seen(&[("Makefile", text)]);
        assert_eq!(
            (pattern.programs.join(" "), &pattern.build[0][24..]),
            ("main1 main2".into(), " main1 main2")
        );
    }

    #[test]
    fn a_fixed_compiler_and_old_objects_are_told() {
        let seen = seen(&[("Makefile", "all:\n\tgcc -pthread a.c -o a\n"), ("a.o", "")]);
        assert_eq!(seen.programs, ["a"]);
        assert!(
            seen.notes[0].contains("write $(CC)") && seen.notes[1].contains("make clean"),
            "{:?}",
            seen.notes
        );
    }
}
