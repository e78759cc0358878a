//! Projects with a Makefile. It is read, never run: what only the shell knows stays unknown.

mod rules;
mod variables;

use super::{Seen, has_main};
use crate::shell::quote;
use rules::{Rule, Rules, plain};
use std::collections::BTreeSet;
use std::path::Path;
use variables::{Made, known, stem};

/// Its names, as make looks for them.
pub const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Files that a linker's command may make and nobody starts.
const NO_PROGRAM: [&str; 16] =
    ["a", "c", "cc", "cpp", "cxx", "d", "dll", "dylib", "gch", "h", "i", "la", "lo", "o", "s", "so"];

/// The programs that a Makefile links.
pub fn see(folder: &Path, name: &str) -> Seen {
    let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let makefile = Rules::read(folder, &text);
    let mut found = Found { folder, makefile: &makefile, programs: Vec::new(), is_fixed: false };
    found.look();
    let Found { programs, is_fixed, .. } = found;
    if programs.is_empty()
        && let Some(below) = below(folder, &makefile)
    {
        return below;
    }
    let mut notes = Vec::new();
    if is_fixed {
        notes.push(format!("{name} names a compiler in a recipe: write $(CC) or $(CXX) there"));
    }
    let objects = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files = objects.map(|entry| entry.path());
    if files.any(|f| f.extension().is_some_and(|e| e == "o"))
        || programs.iter().any(|(p, _)| folder.join(p).exists())
    {
        notes.push("another compiler may have built some of it: run `make clean` once".into());
    }
    if programs.is_empty() {
        notes.push(format!("Raddle sees no program in {name}: name those that it makes in `programs`"));
    }
    let mut goals: Vec<&String> = Vec::new();
    for (_, goal) in &programs {
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    let goals = goals.into_iter().map(|goal| format!(" {}", quote(goal))).collect::<String>();
    Seen {
        kind: "a project with a Makefile",
        build: vec![format!("make CC=\"$CC\" CXX=\"$CXX\"{goals}")],
        programs: programs.into_iter().map(|(name, _)| name).collect(),
        notes,
    }
}

/// What is found in one Makefile.
struct Found<'m> {
    folder: &'m Path,
    makefile: &'m Rules<'m>,
    /// Each program with what make is asked for.
    programs: Vec<(String, String)>,
    /// A recipe names a compiler.
    is_fixed: bool,
}

impl Found<'_> {
    fn look(&mut self) {
        let makefile = self.makefile;
        let rules = || makefile.rules.iter();
        let phony: BTreeSet<&String> =
            rules().filter(|r| r.targets.iter().any(|t| t == ".PHONY")).flat_map(|r| &r.needs).collect();
        let listed = makefile.variables.words();
        let lists: Vec<&str> = listed
            .iter()
            .map(|word| plain(word))
            .chain(rules().flat_map(|r| &r.needs).map(String::as_str))
            .collect();
        for rule in rules().filter(|r| !r.targets.iter().any(|t| t.starts_with('.'))) {
            for (target, stem) in self.made(rule, &lists) {
                self.recipe(rule, &target, &stem);
                // A rule without a recipe leaves it to make's own, which links `name` from `name.c`.
                if rule.recipe.is_empty() && !phony.contains(&target) && self.source(&target).is_some() {
                    self.add(&target, &target);
                }
            }
        }
        // Lists such as `TESTS = a b`, whose programs make's own rules link.
        for word in lists {
            if self.source(word).is_some_and(|source| has_main(&self.folder.join(source))) {
                self.add(word, word);
            }
        }
    }

    /// The targets of a rule, each with the text that `%` stands for.
    fn made(&self, rule: &Rule, lists: &[&str]) -> Vec<(String, String)> {
        let mut made = Vec::new();
        for target in &rule.targets {
            if !target.contains('%') {
                let stem = rule.pattern.as_deref().and_then(|pattern| stem(pattern, target));
                made.push((target.clone(), stem.unwrap_or_default().to_string()));
                continue;
            }
            // `%` alone fits everything.
            let is_one = |word: &&str| target != "%" || self.source(word).is_some();
            let named =
                lists.iter().copied().filter(is_one).filter_map(|word| Some((word, stem(target, word)?)));
            let before = made.len();
            made.extend(named.map(|(word, stem)| (word.to_string(), stem.to_string())));
            let need = rule.needs.iter().find(|need| need.contains('%'));
            if let Some(need) = need.filter(|_| made.len() == before) {
                let sources = self.makefile.variables.files(&need.replacen('%', "*", 1)).into_iter();
                let sources = sources.filter(|source| has_main(&self.folder.join(source)));
                let stems = sources.filter_map(|source| stem(need, &source).map(str::to_string));
                made.extend(stems.map(|stem| (target.replacen('%', &stem, 1), stem)));
            }
        }
        made
    }

    /// Takes the programs that the recipe of a target links.
    fn recipe(&mut self, rule: &Rule, target: &str, stem: &str) {
        for line in &rule.recipe {
            let line = self.makefile.variables.in_recipe(line, Made { target, stem });
            for command in line.split("&&").flat_map(|c| c.split(';')) {
                let first = words_of(command).next().unwrap_or_default();
                self.is_fixed |= COMPILERS.contains(&first) && !first.starts_with('$');
                if links(command) {
                    // A recipe may name another output than its target.
                    self.add(&output(command).unwrap_or_else(|| "a.out".into()), target);
                }
            }
        }
    }

    fn add(&mut self, name: &str, goal: &str) {
        let (name, goal) = (plain(name), plain(goal));
        let ending = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
        let is_plain = !name.is_empty() && !name.contains(['%', '*', '(']) && !name.starts_with(['/', '.']);
        let is_program =
            is_plain && known(name) && known(goal) && !name.contains("..") && !NO_PROGRAM.contains(&ending);
        if is_program && !self.programs.iter().any(|(known, _)| known == name) {
            self.programs.push((name.to_string(), goal.to_string()));
        }
    }

    /// The source of which make's own rules link a program.
    fn source(&self, name: &str) -> Option<String> {
        let sources = ["c", "cc", "cpp", "cxx"].map(|ending| format!("{name}.{ending}"));
        sources.into_iter().find(|source| self.folder.join(source).is_file())
    }
}

