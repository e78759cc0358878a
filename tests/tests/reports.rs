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
