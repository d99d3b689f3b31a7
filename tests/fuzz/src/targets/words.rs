//! Small languages within profiles and on the command line.

use rocpkg::model::{Cond, Piece, Span, Text};
use rocpkg::nix::{Binding, NixExpr, interpolations};
use rocpkg::render::bash::read_shell;
use rocpkg::resolve::{Range, Release, is_sri, read_registry, triple, with_version};
use rocpkg::targets::{Found, Registry};
use std::sync::LazyLock;

/// A condition over features, targets and releases.
pub(super) fn condition(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(cond) = Cond::parse(&text) else { return };
    let leaves = cond.features().len() + cond.targets().len() + cond.releases().len();
    assert!(leaves > 0 && leaves <= text.len(), "{text:?}");
    // What answers all leaves answers the whole, and what answers none leaves it open.
    for answer in [true, false] {
        assert!(cond.reduce(&|_| Some(answer)).is_ok());
    }
    let left = cond.reduce(&|_| None).expect_err("nothing is known");
    assert_eq!(left.reduce(&|_| Some(true)).ok(), cond.reduce(&|_| Some(true)).ok(), "{text:?}");
}

/// Shell text that was written by hand.
pub(super) fn shell_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = read_shell(&text);
    assert!(read.fault.is_none_or(|f| text.is_char_boundary(f.at)), "{text:?}");
    assert!(
        read.held.is_sorted() && read.held.last().is_none_or(|n| *n < text.split('\n').count()),
        "{text:?}"
    );
}

/// A release, a range of them and a hash.
pub(super) fn release(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(release) = text.parse::<Release>() {
        assert_eq!(release.to_string(), text);
        assert_eq!(release.to_string().parse::<Release>().as_ref(), Ok(&release));
        let _ = (triple(&release), release.line());
        for (sign, holds) in [("=", true), (">=", true), ("<=", true), (">", false), ("<", false)] {
            match format!("{sign}{text}").parse::<Range>() {
                Ok(range) => assert_eq!(range.contains(&release), holds, "{sign}{text}"),
                Err(e) => assert_eq!((sign, release.parts()), ("<", [0; 3]), "{e}"),
            }
        }
        let _ = with_version(&Text::literal("v${version}"), &release);
    }
    if let Ok(range) = text.parse::<Range>() {
        assert!(range.to().is_none_or(|to| range.from() < to), "{text:?} is empty");
        // `>999999999` begins at a release that has no text.
        if let Ok(first) = range.from().map(|n| n.to_string()).join(".").parse::<Release>() {
            assert!(range.contains(&first), "{text:?}");
        }
    }
    let _ = is_sri(&text);
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut findings = rocpkg::model::Findings::default();
    let text = &rocpkg::profiles()["targets.yaml"];
    let node = rocpkg::model::parse(0, text, &mut findings).expect("the shipped targets are YAML");
    read_registry(&node, &mut findings).expect("the shipped targets are sound")
});

/// A target ID, and whatever else a person may call a GPU.
pub(super) fn target_id(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(id) = REGISTRY.parse_id(&text) {
        let shown = REGISTRY.show_id(id).to_string();
        assert_eq!(REGISTRY.parse_id(&shown), Ok(id), "{text:?} is shown as {shown:?}");
        assert_eq!(REGISTRY.find(&shown), Ok(Found::Id(id)));
        assert!(!id.conflicts(id));
    }
    match REGISTRY.find(&text) {
        Ok(found) => assert!(!found.targets().is_empty(), "{text:?} stands for nothing"),
        Err(e) => assert!(e.to_string().len() <= text.len() + 256),
    }
    let _ = REGISTRY.find_all(&text);
}

/// Text with references.
pub(super) fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(read) = Text::parse(&text, Span::default()) else { return };
    let printed = read.to_string();
    assert_eq!(Text::parse(&printed, Span::default()).as_ref(), Ok(&read), "{text:?} prints as {printed:?}");
    let neighbours = |w: &[Piece]| matches!(w, [Piece::Literal(_), Piece::Literal(_)]);
    assert!(!read.pieces.windows(2).any(neighbours), "{text:?}");
    // What any language quotes, it reads back: of Nix and bash a reader of ours is at hand.
    let literal: String = read
        .pieces
        .iter()
        .map(|p| match p {
            Piece::Literal(t) | Piece::Reference(t) => t.as_str(),
        })
        .collect();
    if !literal.contains('\0') {
        let quoted = rocpkg::render::nix::string(&[rocpkg::render::nix::Piece::Literal(literal.clone())]);
        assert_eq!(interpolations(&quoted), 0, "{quoted}");
    }
}

/// Nix text of an overlay: what is taken for one expression is one, within brackets too.
pub(super) fn nix(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match NixExpr::read(&text) {
        Ok(expr) => {
            let printed = expr.to_string();
            NixExpr::read(&printed).unwrap_or_else(|e| panic!("{text:?} prints as {printed:?}: {e:?}"));
            let wrapped = format!("[ ({printed}\n) ]");
            // The brackets may make it longer or deeper than what is read.
            let limited =
                |message: &str| message.contains("nested too deep") || message.contains("bytes of Nix");
            if let Err(faults) = NixExpr::read(&wrapped) {
                let all = faults.iter().all(|f| limited(&f.message));
                assert!(all, "{text:?} is no whole expression: {faults:?}");
            }
        }
        Err(faults) => {
            for fault in faults {
                assert!(fault.start <= fault.end && fault.end <= text.len() + 1, "{fault:?} of {text:?}");
            }
        }
    }
    let _ = Binding::read(&text);
}
