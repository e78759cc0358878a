//! What is inserted where: functions by their names, statements by their kinds.

use expect_test::{Expect, expect};
use raddle_instrumenter::c::{Language, functions::instrument};
use raddle_instrumenter::instrument::Statements;
use std::fmt::Write;

/// The functions that carry a marker, and those that do not.
fn functions(language: Language, text: &str, expected: Expect) {
    let found = instrument(text, language, &Statements::None);
    let mut out = String::new();
    for m in &found.marked {
        writeln!(out, "{}: {}", m.line, m.name).unwrap();
    }
    for l in &found.left {
        writeln!(out, "{}: {} left alone: {}", l.line, l.name, l.reason).unwrap();
    }
    expected.assert_eq(&out);
}

/// The edited text, with shorter names for what is inserted.
fn statements(language: Language, text: &str, expected: Expect) {
    let edited = instrument(text, language, &Statements::All).edits.apply(text);
    let short = edited.replace("__raddle_point_then ", "@, ").replace("__raddle_point();", "@;");
    let marker = |line: &str| match line.split_once("__raddle_fn(") {
        Some((before, after)) => format!("{before}{}", after.split_once(");").map_or("", |(_, rest)| rest)),
        None => line.to_string(),
    };
    expected.assert_eq(&short.lines().map(marker).collect::<Vec<_>>().join("\n"));
}

