//! What is inserted into published crates that draw random numbers, so that small ones can be explored (`--random-choices`;
//! `runtime/src/interpose/random_choices.rs` says what counts). Nothing of it does anything where that was not asked for,
//! but for the seed of tokio's and fastrand's generators, which is served.
//!
//! Each package has tables of [`Insertion`]s, one for each way in which its versions are written. A version that none fits is
//! compiled as it is, and its random numbers are named in the verdict as those of one value. `SOURCE` in a text stands for the number of
//! the crate's source of random numbers.
//!
//! A generator that the program can seed is left alone: tokio's under `--cfg tokio_unstable`, objects of fastrand's `Rng`, and
//! all of rand's but the thread's.

use super::arguments::values;
use super::insertions::{self, Insertion, behind};
use raddle_schedule::input::random_number;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A crate with the ways in which it is written.
struct Source {
    package: &'static str,
    /// As [`raddle_schedule::input::RANDOM`] has it.
    name: &'static str,
    /// With this `--cfg` the program can seed it.
    unless: Option<&'static str>,
    ways: &'static [&'static [Insertion]],
}

const DRAWS: &str = "::std::raddle_random::draws();";
const SEEDS: &str = "if let Some(raddle)=::std::raddle_random::seed(){return raddle;}";
const SEEDING: &str = "let _raddle=::std::raddle_random::seeding();";
const FLIPS: &str = "if let Some(raddle)=::std::raddle_random::below_of::<R>(2,SOURCE){return raddle==1;}";
const FLIPS_UNLESS_CERTAIN: &str = "if self.p_int!=ALWAYS_TRUE&&self.p_int!=0{if let Some(raddle)=::std::raddle_random::below_of::<R>(2,SOURCE){return raddle==1;}}";
const OWN_DRAWS: &str = "::std::raddle_random::draws_by(self as *const Self as usize);";
const OWN_BELOW_32: &str = "if let Some(raddle)=::std::raddle_random::below_by(self as *const Self as usize,n as u128,SOURCE){return raddle as u32;}";
const OWN_BELOW_64: &str = "if let Some(raddle)=::std::raddle_random::below_by(self as *const Self as usize,n as u128,SOURCE){return raddle;}";
const OWN_FLIPS: &str = "if let Some(raddle)=::std::raddle_random::below_by(self as *const Self as usize,2,SOURCE){return raddle==1;}";

/// `select!` asks `thread_rng_n`. What the runtime draws for itself (from which worker to steal, which of equal lists to use) is
/// not explored, which would cost more than it shows, but named.
const TOKIO: Source = Source {
    package: "tokio",
    name: "tokio::select!",
    unless: Some("tokio_unstable"),
    ways: &[
        &[
            TOKIO_SELECT,
            TOKIO_SEED,
            behind("src/util/rand.rs", "pub(crate) fn fastrand_n(&mut self, n: u32) -> u32 {", DRAWS),
        ],
        // Before 1.26.
        &[
            TOKIO_SELECT,
            TOKIO_SEED,
            behind("src/util/rand.rs", "pub(crate) fn fastrand_n(&self, n: u32) -> u32 {", DRAWS),
        ],
    ],
};

const TOKIO_SELECT: Insertion = behind(
    "src/macros/support.rs",
    "pub fn thread_rng_n(n: u32) -> u32 {",
    "if let Some(raddle)=::std::raddle_random::below(n as u128,SOURCE){return raddle as u32;}",
);
const TOKIO_SEED: Insertion = behind("src/loom/std/mod.rs", "pub(crate) fn seed() -> u64 {", SEEDS);

