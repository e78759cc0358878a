//! Source files with their expected index.

use super::*;
use expect_test::{Expect, expect};
use std::fmt::Write;

fn check(text: &str, expected: Expect) {
    let index = index_source(Path::new("queue.c"), text);
    let mut out = String::new();
    for t in &index.tests {
        writeln!(out, "test {} {}:{}", t.name, t.line, t.column).unwrap();
    }
    for f in &index.functions {
        writeln!(out, "fn {} {}:{}-{}", f.name, f.line, f.column, f.end_line).unwrap();
    }
    for s in &index.sites {
        let object =
            if s.object.is_empty() { String::new() } else { format!(" {} ({:?})", s.object, s.reach) };
        writeln!(out, "{} {}:{}{object} in {}", s.kind, s.line, s.column, s.function).unwrap();
    }
    for v in &index.variables {
        let (kind, within, name, ty) = (v.kind.word(), &v.within, &v.name, &v.type_name);
        writeln!(out, "{kind} {within}/{name}: {ty} {}:{}, {}", v.line, v.column, v.why).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn main_is_one_test_named_after_the_file() {
    check(
        "int helper(void);\nstatic void *worker(void *arg) {\n  return arg;\n}\nvoid test_x(void) {}\nint main(void)\n{\n  return 0;\n}\n",
        expect![[r#"
            test queue 6:5
            fn worker 2:14-4
            fn test_x 5:6-5
            fn main 6:5-9
        "#]],
    );
}

#[test]
fn without_main_every_test_function_is_a_test() {
    check(
        "#include \"raddle.h\"\nvoid test_a(void) {}\nvoid test_b() {}\nstatic void test_static(void) {}\nint test_int(void) { return 1; }\nvoid test_args(int n) {}\nvoid test_declared(void);\n",
        expect![[r#"
            test test_a 2:6
            test test_b 3:6
            fn test_a 2:6-2
            fn test_b 3:6-3
            fn test_static 4:13-4
            fn test_int 5:5-5
            fn test_args 6:6-6
        "#]],
    );
}

#[test]
fn conditional_code_and_macros() {
    check(
        r#"#define UNUSED __attribute__((unused))
#define DECLARE(T) struct T##_list { T *head; };
DECLARE(int)
#if 0
void test_disabled(void) { }
#else
void test_enabled(void) { }
#endif
#ifdef FAST
void test_arm(void) { fast(); }
#else
void test_arm(void) { slow(); }
#endif
UNUSED static int *find(int k) { return 0; }
void test_é(void) { FOR_EACH(x, list) { use(x); } }
"#,
        expect![[r#"
            test test_enabled 7:6
            test test_arm 10:6
            test test_é 15:6
            fn test_enabled 7:6-7
            fn test_arm 10:6-10
            fn test_arm 12:6-12
            fn find 14:20-14
            fn test_é 15:6-15
        "#]],
    );
}

#[test]
fn arms_that_share_a_body() {
    check(
        r#"#ifdef _WIN32
int wmain(int argc, wchar_t **argv) {
#else
int main(int argc, char **argv) {
#endif
run();
return 0;
}
void after(void) { }
"#,
        expect![[r#"
            test queue 4:5
            fn wmain 2:5-9
            fn main 4:5-8
            fn after 9:6-9
        "#]],
    );
}

#[test]
fn a_file_being_edited() {
    check(
        "int counter\nvoid test_a(void) { counter++; \nvoid test_b(void) { }\n",
        expect![[r#"
            test test_a 2:6
            test test_b 3:6
            fn test_a 2:6-3
            fn test_b 3:6-3
            global /counter: int 1:5, global
        "#]],
    );
}

#[test]
fn synchronisation_and_what_it_works_on() {
    check(
        r#"#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, pair[2];
int total; const int LIMIT = 3; extern int elsewhere; static const char *names[] = { "a" };
atomic_int hits;
struct queue { pthread_mutex_t lock; int *items; pthread_cond_t filled[2]; };
typedef struct { sem_t free; } pool;
int prototype(int x);
static void *body(void *arg)
{
    struct queue *q = arg;
    static int calls;
    pthread_mutex_lock(&q->lock);
    while (!q->items[0]) pthread_cond_wait(&q->filled[total % 2], &(*q).lock);
    atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
    pthread_mutex_unlock((pthread_mutex_t *)&pair[calls]);
    return NULL;
}
static void with(pthread_mutex_t *lock, int plain) { pthread_mutex_lock(lock); }
int main(void)
{
    struct queue queue; int n = 0, other; pthread_t t[2];
    pthread_create(&t[0], NULL, body, &queue);
    pthread_create(&t[1], NULL, body, (void *)(long)n);
    pthread_join(t[1], NULL);
    if (pthread_mutex_trylock(get(&n))) sched_yield();
}
"#,
        expect![[r#"
            test queue 19:5
            fn body 8:14-17
            fn with 18:13-18
            fn main 19:5-26
            lock 12:5 q->lock (Field) in body
            wait 13:26 q->filled[total % 2] (Field) in body
            rmw 14:5 hits (Global) in body
            unlock 15:5 pair[calls] (Global) in body
            lock 18:54 lock (Parameter) in with
            spawn 22:5 in main
            spawn 23:5 in main
            join 24:5 t[1] (Local) in main
            try-lock 25:9 get(…) (Other) in main
            yield 25:41 in main
            static /m: pthread_mutex_t 2:24, pthread_mutex_t
            static /pair: pthread_mutex_t[2] 2:55, pthread_mutex_t
            global /total: int 3:5, global
            global /hits: atomic_int 4:12, atomic_int
            field queue/lock: pthread_mutex_t 5:32, pthread_mutex_t
            field queue/filled: pthread_cond_t[2] 5:65, pthread_cond_t
            field pool/free: sem_t 6:24, sem_t
            static body/calls: int 11:16, static
            parameter with/lock: pthread_mutex_t 18:35, pthread_mutex_t
            let main/queue: struct queue 21:18, passed to pthread_create
        "#]],
    );
}
