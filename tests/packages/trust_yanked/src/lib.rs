//! Fetched, never built: see `tests/tests/trust/watched_dependencies.rs`.