/// The global functions use a generator of the thread's, which `seed` seeds; objects of `Rng` may have any seed.
const FASTRAND: Source = Source {
    package: "fastrand",
    name: "fastrand",
    unless: None,
    ways: &[&[
        Insertion {
            file: "src/global_rng.rs",
            at: "f(&mut restore.current)",
            is_before: true,
            times: 2,
            text: "let _raddle=::std::raddle_random::using(&restore.current as *const Rng as usize);",
        },
        behind("src/global_rng.rs", "pub fn seed(seed: u64) {", "::std::raddle_random::seeded();"),
        behind(
            "src/global_rng.rs",
            "fn random_seed() -> Option<u64> {\n    use std::collections::hash_map::DefaultHasher;",
            "if let Some(raddle)=::std::raddle_random::seed(){return Some(raddle);}",
        ),
        behind("src/lib.rs", "fn gen_u64(&mut self) -> u64 {", OWN_DRAWS),
        behind("src/lib.rs", "fn gen_mod_u32(&mut self, n: u32) -> u32 {", OWN_BELOW_32),
        behind("src/lib.rs", "fn gen_mod_u64(&mut self, n: u64) -> u64 {", OWN_BELOW_64),
        behind("src/lib.rs", "pub fn bool(&mut self) -> bool {", OWN_FLIPS),
    ]],
};

/// Ranges, `bool`s, `random_bool`, and what is chosen and shuffled by them, where the generator is the thread's.
const RAND: Source = Source { package: "rand", name: "rand", unless: None, ways: &[RAND_10, RAND_9, RAND_8] };

const RAND_RANGE: Insertion = Insertion {
    file: "src/distr/uniform_int.rs",
    at: "let range = high.wrapping_sub(low).wrapping_add(1) as $uty as $sample_ty;",
    is_before: false,
    times: 2,
    text: "if let Some(raddle)=::std::raddle_random::below_of::<R>(range as u128,SOURCE){return Ok(low.wrapping_add(raddle as $ty));}",
};
const RAND_BOOL: Insertion =
    behind("src/distr/other.rs", "fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {", FLIPS);
const RAND_BERNOULLI: Insertion = behind(
    "src/distr/bernoulli.rs",
    "fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {",
    FLIPS_UNLESS_CERTAIN,
);
const RAND_SHUFFLE: Insertion = behind(
    "src/seq/increasing_uniform.rs",
    "let next_n = self.n + 1;",
    "if let Some(raddle)=::std::raddle_random::below_of::<R>(next_n as u128,SOURCE){self.n=next_n;return raddle as usize;}",
);

const RAND_10: &[Insertion] = &[
    behind(
        "src/rngs/thread.rs",
        "static THREAD_RNG_KEY: Rc<UnsafeCell<BlockRng<ReseedingCore>>> = {",
        SEEDING,
    ),
    behind("src/rngs/thread.rs", "fn try_next_u32(&mut self) -> Result<u32, Infallible> {", DRAWS),
    behind("src/rngs/thread.rs", "fn try_next_u64(&mut self) -> Result<u64, Infallible> {", DRAWS),
    behind(
        "src/rngs/thread.rs",
        "fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Infallible> {",
        DRAWS,
    ),
    RAND_RANGE,
    RAND_BOOL,
    RAND_BERNOULLI,
    RAND_SHUFFLE,
];

const RAND_9: &[Insertion] = &[
    behind(
        "src/rngs/thread.rs",
        "static THREAD_RNG_KEY: Rc<UnsafeCell<ReseedingRng<Core, OsRng>>> = {",
        SEEDING,
    ),
    behind("src/rngs/thread.rs", "fn next_u32(&mut self) -> u32 {", DRAWS),
    behind("src/rngs/thread.rs", "fn next_u64(&mut self) -> u64 {", DRAWS),
    behind("src/rngs/thread.rs", "fn fill_bytes(&mut self, dest: &mut [u8]) {", DRAWS),
    RAND_RANGE,
    RAND_BOOL,
    RAND_BERNOULLI,
    RAND_SHUFFLE,
];

