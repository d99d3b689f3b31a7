//! The result of a bump as JSON, as far as a bump of the model and one of a checkout share it.

use rocpkg::bump::Bumped;
use rocpkg::internal::render::Difference;
use serde_json::{Value, json};

/// Returns a bump of the model as JSON. `differences` are those of its files.
pub(super) fn document(bumped: &Bumped, differences: &[Difference], written: bool) -> Value {
    let left = bumped
        .left
        .iter()
        .map(|(distro, version)| json!({"distribution": distro, "version": version}));
    let files = differences
        .iter()
        .map(|d| json!({"path": d.path, "diff": d.diff}));
    json!({
        "version": bumped.version,
        "written": written && !differences.is_empty(),
        "unmoved": left.collect::<Vec<_>>(),
        "moved": bumped.moved,
        "files": files.collect::<Vec<_>>(),
        "look": bumped.look,
    })
}
