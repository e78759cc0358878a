//! The source index of a file of 5,000 lines, in each language: under 50 ms is what editors need.
//!
//! The files are the samples and programs of this repository, repeated until they are long enough.

#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use raddle_instrumenter::{c, rust};
use std::hint::black_box;
use std::path::Path;

const LINES: usize = 5000;

fn repeat(texts: &[&str], one: impl Fn(usize, &str) -> String) -> String {
    let mut long = String::new();
    for (number, text) in texts.iter().cycle().enumerate() {
        if long.lines().count() >= LINES {
            break;
        }
        long += &one(number, text);
    }
    long
}

fn index(criterion: &mut Criterion) {
    let c_sources = [
        include_str!("../../samples/c/queue_if.c"),
        include_str!("../../samples/c/overdraft.c"),
        include_str!("../../tests/programs/zstd_pool.c"),
    ];
    let rust_sources = [
        include_str!("../../samples/rust/bank/src/lib.rs"),
        include_str!("../../tests/packages/state/src/lib.rs"),
        include_str!("../src/rust/index/shared.rs"),
    ];
    let c_text = repeat(&c_sources, |_, text| text.to_string());
    // A module each; comments to the module itself may stand at the top of a file only.
    let rust_text = repeat(&rust_sources, |n, text| {
        let lines = text.lines().filter(|l| !l.starts_with("//!")).map(|l| format!("{l}\n"));
        format!("mod m{n} {{\n{}}}\n", lines.collect::<String>())
    });
    let mut group = criterion.benchmark_group("index of 5000 lines");
    group.bench_function("c", |b| b.iter(|| c::index::index_source(Path::new("long.c"), black_box(&c_text))));
    group.bench_function("c++", |b| {
        b.iter(|| c::index::index_source(Path::new("long.cpp"), black_box(&c_text)))
    });
    group.bench_function("rust", |b| {
        b.iter(|| rust::index::index_source(Path::new("long.rs"), black_box(&rust_text)))
    });
    group.finish();
    let found = rust::index::index_source(Path::new("long.rs"), &rust_text);
    assert!(found.problems.is_empty() && found.functions.len() > 300, "{:?}", found.problems);
    let found = c::index::index_source(Path::new("long.c"), &c_text);
    assert!(found.sites.len() > 300, "{}", found.sites.len());
}

criterion_group!(benches, index);
criterion_main!(benches);