/// The programs of the folders in which recipes call make again (`$(MAKE) -C src`).
fn below(folder: &Path, makefile: &Rules) -> Option<Seen> {
    let mut all = Seen { kind: "a project with a Makefile", ..Seen::default() };
    let mut known: BTreeSet<String> = BTreeSet::new();
    for rule in &makefile.rules {
        for (line, target) in rule.recipe.iter().flat_map(|line| rule.targets.iter().map(move |t| (line, t)))
        {
            let line = makefile.variables.in_recipe(line, Made { target, stem: "" });
            let words: Vec<&str> = words_of(&line).collect();
            let is_make = words.iter().any(|word| ["$(MAKE)", "${MAKE}", "make"].contains(word));
            let at = words.iter().position(|word| *word == "-C").filter(|_| is_make);
            let Some(name) =
                at.and_then(|at| words.get(at + 1)).map(|name| plain(name).trim_end_matches('/'))
            else {
                continue;
            };
            let inner = folder.join(name);
            let file = FILES.into_iter().find(|file| inner.join(file).is_file());
            let leads_out = name.is_empty() || name.starts_with(['.', '/']) || name.contains("..");
            let (Some(file), false) = (file, leads_out || !known.insert(name.to_string())) else { continue };
            let seen = see(&inner, file);
            if !seen.programs.is_empty() {
                let call = format!("make -C {} ", quote(name));
                all.build.extend(seen.build.iter().map(|line| line.replacen("make ", &call, 1)));
                all.programs.extend(seen.programs.iter().map(|program| format!("{name}/{program}")));
                all.notes.extend(seen.notes);
            }
        }
    }
    (!all.programs.is_empty()).then_some(all)
}

/// Compilers as recipes name them.
const COMPILERS: [&str; 10] =
    ["$(CC)", "${CC}", "$(CXX)", "${CXX}", "gcc", "g++", "cc", "c++", "clang", "clang++"];

/// The words of a line of a recipe, without what tells make how to run it.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.trim_start_matches(['@', '-', '+', ' ', '\t']).split_whitespace()
}

/// Does a line of a recipe call a compiler that links?
fn links(line: &str) -> bool {
    let only = ["-c", "-E", "-S", "-shared", "-M", "-MM", "-fsyntax-only", "--version"];
    let is_said = words_of(line).next().is_some_and(|word| ["echo", "printf", "#"].contains(&word));
    let mut words = words_of(line);
    !is_said
        && words.any(|word| COMPILERS.contains(&word))
        && !words_of(line).any(|word| only.contains(&word))
}

