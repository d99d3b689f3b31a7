//! `rocpkg schema`: the JSON Schemas of the profile files, and of the output of
//! `rocpkg bump --json`.

use crate::args::{BUMP, SchemaArgs};
use crate::outcome::Outcome;
use rocpkg::internal::model::FileKind;

/// Prints the schema that the arguments name, or an object with the schemas of all kinds of profile
/// files, by kind.
pub(crate) fn run(args: &SchemaArgs) -> Outcome {
    if args.kind.as_deref() == Some(BUMP) {
        return Outcome::done(include_str!("bump.schema.json").to_owned());
    }
    if let Some(kind) = FileKind::ALL
        .iter()
        .find(|kind| args.kind.as_deref() == Some(kind.word()))
    {
        return Outcome::done(rocpkg::internal::schema(*kind));
    }
    let each: Vec<String> = FileKind::ALL
        .iter()
        .map(|kind| {
            format!(
                "\"{}\": {}",
                kind.word(),
                rocpkg::internal::schema(*kind).trim_end()
            )
        })
        .collect();
    Outcome::done(format!("{{{}}}\n", each.join(",\n")))
}
