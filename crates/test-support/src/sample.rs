//! Limits tests that take too long for CI to a sample of their cases. `cargo xtask whole tests`
//! runs these tests in full.

use std::{env, io::Write};

/// Returns true if tests run in full: `cargo xtask whole` sets `ROCPKG_WHOLE`.
pub fn is_whole() -> bool {
    env::var_os("ROCPKG_WHOLE").is_some()
}

/// Returns `most` of the items `all`, evenly spread, or all items if tests run in full. The choice
/// is the same in each run. The number of items that are left out is printed with `name`, the noun
/// for them.
///
/// `sample("odd numbers", 2, [1, 3, 5, 7])` -> `[3, 7]`
pub fn sample<T>(name: &str, most: usize, all: impl IntoIterator<Item = T>) -> Vec<T> {
    let all: Vec<T> = all.into_iter().collect();
    let count = all.len();
    if is_whole() || count <= most {
        return all;
    }
    left_out(&format!("{} of {count} {name}", count - most));
    let parts = |at: usize| at * most / count;
    let kept = all.into_iter().enumerate();
    kept.filter(|(at, _)| parts(*at) < parts(at + 1))
        .map(|(_, item)| item)
        .collect()
}

/// Prints the sentence that `what`, a part of a test, is left out in CI.
pub fn left_out(what: &str) {
    // The test harness captures the output of the macros, and this line must also be visible if the
    // test passes.
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "left to `cargo xtask whole tests`: {what}");
}
