//! Does nothing. Without a build script, cargo would not read `[build-dependencies]`.

fn main() {}
