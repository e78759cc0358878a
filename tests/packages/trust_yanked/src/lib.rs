//! Fetched, never built: see `tests/tests/all/trust/watched_dependencies.rs`.
