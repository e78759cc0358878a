//! What compilers put no hooks at is named in the guarantee, where a program has it; and what only one of them leaves out
//! is seen with the other.

use raddle_protocol::gap::Gap;
use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;

const STRUCTS: &str = "the memory of structs that ";
const OWN: &str = "what functions do themselves to parts of their own arrays and structs (clang)";
const SIZES: &str = "long doubles and wide vectors (clang)";

/// Explores a C program whose two threads do these, and whose main does the third before it joins them.
fn explore(compiler: &str, globals: &str, [first, second, main]: [&str; 3]) -> Report {
    let scratch = Scratch::new();
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n{globals}\n\
         static void *first(void *given)\n{{\n    {first}\n    return given;\n}}\n\
         static void *second(void *given)\n{{\n    {second}\n    return given;\n}}\n\
         int main(void)\n{{\n    pthread_t one, two;\n    void *given = 0;\n    {main}\n    \
         pthread_join(one, 0);\n    return pthread_join(two, 0);\n}}\n"
    );
    scratch.write("unhooked.c", &text);
    let run = scratch.raddle("explore unhooked.c").env("CC", compiler).json();
    run.report().clone()
}

const STARTS: &str = "pthread_create(&one, 0, first, given); pthread_create(&two, 0, second, given);";
const PAIR: &str = "struct pair { int a, b; };\nstruct pair g;";
const FOUR: &str = "struct four { long a, b, c, d; };\nstruct four g;";

fn races(report: &Report) -> bool {
    report.failures.iter().any(|f| f.kind == "data-race")
}

/// It passes, and the guarantee says that this is not watched.
#[track_caller]
fn is_named(report: &Report, what: &str) {
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
    assert!(report.guarantee.contains(what), "{what}: {}", report.guarantee);
}

#[test]
fn structs_that_calls_copy() {
    let returned = "__attribute__((noinline)) struct pair make(void) { return (struct pair){1, 2}; }";
    let returned = format!("{PAIR}\n{returned}");
    let bodies = ["g = make();", "g.b = 1;", STARTS];
    is_named(&explore("gcc", &returned, bodies), &format!("{STRUCTS}make takes or returns by value"));
    let clang = explore("clang", &returned, bodies);
    assert!(races(&clang) && !clang.guarantee.contains(STRUCTS), "{clang:#?}");

    let taken = "__attribute__((noinline)) long sum(const struct four f) { return f.a + f.d; }";
    let taken = format!("{FOUR}\n{taken}\n_Atomic long sink;");
    for compiler in ["gcc", "clang"] {
        let report = explore(compiler, &taken, ["sink = sum(g);", "g.b = 1;", STARTS]);
        is_named(&report, &format!("{STRUCTS}sum takes or returns by value"));
    }
    // By pointer, everything has hooks.
    let pointer = "__attribute__((noinline)) long sum(const struct four *f) { return f->a + f->d; }";
    let pointer = format!("{FOUR}\n{pointer}\n_Atomic long sink;");
    for compiler in ["gcc", "clang"] {
        let report = explore(compiler, &pointer, ["sink = sum(&g);", "g.d = 1;", STARTS]);
        assert!(races(&report) && !report.guarantee.contains(STRUCTS), "{report:#?}");
    }
}

/// A class of C++ that has a constructor of copies or a destructor, by itself or in a part, is passed by reference to a copy that
/// code with hooks makes; one whose are defaulted is copied as memory.
#[test]
fn classes_that_calls_pass_by_reference() {
    let scratch = Scratch::new();
    let made =
        "struct Made { long a, b; Made() = default; Made(const Made &other) : a(other.a), b(other.b) {} };\n";
    let classes = [
        ("struct C { long a, b; ~C() {} };", false),
        ("struct C { Made made; };", false),
        ("struct C : Made { long c; };", false),
        ("struct C { Made several[2]; };", false),
        ("struct C { long a, b; virtual void f() {} };", false),
        ("template <class T> struct Of { T a, b; Of() {} Of(Of &&) {} }; using C = Of<long>;", false),
        ("struct C { long a, b; C() = default; C(const C &) = default; ~C() = default; };", true),
        ("struct C { long a, b; C() {} C(int n) : a(n) {} };", true),
        ("struct C { long a, b; static Made one; }; Made C::one;", true),
    ];
    let text: String = classes
        .iter()
        .enumerate()
        .map(|(i, (class, _))| {
            format!("namespace n{i} {{ {class} void take{i}(C) {{}} C give{i}() {{ return C(); }} }}\n")
        })
        .collect();
    let calls: String =
        (0..classes.len()).map(|i| format!("    n{i}::take{i}(n{i}::give{i}());\n")).collect();
    scratch.write("classes.cpp", &format!("{made}{text}int main() {{\n{calls}}}\n"));
    for compiler in ["g++", "clang++"] {
        let run = scratch.raddle("explore classes.cpp").env("CXX", compiler).json().exits(0);
        let guarantee = &run.report().guarantee;
        let copied: Vec<usize> = (0..classes.len()).filter(|i| classes[*i].1).collect();
        let want: Vec<String> = match compiler {
            "g++" => copied
                .iter()
                .map(|i| format!("give{i}"))
                .chain(copied.iter().map(|i| format!("take{i}")))
                .collect(),
            // Up to 16 bytes it passes values.
            _ => Vec::new(),
        };
        let named =
            guarantee.split_once(STRUCTS).and_then(|(_, rest)| rest.split_once(" take or return by value"));
        let named: Vec<String> = named.map_or(Vec::new(), |(names, _)| {
            names.split(", ").map(|name| name.split(" and ").next().unwrap_or(name).to_string()).collect()
        });
        // Four are named at most.
        assert_eq!(named[..], want[..want.len().min(named.len())], "{compiler}: {guarantee}");
        assert_eq!(named.is_empty(), want.is_empty(), "{compiler}: {guarantee}");
    }
}

