//! Source files with their expected index.

use super::*;
use expect_test::{Expect, expect};
use std::fmt::Write;

fn check(text: &str, expected: Expect) {
    check_file("queue.c", text, expected);
}

fn check_file(file: &str, text: &str, expected: Expect) {
    let index = index_source(Path::new(file), text);
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
            test test_a::test_b 3:6
            fn test_a 2:6-3
            fn test_a::test_b 3:6-3
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

#[test]
fn classes_guards_and_lambdas() {
    check_file(
        "queue.cpp",
        r#"#include <mutex>
std::mutex global;
namespace ns {
struct Queue {
    void push(int x) { std::lock_guard<std::mutex> guard(m); items.push_back(x); ready.notify_one(); }
    int pop();
    std::mutex m; std::condition_variable ready; std::vector<int> items; std::atomic<int> hits{0};
};
}
int ns::Queue::pop() {
    std::unique_lock<std::mutex> lock(this->m);
    ready.wait(lock, [&] { return !items.empty(); });
    hits.fetch_add(1);
    return 0;
}
int main() {
    ns::Queue q; std::thread t([&q] { q.hits.store(2); q.push(1); });
    global.lock(); t.join();
}
"#,
        expect![[r#"
            test queue 16:5
            fn ns::Queue::push 5:10-5
            fn ns::Queue::pop 10:5-15
            fn main 16:5-19
            fn main::{lambda} 17:32-17
            lock 5:52 m (Field) in ns::Queue::push
            notify 5:82 ready (Field) in ns::Queue::push
            lock 11:34 m (Field) in ns::Queue::pop
            wait 12:5 ready (Field) in ns::Queue::pop
            rmw 13:5 hits (Field) in ns::Queue::pop
            spawn 17:30 in main
            store 17:39 q.hits (Field) in main::{lambda}
            lock 18:5 global (Global) in main
            join 18:20 t (Local) in main
            global /global: std::mutex 2:12, std::mutex
            field Queue/m: std::mutex 7:16, std::mutex
            field Queue/ready: std::condition_variable 7:43, std::condition_variable
            field Queue/hits: std::atomic<int> 7:91, std::atomic<int>
        "#]],
    );
}
