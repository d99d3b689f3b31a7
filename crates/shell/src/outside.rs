//! Finds commands that install to an absolute path such as `/usr/lib`. A recipe must put the
//! variable of the package's folder before the path: `$pkgdir/usr/lib`.

use rocpkg_model::{Finding, Findings, Span};
use rocpkg_render::bash::{Quoting, Stmt, read_shell};

/// Programs that write to their last operand, or to the folder behind `-t`.
const TO_LAST: [&str; 4] = ["cp", "install", "ln", "mv"];

/// Programs that create, change or remove each of their operands.
const TO_EACH: [&str; 4] = ["mkdir", "rm", "rmdir", "touch"];

/// Reports commands in the statements of a step that write to an absolute path. `span` is the place
/// of the step. `image` is the variable that is expected before the path, such as `pkgdir`.
pub fn check_outside(stmts: &[Stmt], span: Span, image: &str, findings: &mut Findings) {
    let mut report = |words: &[&str]| {
        for path in written(words) {
            let message = format!("`{}` writes to `{path}`, outside the package", words[0]);
            let label = format!("expected a path below `${{{image}}}`, or one of the sources");
            findings.push(Finding::error("E0440", span, message).label(label));
        }
    };
    for stmt in stmts {
        match stmt {
            Stmt::Command(c) => {
                let output = c
                    .output
                    .iter()
                    .flat_map(|file| [">".to_owned(), file.print(Quoting::Short)]);
                let words = c
                    .words
                    .iter()
                    .map(|w| w.print(Quoting::Short))
                    .chain(output);
                let words: Vec<String> = words.collect();
                report(&words.iter().map(String::as_str).collect::<Vec<_>>());
            }
            Stmt::Raw(text) => {
                let text = text.print_bare(Quoting::Short).replace("\\\n", " ");
                let held = read_shell(&text).held;
                let lines = text.lines().enumerate().filter(|(i, _)| !held.contains(i));
                for (_, line) in lines {
                    let line = line.replace(';', " ; ");
                    let mut quoted = false;
                    let begins_plain = |word: &&str| {
                        let plain = !quoted;
                        quoted ^= word.matches(['"', '\'']).count() % 2 == 1;
                        plain
                    };
                    let words: Vec<&str> = line.split_whitespace().filter(begins_plain).collect();
                    let ends = |word: &&str| ["&&", "||", "|", ";", "then", "do"].contains(word);
                    words.split(ends).for_each(&mut report);
                }
            }
            _ => {}
        }
    }
}

/// Returns the absolute paths that a command writes to. `words` are the command's words as they are
/// printed: `cp a "/etc/b"` -> `/etc/b`.
fn written<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let Some((program, rest)) = words.split_first() else {
        return Vec::new();
    };
    let option = |word: &str| word.starts_with('-');
    let operands = || rest.iter().copied().filter(|word| !option(word));
    let folder = rest.iter().enumerate().find_map(|(i, word)| {
        let short = option(word) && !word.starts_with("--");
        let attached = word
            .strip_prefix("--target-directory=")
            .or(word.strip_prefix("-t"));
        if short && word.ends_with('t') {
            rest.get(i + 1).copied()
        } else {
            attached
        }
    });
    let folders = *program == "install"
        && rest
            .iter()
            .any(|w| option(w) && w.contains('d') && !w.contains('D'));
    let mut paths: Vec<&str> = match (TO_LAST.contains(program), folder) {
        (true, Some(folder)) => vec![folder],
        (true, None) if !folders => operands().skip(1).last().into_iter().collect(),
        (true, None) => operands().collect(),
        (false, _) if TO_EACH.contains(program) => operands().collect(),
        (false, _) => Vec::new(),
    };
    paths.extend(
        words
            .windows(2)
            .filter(|pair| matches!(pair[0], ">" | ">>"))
            .map(|pair| pair[1]),
    );
    let bare = paths.into_iter().map(|path| path.trim_matches(['"', '\'']));
    let absolute = |path: &&str| {
        ["/", "$EPREFIX", "${EPREFIX}"]
            .iter()
            .any(|root| path.starts_with(root))
    };
    bare.filter(|path| absolute(path) && !path.starts_with("/dev/"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocpkg_render::bash::Word;

    #[test]
    fn what_is_written_counts_and_what_is_read_does_not() {
        let of = |text: &str| {
            let mut findings = Findings::default();
            check_outside(
                &[Stmt::Raw(Word::lit(text))],
                Span::default(),
                "pkgdir",
                &mut findings,
            );
            findings
                .sorted()
                .iter()
                .map(|f| f.message.split('`').nth(3).unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        for text in [
            "install -Dm644 x /etc/x",
            "install -Dm644 -t /etc/x y",
            "install -vDt /etc/x y",
            "cp -t/etc/x y",
            "mv --target-directory=/etc/x y",
            "install -dm755 \"$pkgdir/a\" '/etc/x'",
            "cd x && mkdir -p \"/etc/x\"",
            "if [[ -e a ]]; then echo b > /etc/x; fi",
        ] {
            assert_eq!(of(text), ["/etc/x"], "{text}");
        }
        for text in [
            "install -Dm644 /etc/foo \"$pkgdir/etc/foo\"",
            "ln -s /opt/rocm/lib/x \"$pkgdir/usr/lib/x\"",
            "ln -s /opt/rocm/lib/x",
            "grep -q x /etc/passwd; rm -f /dev/null",
            "echo \"a; rm -rf /\" > x",
            "cat > x <<EOF\ncp a /etc/b\nEOF",
            "install -m 644 /etc/a b",
        ] {
            assert!(of(text).is_empty(), "{text}");
        }
    }
}
