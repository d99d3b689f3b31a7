//! The proof on the shipped profiles: what is left open, and what is known.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg::model::{Files, Findings, Severity};
use rocpkg::resolve::{Choice, Model, Proof};
use rocpkg::{Backend, Stack, StackOptions, StackTree};

/// Renders the shipped model with files laid over it.
fn with(over: &[(&str, &str)]) -> (Stack, StackTree, Findings) {
    let over: Files = over.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let (model, mut findings) =
        Model::load(&[(String::new(), rocpkg::profiles()), ("over".to_owned(), over)]);
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    let options = StackOptions {
        backends: Backend::ALL.to_vec(),
        choice: Choice::Shipped,
        packages: Vec::new(),
        allow_missing: true,
        allow_guesses: true,
        review: false,
    };
    let tree = stack.render(&options, &mut findings).unwrap();
    assert!(!findings.has_errors(), "{}", findings.render(stack.sources(), false));
    (stack, tree, findings)
}

fn proof(tree: &StackTree, backend: Backend) -> &Proof {
    &tree.proofs.iter().find(|(b, _)| *b == backend).unwrap().1
}

/// The messages of a proof that have this code, those called known included.
fn messages(proof: &Proof, code: &str) -> Vec<String> {
    let known = proof.known.iter().map(|k| &k.finding);
    let all = proof.findings.sorted().into_iter().chain(known);
    all.filter(|f| f.code == code).map(|f| f.message.clone()).collect()
}

#[test]
fn the_shipped_profiles_are_proved_but_for_what_is_known() {
    let (stack, tree, _) = with(&[]);
    let model = stack.model();
    let mut out = String::new();
    let mut open = String::new();
    for (backend, proof) in &tree.proofs {
        let errors = proof.findings.sorted().into_iter().filter(|f| f.severity == Severity::Error);
        let mut wrong = Findings::default();
        errors.for_each(|f| wrong.push(f.clone()));
        open.push_str(&wrong.render(&model.sources, false));
        for f in &proof.unmet {
            open.push_str(&format!("{}: {}\n", model.sources.place(f.span.unwrap()), f.message));
        }
        out.push_str(&format!("{}: {} edges, ", backend.distro(), proof.edges));
        out.push_str(&format!("{} proved\n", proof.edges - proof.unproved.len()));
        for known in &proof.known {
            let f = &known.finding;
            out.push_str(&format!(
                "  {} {}\n    {}\n    known: {}\n",
                f.code, f.message, f.label, known.reason
            ));
        }
        for edge in &proof.unproved {
            let missing = edge.missing.join("; ");
            out.push_str(&format!("  {} > {}: not known: {missing}\n", edge.package, edge.dependency));
        }
    }
    assert!(open.is_empty(), "{open}");
    insta::assert_snapshot!(out);
}

#[test]
fn a_key_that_changes_no_byte_changes_no_proof() {
    let (_, before, _) = with(&[]);
    let (_, after, _) = with(&[("distros/nixpkgs/hiprand.yaml", "nix: {gpu-targets: ~}\n")]);
    let file = "nix/hiprand/default.nix";
    assert_eq!(before.files.get(file), after.files.get(file));
    assert_eq!(
        messages(proof(&after, Backend::Nix), "E0606"),
        messages(proof(&before, Backend::Nix), "E0606")
    );
}

#[test]
fn exclusions_from_a_tools_list_are_compared_over_an_edge() {
    let excludes = "{targets: [gfx906, gfx1010, gfx1012, gfx1152], reason: a test}";
    let over = format!("targets: {{excludes: [{excludes}]}}\n");
    let (_, tree, _) = with(&[("distros/arch/rocblas.yaml", &over)]);
    let printed = tree.files.get("arch/rocblas/PKGBUILD").unwrap();
    assert!(String::from_utf8_lossy(printed).contains("rocm-supported-gfx -e gfx906 -e gfx1010"));
    let found = messages(proof(&tree, Backend::Arch), "E0602");
    let hole = "`miopen` is built for gfx906, gfx1010, gfx1012, gfx1152, and `rocblas` is not";
    assert!(found.iter().any(|m| m == hole), "{found:?}");
}
