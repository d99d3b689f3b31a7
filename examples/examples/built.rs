//! Reads a built library. Prints its code by GPU target, the way in which the code runs on a GPU,
//! and the differences between the library and its recipe.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::Choice;
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::audit::read;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "../tests/fuzz/corpus/audit/libx.so".to_owned());
    let audit = read(Path::new(&path))?;
    for file in &audit.files {
        println!("{} needs {:?}", file.path, file.needed);
        for (target, held) in file.targets() {
            println!(
                "  {target}: {} code objects of {} bytes",
                held.objects, held.size
            );
        }
    }
    let stack = Stack::shipped()?;
    let arch = stack.questions(Backend::Arch, &Choice::Shipped)?;
    let gpus = stack.gpu("RX 6650 XT")?.targets();
    for (file, gpu) in audit
        .files
        .iter()
        .flat_map(|file| gpus.iter().map(move |gpu| (file, gpu)))
    {
        println!(
            "on {}: {:?}",
            stack.gpu_targets()?.name(gpu),
            arch.code_on(file, gpu)
        );
    }
    // The file is compared with the recipe of rocRAND, as if it had been built for one target.
    let asked = stack.targets("gfx1100")?;
    for row in arch.differences(&audit, "rocrand", Some(&asked)) {
        println!("{}: {}", row.about.rule().0, row.said);
    }
    Ok(())
}
