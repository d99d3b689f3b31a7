//! Does nothing: without it, cargo would not read `[build-dependencies]`.

fn main() {}
