//! The targets under libFuzzer: `ROCPKG_FUZZ_TARGET` names the one that is run. `cargo xtask fuzz` builds and starts this.
#![no_main]

mod targets;

use libfuzzer_sys::{Corpus, fuzz_target};
use std::sync::LazyLock;
use targets::{Target, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("ROCPKG_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("ROCPKG_FUZZ_TARGET={name}: no such target"))
});

fuzz_target!(|bytes: &[u8]| -> Corpus {
    if bytes.len() > TARGET.longest {
        return Corpus::Reject;
    }
    (TARGET.run)(bytes);
    Corpus::Keep
});