#[test]
fn what_functions_do_to_parts_of_their_own_variables() {
    let writes = "((int *)given)[1]++;";
    let main = format!("int own[4] = {{0}}; given = own; {STARTS} assert(own[1] <= 2);");
    let bodies = [writes, "", &main];
    assert!(races(&explore("gcc", "", bodies)));
    is_named(&explore("clang", "", bodies), OWN);
    // A variable without parts has hooks.
    let main = format!("int own = 0; given = &own; {STARTS} assert(own <= 2);");
    let scalar = explore("clang", "", ["*(int *)given += 1;", "", &main]);
    assert!(races(&scalar) && !scalar.guarantee.contains(OWN), "{scalar:#?}");
}

#[test]
fn sizes_that_have_no_hooks() {
    let bodies = ["g = 1;", "g = 2;", STARTS];
    assert!(races(&explore("gcc", "long double g;", bodies)));
    is_named(&explore("clang", "long double g;", bodies), SIZES);
    let double = explore("clang", "double g;", bodies);
    assert!(races(&double) && !double.guarantee.contains(SIZES), "{double:#?}");
}

/// gcc has no hooks for the variable with what a compare-exchange expects: the operation's own hook tells them.
#[test]
fn what_a_compare_exchange_expects_is_accessed() {
    let globals = "_Atomic int word, sink;\nint expected;";
    for compiler in ["gcc", "clang"] {
        for held in ["0", "5"] {
            let main = format!("atomic_store(&word, {held}); {STARTS}");
            let exchange = "atomic_compare_exchange_strong(&word, &expected, 7);";
            let report = explore(compiler, globals, [exchange, "expected = 0;", &main]);
            assert!(races(&report), "{compiler} {held}: {report:#?}");
            // What only reads it races with a write, which comes where the exchange fails.
            let read = "sink = expected;";
            let report = explore(compiler, globals, [exchange, read, &main]);
            assert_eq!(races(&report), held == "5", "{compiler} {held}: {report:#?}");
        }
    }
}

/// Every program in C++ is linked with its library: the verdict names that where a program calls it, and not where the program
/// only allocates and throws.
#[test]
fn the_cpp_library_is_named_where_it_is_called() {
    let scratch = Scratch::new();
    let calls = [
        ("int *p = new int(1); delete p; try { throw 1; } catch (int) {}", false),
        ("std::vector<int> v(3); v.push_back(x); x = v.at(1);", false),
        ("std::string s(40, 'a'); s += 'b'; x = s.size();", false),
        ("std::ostringstream s; s << 1; x = s.str().size();", true),
        ("std::thread([] {}).join();", true),
    ];
    for (body, is_named) in calls {
        let text = format!(
            "#include <atomic>\n#include <pthread.h>\n#include <sstream>\n#include <string>\n#include <thread>\n#include <vector>\n\
             std::atomic<int> x;\nstatic void *other(void *u) {{ x = 2; return u; }}\n\
             int main() {{ pthread_t t; pthread_create(&t, 0, other, 0); {body} pthread_join(t, 0); }}\n"
        );
        scratch.write("calls.cpp", &text);
        let run = scratch.raddle("explore calls.cpp").json().exits(0);
        let report = run.report();
        assert!(report.complete, "{report:#?}");
        assert_eq!(report.gaps.contains(&Gap::Libraries), is_named, "{body}: {}", report.guarantee);
    }
}
