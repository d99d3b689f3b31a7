//! What becomes of the data that upstream's tests read.

use crate::layer::tree::{entry, map, put, scalar};
use rocpkg_model::{Habits, Node, TestDataHabit, Value};

/// Whether data for its tests is among the sources of a package.
fn fetches_test_data(package: &Node, habits: &Habits) -> bool {
    habits.test_data == Some(TestDataHabit::Fetched) && reads_test_data(package)
}

/// The condition under which something reads the data.
fn reader(data: &Node) -> &str {
    data.get("when").and_then(Node::text).unwrap_or("test")
}

/// Whether a package has data for its tests, and what reads it may be asked for.
fn reads_test_data(package: &Node) -> bool {
    package.get("test-data").is_some_and(|data| {
        let words = reader(data).split(|c: char| !c.is_alphanumeric() && c != '-');
        let mut features = words.filter_map(|word| package.get("features")?.get(word));
        features.any(|feature| feature.get("fixed").is_none())
    })
}

/// Whether that data is converted before the tests read it.
pub(crate) fn converts_test_data(package: &Node, habits: &Habits) -> bool {
    matches!(habits.test_data, Some(TestDataHabit::Fetched | TestDataHabit::Brought))
        && reads_test_data(package)
        && package.get("test-data").is_some_and(|data| data.get("converter").is_some())
}

/// Each archive of test data becomes a source of the features that read it.
pub(crate) fn test_data(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(data) = package.get("test-data").filter(|_| fetches_test_data(package, habits)) else { return };
    let base = data.get("base").and_then(Node::text).unwrap_or_default();
    let prefix = data.get("prefix").and_then(Node::text).unwrap_or("${name}_");
    let Some(Value::Seq(files)) = data.get("files").map(|f| &f.value) else { return };
    for file in files {
        let Some(text) = file.text() else { continue };
        let (span, name) = (file.span, text.rsplit('/').next().unwrap_or(text));
        let source = map(
            vec![
                entry("fetch", span, scalar("file", span)),
                entry("url", span, scalar(&format!("{base}/{text}.tar.gz"), span)),
                entry("save-as", span, scalar(&format!("{prefix}{name}.tar.gz"), span)),
                entry("when", span, scalar(reader(data), span)),
            ],
            span,
        );
        put(out, &["sources", name], source);
    }
}