#[test]
fn heads_that_the_grammar_does_not_read() {
    functions(
        Language::C,
        r#"int ZEXPORT inflate(strm, how)
z_streamp strm;
int (*how)(void);
{ return 0; }
int ZEXPORT inflateEnd OF((z_streamp strm));
LUA_API lua_CFunction lua_atpanic (lua_State *L, lua_CFunction f) { return f; }
int BZ_API(BZ2_bzRead) (int *error) { return 0; }
TEST(queue, push) { check(1); }
main() { return 0; }
#ifdef _WIN32
int wmain(int argc, wchar_t **argv) {
#else
int other(int argc, char **argv) {
#endif
    return run();
}
int wide(int x,
#ifdef WIDE
    long y)
#else
    int y)
#endif
{ return x; }
struct ALIGNED(8) entry { int (*f)(void); };
struct point origin(void) { struct point p = { 0 }; return p; }
static int table[] = { TWICE(1), TWICE(2) };
static struct ops ops = { .open = open_it };
extern "C" { void inner(void) { } }
#if 0
void gone(void) { don't }
#endif
void after(void) { vmcase (OP_MOVE) { EACH (x) { f(x); } } }
"#,
        expect![[r#"
            4: inflate
            6: lua_atpanic
            7: BZ2_bzRead
            8: TEST(queue, push)
            9: main
            11: wmain
            13: other
            23: wide
            25: origin
            28: inner
            32: after
        "#]],
    );
}

#[test]
fn functions_that_carry_none() {
    functions(
        Language::C,
        r#"__attribute__((naked)) void bare(void) { asm("ret"); }
__attribute__((interrupt)) void tick(void *frame) { }
static void *choose(void) { return fast; }
void work(void) __attribute__((ifunc("choose")));
void plain(void) { }
void labels(void) { __label__ out; out: ; }
"#,
        expect![[r#"
            5: plain
            1: bare left alone: it is naked
            2: tick left alone: it is an interrupt handler
            3: choose left alone: it runs while the program is being linked
            6: labels left alone: it declares labels of its own, which must come first
        "#]],
    );
    functions(
        Language::Cpp,
        r#"constexpr int twice(int x) { return 2 * x; }
MY_CONSTEXPR int thrice(int x) { return 3 * x; }
consteval int none() { return 0; }
task<int> later() { co_return 1; }
struct S { S() try : x(1) { } catch (...) { } int x; };
int plain() { return 1; }
"#,
        expect![[r#"
            6: plain
            1: twice left alone: it may run while the program is being compiled
            2: thrice left alone: it may run while the program is being compiled
            3: none left alone: it may run while the program is being compiled
            4: later left alone: it is a coroutine
            5: S::S left alone: its body is a try block
        "#]],
    );
}

#[test]
fn names_of_cpp() {
    functions(
        Language::Cpp,
        r#"namespace a::b {
template <class T> struct S : B {
    S() : x(1) { }
    ~S() noexcept { }
    operator bool() const { return x; }
    T &operator[](int i) { return v[i]; }
    void both();
    struct Inner { void deep() { } };
};
template <class T> void S<T>::both() { }
namespace { void hidden() { } }
}
auto trailing(int x) -> int { return x; }
int &reference() { return r; }
void threads() {
    std::thread one([&] { y++; });
    workers.emplace_back([i] { f(i); });
    auto run = [] { g(); };
    std::thread two(run);
    auto kept = [] { h(); };
    auto later = std::async(std::launch::async, [] { return 1; });
    std::vector<std::thread> all;
    std::sort(a, b, [](int x, int y) { return x < y; });
    struct Local { void method() { } };
}
"#,
        expect![[r#"
            3: a::b::S::S
            4: a::b::S::~S
            5: a::b::S::operator bool
            6: a::b::S::operator[]
            8: a::b::S::Inner::deep
            10: a::b::S::both
            11: a::b::hidden
            13: trailing
            14: reference
            15: threads
            16: threads::{lambda}
            17: threads::{lambda}
            18: threads::{lambda}
            21: threads::{lambda}
            24: threads::Local::method
        "#]],
    );
}

/// The printer of paper 002: two points, at the two prints.
#[test]
fn what_touches_nothing_shared_has_no_point() {
    statements(
        Language::C,
        r#"#define LIMIT 3
enum { RED };
void *f(void *p) { (void)p; printf("a"); printf("b"); return NULL; }
int g(int a) {
    int b, c = a, d[2], e = 0; static int s; const char *t = "t";
    b = a + LIMIT * RED; c++; (void)t;
    if (a > b) c = 1; else c = 2;
    for (int i = 0; i < 3; i++) c += i;
    scanf("%d", &e);
    e = 1;
    s = 1;
    d[0] = 1;
    return c;
}
"#,
        expect![[r#"
            #define LIMIT 3
            enum { RED };
            void *f(void *p) { (void)p; @;printf("a"); @;printf("b"); return NULL; }
            int g(int a) {
                int b, c = a, d[2], e = 0; static int s; const char *t = "t";
                b = a + LIMIT * RED; c++; (void)t;
                if (a > b) c = 1; else c = 2;
                for (int i = 0; i < 3; i++) c += i;
                @;scanf("%d", &e);
                @;e = 1;
                @;s = 1;
                @;d[0] = 1;
                return c;
            }"#]],
    );
}

#[test]
fn statements_of_c() {
    statements(
        Language::C,
        r#"void f(int n) {
    int a = g, b = n;
    if (x) y(); else if (z) w();
    while (x) ;
    do y(); while (x);
    for (y(); x; z()) { w(); }
    switch (x) { int q; case 1: y(); case 2: z(); break; default: { w(); } }
again:
    y();
    EACH(i, n) y();
    EACH(i, n) { y(); }
    int c = ({ y(); 1; });
    if (x)
#ifdef Y
        y();
#else
        z();
#endif
    goto again;
}"#,
        expect![[r#"
            void f(int n) {
                __raddle_declare_point(0);int a = g, b = n;
                if (@, x) @, y(); else if (@, z) @, w();
                while (@, x) ;
                do @, y(); while (@, x);
                @;for (y(); @, x; @, z()) { @;w(); }
                switch (@, x) { int q; case 1: @;y(); case 2: @;z(); break; default: { @;w(); } }
            again:
                @;y();
                EACH(i, n) y();
                EACH(i, n) { @;y(); }
                __raddle_declare_point(18);int c = ({ y(); 1; });
                if (@, x)
            #ifdef Y
                    y();
            #else
                    z();
            #endif
                goto again;
            }"#]],
    );
}

#[test]
fn statements_of_cpp() {
    statements(
        Language::Cpp,
        r#"void f(int n) {
    std::lock_guard<std::mutex> l(m);
    int a = n; std::string s;
    if (int x = g(); x > 2) h();
    while (auto x = g()) h();
    if constexpr (sizeof(a) == 4) h();
    for (auto &e : v) h();
    try { h(); } catch (...) { throw; }
    std::thread t([n] { h(); });
}"#,
        expect![[r#"
            void f(int n) {
                @;std::lock_guard<std::mutex> l(m);
                int a = n; @;std::string s;
                @;if (int x = g(); x > 2) @, h();
                @;while (auto x = g()) @, h();
                if constexpr (sizeof(a) == 4) @, h();
                @;for (auto &e : v) @, h();
                try { @;h(); } catch (...) { @;throw; }
                @;std::thread t([n] { @;h(); });
            }"#]],
    );
}

/// In C++ a function may keep a reference to what it is given.
#[test]
fn what_is_passed_by_reference_is_shared() {
    statements(
        Language::Cpp,
        r#"int main() {
    int x = 0, y = 0, z = 0;
    std::thread t(inc, std::ref(x));
    int &other = y;
    x = 1;
    y = 1;
    z = 1;
}"#,
        expect![[r#"
            int main() {
                int x = 0, y = 0, z = 0;
                @;std::thread t(inc, std::ref(x));
                @;int &other = y;
                @;x = 1;
                @;y = 1;
                z = 1;
            }"#]],
    );
}

/// Whoever gets a lambda may give it to a thread.
#[test]
fn every_lambda_has_points() {
    statements(
        Language::Cpp,
        r#"static auto shared = [] { n++; };
constexpr auto constant = [](int x) { return x + g(x); };
constexpr int run() { auto twice = [](int x) { return h(x); }; return twice(1); }
std::function<void()> job() { return [] { int t = n.load(); n.store(t + 1); }; }
struct Pool {
    Pool() : worker([this] { n++; }) { }
    std::thread second{[this] { n++; }};
    std::thread worker;
};
int main() {
    par([] { n++; std::sort(a, b, [](int x, int y) { return x < y + n; }); });
    static_assert([] { return f(); }() == 1);
    if constexpr ([] { return f(); }() == 1) par([] { n++; });
    assert([] { return f(); }() == 1);
}"#,
        expect![[r#"
            static auto shared = [] { @;n++; };
            constexpr auto constant = [](int x) { return x + g(x); };
            constexpr int run() { auto twice = [](int x) { return h(x); }; return twice(1); }
            std::function<void()> job() { @;return [] { @;int t = n.load(); @;n.store(t + 1); }; }
            struct Pool {
                Pool() : worker([this] { @;n++; }) { }
                std::thread second{[this] { @;n++; }};
                std::thread worker;
            };
            int main() {
                @;par([] { @;n++; @;std::sort(a, b, [](int x, int y) { @;return x < y + n; }); });
                static_assert([] { return f(); }() == 1);
                if constexpr ([] { return f(); }() == 1) @, par([] { @;n++; });
                @;assert([] { return f(); }() == 1);
            }"#]],
    );
}

/// What a pragma is about must be what stands behind it.
#[test]
fn no_point_comes_between_a_pragma_and_its_statement() {
    statements(
        Language::C,
        r#"void f(int n) {
#pragma omp critical
    g++;
    g++;
#pragma omp parallel for
    for (i = g; i < g; i++)
        g++;
#pragma omp barrier
    g++;
#pragma GCC ivdep
    for (i = g; i < g; i++) { g++; }
#pragma GCC unroll 2
    while (g) g++;
# pragma   GCC diagnostic push
    g++;
    if (n)
#pragma omp atomic
        g++;
    g++;
#pragma omp critical \
    (name)
    { g++; }
#pragma omp atomic capture
    { v = g; g++; }
    _Pragma("omp critical") g++;
    _Pragma("GCC ivdep") for (i = g; i < g; i++) { g++; }
    _Pragma("GCC diagnostic push")
    g++;
    _Pragma("GCC diagnostic pop");
    g++;
    switch (n) {
    case 1:
#pragma omp critical
        g++;
    }
#ifdef X
#pragma omp critical
#endif
    g++;
}"#,
        expect![[r#"
            void f(int n) {
            #pragma omp critical
                g++;
                @;g++;
            #pragma omp parallel for
                for (i = g; i < g; i++)
                    @, g++;
            #pragma omp barrier
                @;g++;
            #pragma GCC ivdep
                for (@, i = g; @, i < g; @, i++) { @;g++; }
            #pragma GCC unroll 2
                while (@, g) @, g++;
            # pragma   GCC diagnostic push
                @;g++;
                if (n)
            #pragma omp atomic
                    g++;
                @;g++;
            #pragma omp critical \
                (name)
                { @;g++; }
            #pragma omp atomic capture
                { v = g; g++; }
                _Pragma("omp critical") g++;
                _Pragma("GCC ivdep") for (i = g; i < g; i++) { g++; }
                _Pragma("GCC diagnostic push")
                g++;
                _Pragma("GCC diagnostic pop");
                @;g++;
                switch (n) {
                case 1:
            #pragma omp critical
                    g++;
                }
            #ifdef X
            #pragma omp critical
            #endif
                g++;
            }"#]],
    );
}
