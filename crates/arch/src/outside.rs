//! Commands that write to the machine that builds, instead of below `$pkgdir` or `$srcdir`.

use rocpkg_render::bash::{Command, Quoting, Stmt};

/// What a command does with the paths among its words.
enum Writes {
    /// It writes to the last one, or into the folder after `-t`.
    Last,
    /// It changes each of them.
    Each,
}

/// The programs that write to paths they are given; all others may read any path.
fn writes(program: &str) -> Option<Writes> {
    match program {
        "cp" | "install" | "ln" | "mv" => Some(Writes::Last),
        "chmod" | "chown" | "mkdir" | "rm" | "rmdir" | "tee" | "touch" | "truncate" => Some(Writes::Each),
        _ => None,
    }
}

/// The paths outside that a statement writes to, each with the program that does it.
pub(crate) fn outside(stmt: &Stmt) -> Vec<(String, String)> {
    match stmt {
        Stmt::Command(c) => command(c),
        // Free text is read as plain commands only: what it does in a more knotty way is its author's.
        Stmt::Raw(text) => text.print_bare(Quoting::Short).lines().flat_map(line).collect(),
        Stmt::From(_, inner) => inner.iter().flat_map(outside).collect(),
        _ => Vec::new(),
    }
}

fn command(c: &Command) -> Vec<(String, String)> {
    let words: Vec<String> = c.words.iter().map(|w| bare(&w.print(Quoting::Short))).collect();
    let mut out = plain(&words);
    if let Some(file) = &c.output {
        let file = bare(&file.print(Quoting::Short));
        if is_outside(&file) {
            out.push((words.first().cloned().unwrap_or_default(), file));
        }
    }
    out.extend(c.pipe.iter().flat_map(|next| command(next)));
    out
}

fn line(text: &str) -> Vec<(String, String)> {
    let commands = text.split([';', '|', '&']);
    let words = commands.map(|c| c.split_whitespace().map(bare).collect::<Vec<_>>());
    words.flat_map(|w| plain(&w)).collect()
}

/// What a command of these words writes to.
fn plain(words: &[String]) -> Vec<(String, String)> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let Some(how) = writes(program) else { return Vec::new() };
    let folder = rest.iter().enumerate().find_map(|(i, w)| match w.as_str() {
        "-t" | "--target-directory" => rest.get(i + 1).cloned(),
        w => w.strip_prefix("--target-directory=").map(str::to_owned),
    });
    let paths: Vec<&String> = rest.iter().filter(|w| !w.starts_with('-')).collect();
    let written: Vec<String> = match (how, folder) {
        (Writes::Last, Some(folder)) => vec![folder],
        (Writes::Last, None) => paths.last().map(|p| (*p).clone()).into_iter().collect(),
        (Writes::Each, _) => paths.into_iter().cloned().collect(),
    };
    written.into_iter().filter(|p| is_outside(p)).map(|p| (program.clone(), p)).collect()
}

/// True for an absolute path, but for devices.
fn is_outside(path: &str) -> bool {
    path.starts_with('/') && !path.starts_with("/dev/")
}

/// A word without the quotes around it.
fn bare(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocpkg_render::bash::Word;

    fn of(text: &str) -> Vec<String> {
        outside(&Stmt::Raw(Word::lit(text))).into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn what_is_written_counts_and_what_is_read_does_not() {
        assert_eq!(of("install -Dm644 x /etc/foo"), ["/etc/foo"]);
        assert_eq!(of("install -Dm644 -t /etc x y"), ["/etc"]);
        assert_eq!(of("cp '/usr/share/x' \"/opt/y\""), ["/opt/y"]);
        assert_eq!(of("cd x && mkdir -p /opt/a /opt/b"), ["/opt/a", "/opt/b"]);
        assert!(of("install -Dm644 /etc/foo \"$pkgdir/etc/foo\"").is_empty());
        assert!(of("ln -s /opt/rocm/lib/x \"$pkgdir/usr/lib/x\"").is_empty());
        assert!(of("grep -q x /etc/passwd; rm -f /dev/null").is_empty());
    }
}