/// What it makes.
fn output(line: &str) -> Option<String> {
    let mut words = words_of(line).skip_while(|word| !word.starts_with("-o"));
    match words.next()? {
        "-o" => words.next().map(str::to_string),
        joined => Some(joined[2..].to_string()),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::init::tests::seen;

    const MAIN: &str = "int main(void) { return 0; }\n";

    /// The programs of a Makefile beside these files, and what make is asked for.
    #[track_caller]
    fn check(text: &str, files: &[&str], programs: &[&str], goals: &str) {
        let mut all = vec![("Makefile", text)];
        all.extend(files.iter().map(|file| (*file, MAIN)));
        let seen = seen(&all);
        assert_eq!(seen.programs, programs, "{text}");
        assert_eq!(seen.build.join("\n").replace("CC=\"$CC\" CXX=\"$CXX\"", "…"), goals, "{text}");
        let is_told = seen.notes.iter().any(|note| note.contains("sees no program"));
        assert_eq!(is_told, programs.is_empty(), "{:?}", seen.notes);
    }

    #[test]
    fn variables_are_worked_out() {
        let link = "\t$(CC) $(CFLAGS) -o $@ $^\n";
        let built =
            format!("BUILD = out\n$(BUILD)/queue_test: queue.c | $(BUILD)\n{link}$(BUILD):\n\tmkdir -p $@\n");
        check(&built, &[], &["out/queue_test"], "make … out/queue_test");
        let target = format!("TARGET := foo\nall: $(TARGET)\n$(TARGET): foo.o bar.o\n{link}");
        check(&target, &[], &["foo"], "make … foo");
        let nested = format!("B ?= out\nBIN = $(B)/bin\nNAME = ${{BIN}}/t1\n$(NAME): t.o\n{link}");
        check(&nested, &[], &["out/bin/t1"], "make … out/bin/t1");
        // Set by one system, and empty where nothing sets it.
        let other = format!("ifeq ($(OS),Windows_NT)\nEXE = .exe\nendif\nprog$(EXE): p.c\n{link}");
        check(&other, &[], &["prog"], "make … prog");
        let macros = "LINK = $(CC) $(LDFLAGS)\nOUT = -o $@\nprog: a.o\n\t@mkdir -p b && $(LINK) $^ $(OUT)\n";
        check(macros, &[], &["prog"], "make … prog");
        check("prog: a.o\n\t$(LINK.c) $^ -o $@\n", &[], &["prog"], "make … prog");
    }

    #[test]
    fn patterns_and_lists() {
        let link = "\t$(CC) -o $@ $<\n";
        let all = format!("PROGS = bin/a bin/b\nall: $(PROGS)\nbin/%: src/%.c\n{link}");
        check(&all, &[], &["bin/a", "bin/b"], "make … bin/a bin/b");
        let sources = "SRC = $(wildcard src/*.c)\nBINS = $(patsubst src/%.c,bin/%,$(SRC))\n";
        let of_sources = format!("{sources}all: $(BINS)\nbin/%: src/%.c\n{link}");
        check(&of_sources, &["src/x.c", "src/y.c"], &["bin/x", "bin/y"], "make … bin/x bin/y");
        let fixed = format!("T = a b\nall: $(T)\n$(T): %: %.o util.o\n{link}");
        check(&fixed, &[], &["a", "b"], "make … a b");
        // Nothing lists what the pattern makes.
        check(&format!("bin/%: src/%.c\n{link}"), &["src/x.c"], &["bin/x"], "make … bin/x");
        let stem = "TESTS = test_a test_b\ncheck: $(TESTS)\ntest_%: test_%.c\n\t$(CC) $< -o out/$*.test\n";
        check(stem, &[], &["out/a.test", "out/b.test"], "make … test_a test_b");
    }

    #[test]
    fn other_forms() {
        // make's own rules.
        check("CFLAGS = -pthread\nqueue: queue.o util.o\n", &["queue.c"], &["queue"], "make … queue");
        check("TESTS = one two\nall: $(TESTS)\n", &["one.c", "two.c"], &["one", "two"], "make … one two");
        check("all:\n\t$(CC) queue.c\n", &[], &["a.out"], "make … all");
        check("all: prog\nprog: a.o; $(CC) a.o -oprog\n", &[], &["prog"], "make … prog");
        check("debug: CFLAGS += -g\ndebug: prog\nprog:\n\t$(CC) a.c -o $@\n", &[], &["prog"], "make … prog");
        check("lib.so: a.o\n\t$(CC) -shared -o $@ $^\na.o: a.c\n\t@echo $(CC)\n", &[], &[], "make …");
        let below = "SUBDIRS = lib t\nall: $(SUBDIRS)\n$(SUBDIRS):\n\t$(MAKE) -C $@\n";
        let inner = "t1: t1.c\n\t$(CC) $< -o $@\n";
        let seen = seen(&[("Makefile", below), ("t/Makefile", inner), ("lib/Makefile", "l.a:\n\tar x\n")]);
        assert_eq!(seen.programs, ["t/t1"]);
        assert_eq!(seen.build, ["make -C t CC=\"$CC\" CXX=\"$CXX\" t1"]);
    }

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
