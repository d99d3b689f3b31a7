//! Lists the packages to build again after a change of one package, in build order. Prints the
//! number of jobs with which each runs on a builder of a given size.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::Choice;
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::plans::Builder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stack = Stack::shipped()?;
    let builder: Builder = "cpus=16,memory=32G,disk=500G".parse()?;
    let changed = ["rocsparse".to_owned()];
    let plan = stack.builds(Backend::Arch, &Choice::Shipped, &changed, None, &[builder])?;
    for job in &plan.jobs {
        match job.best() {
            Some((_, fit)) => println!("{}: {} jobs, after {:?}", job.name, fit.jobs, job.needs),
            None => println!("{}: does not fit on it", job.name),
        }
    }
    Ok(())
}
