//! Commands that write to the machine that builds, instead of below `$pkgdir` or `$srcdir`.

use rocpkg_model::{Finding, Findings, Span};
use rocpkg_render::bash::{Command, Quoting, Stmt};

/// Reports commands of a step that write outside of what is packaged: to an absolute path that is none below `image`, as its
/// distribution calls the folder.
pub fn check_outside(stmts: &[Stmt], span: Span, image: &str, findings: &mut Findings) {
    for (program, path) in stmts.iter().flat_map(outside) {
        let message = format!("`{program}` writes to `{path}`, outside the package");
        let label = format!("expected a path below `${{{image}}}`, or one of the sources");
        findings.push(Finding::error("E0440", span, message).label(label));
    }
}

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
fn outside(stmt: &Stmt) -> Vec<(String, String)> {
    match stmt {
        Stmt::Command(c) => command(c),
        // Free text is read command by command, with what may stand before one; paths in variables are its author's.
        Stmt::Raw(text) => text.print_bare(Quoting::Short).lines().flat_map(line).collect(),
        Stmt::From(_, inner) | Stmt::For { body: inner, .. } | Stmt::Function { body: inner, .. } => {
            inner.iter().flat_map(outside).collect()
        }
        Stmt::If { branches, otherwise } => {
            let bodies = branches.iter().map(|(_, body)| body).chain([otherwise]);
            bodies.flatten().flat_map(outside).collect()
        }
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

/// Words of bash that stand before a command, and programs that run the one behind them.
const BEFORE: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "{", "(", "!", "time", "command", "env", "sudo"];

fn line(text: &str) -> Vec<(String, String)> {
    // A comment writes nothing.
    let text = text.split_once(" #").map_or(text, |(code, _)| code);
    if text.trim_start().starts_with('#') {
        return Vec::new();
    }
    // `&>` sends output away, every other `&` ends a command.
    let text = text.replace("&>", ">").replace("2>&1", "");
    let mut out = Vec::new();
    for command in text.split([';', '|', '&']) {
        let spaced = command.replace(">>", ">").replace('>', " > ");
        let mut words: Vec<String> = spaced.split_whitespace().map(bare).collect();
        let first = words.iter().position(|w| !BEFORE.contains(&w.as_str()) && !is_assignment(w));
        words.drain(..first.unwrap_or(words.len()));
        while let Some(at) = words.iter().position(|w| w == ">") {
            let file = words.get(at + 1).cloned().unwrap_or_default();
            let program = words[0].clone();
            words.drain(at..(at + 2).min(words.len()));
            if is_outside(&file) {
                out.push((program, file));
            }
        }
        out.extend(plain(&words));
    }
    out
}

/// `NAME=value` before a command.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
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

    #[test]
    fn what_stands_before_a_command_hides_nothing() {
        assert_eq!(of("if true; then install -Dm644 x /etc/foo; fi"), ["/etc/foo"]);
        assert_eq!(of("for x in a b; do cp \"$x\" /opt/\ndone"), ["/opt/"]);
        assert_eq!(of("[[ -e x ]] || { mkdir /opt/a; }"), ["/opt/a"]);
        assert_eq!(of("! LC_ALL=C touch /etc/y"), ["/etc/y"]);
        assert_eq!(of("echo a > /etc/foo.conf"), ["/etc/foo.conf"]);
        assert_eq!(of("printf '%s' a >>/etc/foo.conf"), ["/etc/foo.conf"]);
        assert_eq!(of("make &> /var/log/x"), ["/var/log/x"]);
        assert!(of("echo a > \"$pkgdir/etc/foo\"; make > /dev/null 2>&1").is_empty());
        assert!(of("# rm -rf /opt\nmake # touch /etc/x").is_empty());
    }
}
