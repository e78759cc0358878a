//! What cannot be written is refused before anything takes time.

use raddle_tests::Scratch;

#[test]
fn a_file_that_cannot_be_written_is_refused_first() {
    // It would not build, so nothing was built.
    let scratch = Scratch::new();
    scratch.write("broken.c", "int main(void) { return missing; }\n");
    for option in ["--sarif", "--junit", "--html"] {
        let words = format!("explore broken.c {option} no/where");
        let run = scratch.raddle(&words).run().exits(2);
        assert!(run.stderr.contains(&format!("{option}: cannot write no/where")), "{}", run.stderr);
        assert!(!run.stderr.contains("missing"), "{}", run.stderr);
    }
    let run = scratch.raddle("explore broken.c --html same --junit same").run().exits(2);
    assert!(run.stderr.contains("--junit and --html name the same file"), "{}", run.stderr);
    assert!(!scratch.path("same").exists());
    scratch.raddle("explore broken.c --html out.html --attach").run().exits(2).says(&["--attach"]);
}
