//! `rocpkg schema`: JSON Schemas of the profile files.

use crate::args::SchemaArgs;
use crate::outcome::Outcome;
use rocpkg::model::FileKind;

/// Prints the schema of one kind of file, or an object of all by kind.
pub(crate) fn run(args: &SchemaArgs) -> Outcome {
    if let Some(kind) = args.kind {
        return Outcome::done(rocpkg::schema(kind));
    }
    let each: Vec<String> = FileKind::ALL
        .iter()
        .map(|kind| format!("\"{}\": {}", kind.word(), rocpkg::schema(*kind).trim_end()))
        .collect();
    Outcome::done(format!("{{{}}}\n", each.join(",\n")))
}