const RAND_8: &[Insertion] = &[
    behind(
        "src/rngs/thread.rs",
        "static THREAD_RNG_KEY: Rc<UnsafeCell<ReseedingRng<Core, OsRng>>> = {",
        SEEDING,
    ),
    behind("src/rngs/thread.rs", "fn next_u32(&mut self) -> u32 {", DRAWS),
    behind("src/rngs/thread.rs", "fn next_u64(&mut self) -> u64 {", DRAWS),
    behind("src/rngs/thread.rs", "fn fill_bytes(&mut self, dest: &mut [u8]) {", DRAWS),
    behind(
        "src/rngs/thread.rs",
        "fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {",
        DRAWS,
    ),
    behind(
        "src/distributions/uniform.rs",
        "let range = high.wrapping_sub(low).wrapping_add(1) as $unsigned as $u_large;",
        "if let Some(raddle)=::std::raddle_random::below_of::<R>(range as u128,SOURCE){return low.wrapping_add(raddle as $ty);}",
    ),
    behind("src/distributions/other.rs", "fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {", FLIPS),
    behind(
        "src/distributions/bernoulli.rs",
        "fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {",
        FLIPS_UNLESS_CERTAIN,
    ),
];

/// `select!` and `stream_select!` shuffle their branches.
const FUTURES: Source = Source {
    package: "futures-util",
    name: "futures::select!",
    unless: None,
    ways: &[&[behind(
        "src/async_await/random.rs",
        "fn gen_index(n: usize) -> usize {",
        "if let Some(raddle)=::std::raddle_random::below(n as u128,SOURCE){return raddle as usize;}",
    )]],
};

const SOURCES: [Source; 4] = [TOKIO, FASTRAND, RAND, FUTURES];

/// The files of this package that are edited, relative to its folder, with their texts; none where it draws no random
/// numbers, or is written in another way. `args` are those of its compilation.
pub(super) fn edited(package: &str, folder: &Path, args: &[OsString]) -> Vec<(PathBuf, String)> {
    let Some(source) = SOURCES.iter().find(|s| s.package == package) else { return Vec::new() };
    if source.unless.is_some_and(|cfg| values(args, "--cfg").contains(&cfg)) {
        return Vec::new();
    }
    let texts = |text: &str| text.replace("SOURCE", &random_number(source.name).to_string());
    source.ways.iter().find_map(|way| insertions::apply(way, folder, &texts)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUPPORT: &str = "pub fn thread_rng_n(n: u32) -> u32 {\n    inner(n)\n}\n";

    /// A package with such a generator, beside `seed` and `thread_rng_n`.
    fn tokio(generator: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("src/macros/support.rs", SUPPORT),
            ("src/util/rand.rs", generator),
            ("src/loom/std/mod.rs", "pub(crate) fn seed() -> u64 { 4 }\n"),
        ];
        for (file, text) in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn edited_with(generator: &str, arguments: &[&str]) -> Vec<(PathBuf, String)> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        edited("tokio", tokio(generator).path(), &arguments)
    }

    #[test]
    fn a_version_that_fits_is_edited_and_keeps_its_lines() {
        for generator in ["&mut self", "&self"] {
            let generator = format!("pub(crate) fn fastrand_n({generator}, n: u32) -> u32 {{ 1 }}\n");
            let files = edited_with(&generator, &[]);
            assert_eq!(files.len(), 3);
            let (path, text) = &files[0];
            assert_eq!((path.as_path(), text.lines().count()), (Path::new("src/macros/support.rs"), 3));
            let number = random_number("tokio::select!");
            assert!(text.contains(&format!("below(n as u128,{number})")), "{text}");
        }
    }

    #[test]
    fn what_is_written_otherwise_or_can_be_seeded_is_left_alone() {
        let generator = "pub(crate) fn fastrand_n(&self, n: u32) -> u32 { 1 }\n";
        assert!(edited_with("fn fastrand_n(n: u64) -> u64 { 1 }\n", &[]).is_empty());
        assert!(edited_with(&generator.repeat(2), &[]).is_empty());
        assert!(edited_with(generator, &["--cfg", "tokio_unstable"]).is_empty());
        assert!(!edited_with(generator, &["--cfg", "other"]).is_empty());
        assert!(edited("tokyo", tokio(generator).path(), &[]).is_empty());
    }

    #[test]
    fn every_source_has_a_number() {
        assert!(SOURCES.iter().all(|source| random_number(source.name) != 0));
    }
}
