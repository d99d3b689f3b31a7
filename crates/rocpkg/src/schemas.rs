//! `rocpkg schema`: JSON Schemas of the profile files.

use crate::args::SchemaArgs;
use crate::outcome::Outcome;
use rocpkg::model::FileKind;

/// Prints the schema of one kind of file, or an object of all by kind.
pub(crate) fn run(args: &SchemaArgs) -> Outcome {
    Outcome::done(match args.kind {
        Some(kind) => rocpkg::schema(kind),
        None => {
            let each: Vec<String> = FileKind::ALL
                .iter()
                .map(|kind| format!("\"{}\": {}", kind.word(), rocpkg::schema(*kind).trim_end()))
                .collect();
            format!("{{{}}}\n", each.join(",\n"))
        }
    })
}
