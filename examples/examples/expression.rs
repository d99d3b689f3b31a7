//! A Nix expression from code. Its arguments are derived from the names that it uses, and the
//! layout follows nixfmt's rules.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::nix::{Binding, Expression, NixExpr};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let read = |text: &str| NixExpr::read(text).map_err(|faults| format!("{faults:?}"));
    let source = read(
        "fetchFromGitHub { owner = \"somebody\"; repo = \"hipthing\"; tag = \"v${finalAttrs.version}\"; hash = lib.fakeHash; }",
    )?;
    let flags = read("[ (lib.cmakeBool \"BUILD_TESTING\" finalAttrs.doCheck) ]")?;
    let expression = Expression::package("hipthing", "1.2", source)
        .option("buildTests", NixExpr::Bool(false))
        .inputs("nativeBuildInputs", ["cmake", "clr"])
        .inputs("buildInputs", ["rocblas"])
        .attribute(Binding::new("cmakeFlags", flags).apart())
        .attribute(Binding::new("doCheck", read("buildTests")?).apart())
        .meta("Things for GPUs", "https://example.org/hipthing", ["mit"])
        .meta_attribute(Binding::new("platforms", read("lib.platforms.linux")?));
    expression.check()?;
    print!("{expression}");
    Ok(())
}
