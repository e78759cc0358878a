//! The tests and functions of a C file, by tree-sitter.
