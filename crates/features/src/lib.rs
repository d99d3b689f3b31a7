//! Nothing but features of others' crates: see `Cargo.toml`.
