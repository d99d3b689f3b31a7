//! `rocpkg schema`: JSON Schemas of the profile files, and of what a command prints.

use crate::args::{Kind, SchemaArgs};
use crate::outcome::Outcome;
use rocpkg::model::FileKind;

/// Prints one schema, or an object of those of all kinds of files, by kind.
pub(crate) fn run(args: &SchemaArgs) -> Outcome {
    match args.kind {
        Some(Kind::File(kind)) => return Outcome::done(rocpkg::schema(kind)),
        Some(Kind::Bump) => return Outcome::done(include_str!("bump.schema.json").to_owned()),
        None => {}
    }
    let each: Vec<String> = FileKind::ALL
        .iter()
        .map(|kind| format!("\"{}\": {}", kind.word(), rocpkg::schema(*kind).trim_end()))
        .collect();
    Outcome::done(format!("{{{}}}\n", each.join(",\n")))
}
