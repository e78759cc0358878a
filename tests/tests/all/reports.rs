//! Reports in files: SARIF and JUnit are held to their schemas (tests/schemas), the HTML report to needing
//! nothing but itself. All of them are read back, and what the program says cannot become part of them.

#[path = "reports/html.rs"]
mod html;
#[path = "reports/junit.rs"]
mod junit;
#[path = "reports/refused.rs"]
mod refused;
#[path = "reports/sarif.rs"]
mod sarif;

use raddle_tests::{Raddle, Run, Scratch};

/// All three.
const ALL: &str = "--sarif out.sarif --junit out.xml --html out.html";

/// Explores with all three reports, in a scratch folder that is a repository.
fn explore(scratch: &Scratch, words: &str) -> Run {
    explored(scratch, words).run()
}

fn explored(scratch: &Scratch, words: &str) -> Raddle {
    scratch.write(".git/HEAD", "ref: refs/heads/main\n");
    scratch.raddle(&format!("explore {words} {ALL}"))
}

/// Names, output and messages that try to be markup, links, placeholders and control sequences.
const HOSTILE: &str = r#"#include "raddle.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
/* </script><script>alert("source")</script> <img src=x onerror=alert(1)> */
atomic_int n;
static void *add(void *p) { atomic_store(&n, atomic_load(&n) + 1); return p; }
int main(void)
{
    pthread_t a, b;
    printf("</pre><script>document.title='owned'</script> ]]> &amp; \x1b[31m \x07 \xff\xfe \u202e [a](1) {0}\n");
    fflush(stdout);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(n == 2, "\"><script>document.title='owned'</script> ]]> <!-- [a](1) {0} \x1b[2J \x01 '");
    return 0;
}
"#;
/// A name of a file, and so of a test.
const HOSTILE_NAME: &str = "a<b>'&\"][(1){0}#%?.c";

/// A scratch folder with the hostile program.
fn hostile() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(HOSTILE_NAME, HOSTILE);
    scratch.write(".git/HEAD", "ref: refs/heads/main\n");
    let words = ALL.split_whitespace();
    let run = words.fold(scratch.raddle("explore").arg(HOSTILE_NAME), |run, word| run.arg(word));
    run.run().exits(1);
    scratch
}

/// Debug information names any file of the machine. What stands in it goes neither into a page that is published nor
/// into a schedule that is committed.
#[test]
fn lines_of_foreign_files_are_shown_nowhere() {
    let (scratch, elsewhere) = (Scratch::new(), Scratch::new());
    let foreign = elsewhere.write("foreign.txt", &"what others must not see\n".repeat(20));
    let source = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int count;\n#line 3 \"{}\"\n\
         static void *add(void *x) {{ int v = atomic_load(&count);\n atomic_store(&count, v + 1); return x; }}\n\
         int main(void) {{ pthread_t t[2];\n for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);\n\
         for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n assert(count == 2); return 0; }}\n",
        foreign.display()
    );
    scratch.write("count.c", &source);
    scratch.raddle("explore count.c --html page.html").json().exits(1);
    let page = scratch.read("page.html");
    assert!(page.contains("foreign.txt") && !page.contains("what others must not see"), "{page}");
    let stored = std::fs::read_dir(scratch.root().join(".raddle/schedules")).unwrap();
    let texts: Vec<String> =
        stored.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert!(!texts.is_empty() && texts.iter().all(|t| !t.contains("what others must not see")), "{texts:?}");
}
