//! Commands that write to the machine that builds, instead of below the image or where the sources lie.

mod programs;
mod text;

use programs::Call;
use rocpkg_model::{Finding, Findings, Span};
use rocpkg_render::bash::{Command, Quoting, Stmt};
use text::{Simple, commands};

/// The folders that a recipe's variables hold.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    /// Those that become the package, the one that messages name first.
    pub images: &'a [&'a str],
    /// Others that a build may write below, but not above.
    pub own: &'a [&'a str],
    /// Those of the machine, and functions that answer with one.
    pub machine: &'a [&'a str],
}

/// Reports commands of a step that write outside of what is packaged: to an absolute path, to a folder of the machine, or above one
/// of the build's own.
pub fn check_outside(stmts: &[Stmt], span: Span, folders: &Folders<'_>, findings: &mut Findings) {
    let image = folders.images.first().unwrap_or(&"");
    let found: Vec<_> = stmts.iter().flat_map(|s| folders.outside(s)).collect();
    let here = |at: Span| at.file == span.file && span.start <= at.start && at.end <= span.end;
    // A path that is wrong wherever it stands was told when the step was read.
    let told = !found.is_empty() && findings.any(|f| f.code == "E0563" && f.span.is_some_and(here));
    for (program, path) in found.into_iter().filter(|_| !told) {
        let enters = CHANGE_FOLDER.contains(&program.as_str());
        let what = if enters { "goes to" } else { "writes to" };
        let message = format!("`{program}` {what} `{path}`, outside the package");
        let label = format!("expected a path below `${{{image}}}`, or one of the sources");
        findings.push(Finding::error("E0440", span, message).label(label));
    }
}

/// Behind them, relative paths are others.
const CHANGE_FOLDER: &[&str] = &["cd", "pushd"];

impl Folders<'_> {
    /// The paths outside that a statement writes to, each with the program that does it.
    fn outside(&self, stmt: &Stmt) -> Vec<(String, String)> {
        match stmt {
            Stmt::Command(c) => self.command(c),
            // Paths in variables are their author's.
            Stmt::Raw(text) => {
                let text = text.print_bare(Quoting::Short);
                // Where a command before may have set it, it is not followed.
                let installs_below = text.contains("DESTDIR");
                commands(&text).iter().flat_map(|c| self.simple(c, installs_below)).collect()
            }
            Stmt::From(_, inner) | Stmt::For { body: inner, .. } | Stmt::Function { body: inner, .. } => {
                inner.iter().flat_map(|s| self.outside(s)).collect()
            }
            Stmt::If { branches, otherwise } => {
                let bodies = branches.iter().map(|(_, body)| body).chain([otherwise]);
                bodies.flatten().flat_map(|s| self.outside(s)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn command(&self, c: &Command) -> Vec<(String, String)> {
        let set = c.env.iter().map(|(name, value)| format!("{name}={}", bare(&value.print(Quoting::Short))));
        let words = c.words.iter().map(|w| w.print(Quoting::Short));
        let outputs = c.output.iter().map(|file| file.print(Quoting::Short)).collect();
        let simple = Simple { words: set.chain(words).collect(), outputs };
        let mut out = self.simple(&simple, c.env.iter().any(|(name, _)| name == "DESTDIR"));
        // Free text may go to any folder to read there.
        if let Some((program, folders)) = simple.words[c.env.len()..].split_first()
            && CHANGE_FOLDER.contains(&program.as_str())
        {
            let folders = folders.iter().map(|w| bare(w)).filter(|path| self.is_outside(path));
            out.extend(folders.map(|path| (program.clone(), path)));
        }
        out.extend(c.pipe.iter().flat_map(|next| self.command(next)));
        out
    }

    /// What one command writes to; with a `DESTDIR`, a prefix lies below that.
    fn simple(&self, c: &Simple, destdir: bool) -> Vec<(String, String)> {
        let words: Vec<String> = c.words.iter().map(|w| bare(w)).collect();
        let call = Call::of(&words);
        let outside = |path: &String| if call.is_below() { leaves(path) } else { self.is_outside(path) };
        let outputs = c.outputs.iter().map(|file| bare(file)).filter(|file| self.is_outside(file));
        let written = call.written(destdir).into_iter().filter(outside).chain(outputs);
        written.map(|path| (call.program.clone(), path)).collect()
    }

    /// True for an absolute path, but for devices, and for one that a variable leads out of the build.
    fn is_outside(&self, path: &str) -> bool {
        let unquoted = |text: &str| text.replace(['"', '\''], "");
        let path = path.trim_start_matches(['"', '\'', '\\']);
        if path.starts_with('/') {
            return unquoted(path).strip_prefix("/dev/").is_none_or(leaves);
        }
        let Some((name, whole, rest)) = variable(path) else { return false };
        let rest = unquoted(rest);
        let image = self.images.contains(&name);
        // Without a slash between, it is a neighbour of the image.
        let beside = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c));
        self.machine.iter().any(|known| [name, whole].contains(known))
            || image && beside
            || (image || self.own.contains(&name)) && leaves(&rest)
    }
}

/// The variable or function that a word begins with, all that its brackets hold, and what stands behind it.
fn variable(path: &str) -> Option<(&str, &str, &str)> {
    let text = path.strip_prefix('$')?;
    let (inner, rest) = match text.chars().next()? {
        '{' => text[1..].split_once('}')?,
        '(' => text[1..].split_once(')')?,
        _ => text.split_at(text.find(|c: char| !is_of_name(c)).unwrap_or(text.len())),
    };
    let name = &inner[..inner.find(|c: char| !is_of_name(c)).unwrap_or(inner.len())];
    Some((name, inner, rest))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// True for a path that goes above where it begins.
fn leaves(path: &str) -> bool {
    let mut depth = 0_i64;
    path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// `NAME=value`, `NAME+=value` or `NAME[1]=value`.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.strip_suffix(']').and_then(|n| n.split_once('[')).map_or(name, |(name, _)| name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_of_name)
}

/// A word without the quotes around it.
fn bare(word: &str) -> String {
    let quoted = word.strip_prefix('$').filter(|w| w.starts_with(['"', '\'']));
    quoted.unwrap_or(word).trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocpkg_render::bash::Word;

    const FOLDERS: Folders<'_> =
        Folders { images: &["pkgdir"], own: &["srcdir"], machine: &["EPREFIX", "get_llvm_prefix"] };

    fn of(text: &str) -> Vec<String> {
        FOLDERS.outside(&Stmt::Raw(Word::lit(text))).into_iter().map(|(_, path)| path).collect()
    }

    fn of_command(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(|w| Word::lit(*w)).collect();
        FOLDERS.outside(&Stmt::Command(Command::new(words))).into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn what_is_written_counts_and_what_is_read_does_not() {
        assert_eq!(of("install -Dm644 x /etc/foo"), ["/etc/foo"]);
        assert_eq!(of("install -Dm644 -t /etc x y"), ["/etc"]);
        assert_eq!(of("cp '/usr/share/x' \"/opt/y\""), ["/opt/y"]);
        assert_eq!(of("cd x && mkdir -p /opt/a /opt/b"), ["/opt/a", "/opt/b"]);
        assert!(of("install -Dm644 /etc/foo \"$pkgdir/etc/foo\"").is_empty());
        assert!(of("ln -s /opt/rocm/lib/x \"$pkgdir/usr/lib/x\"; ln -s /opt/rocm/lib/y").is_empty());
        assert!(of("grep -q x /etc/passwd; rm -f /dev/null").is_empty());
    }

    #[test]
    fn an_option_may_hold_the_folder() {
        for text in [
            "cp -t/etc x",
            "install -Dm644 -t/etc x",
            "install -vDt /etc x",
            "mv --target=/etc x",
            "cp --target-directory /etc x",
        ] {
            assert_eq!(of(text), ["/etc"], "{text}");
        }
        assert_eq!(of("install -dm755 /etc/a /etc/b"), ["/etc/a", "/etc/b"]);
        assert_eq!(of("mv /etc/a \"$pkgdir/a\""), ["/etc/a"]);
        assert_eq!(of("rm -f -- /etc/a"), ["/etc/a"]);
        assert!(
            of("install -m 644 /etc/a b; install -Dm644 -t \"$pkgdir/d\" /etc/a; cp -S /x a b").is_empty()
        );
    }

    #[test]
    fn folders_above_are_outside() {
        for text in [
            "\"$pkgdir\"/../x",
            "\"$pkgdir/a/../../x\"",
            "${pkgdir}/..",
            "\"$srcdir/../x\"",
            "/dev/../etc",
            "\"$pkgdir\"usr/x",
            "\"${pkgdir}-x\"",
        ] {
            assert_eq!(of(&format!("touch {text}")).len(), 1, "{text}");
        }
        for text in ["\"$pkgdir/a/../x\"", "\"$pkgdir$prefix/x\"", "../x", "\"$other/../x\"", "$srcdir"] {
            assert!(of(&format!("touch {text}")).is_empty(), "{text}");
        }
        assert_eq!(of("cp x \"${EPREFIX}\"/usr/x").len(), 1);
        assert_eq!(of("cp x \"$(get_llvm_prefix)/x\"").len(), 1);
        assert_eq!(of("insinto /usr/../../x"), ["/usr/../../x"]);
        assert!(of("insinto /usr/x; dosym ../x /usr/y").is_empty());
    }

    #[test]
    fn words_that_are_known_tell_more() {
        assert_eq!(of_command(&["cd", "/etc"]), ["/etc"]);
        assert_eq!(of_command(&["sed", "-i", "/a/d", "/etc/x"]), ["/etc/x"]);
        assert_eq!(of_command(&["sed", "-e", "/a/d", "-Ei", "/etc/x", "y"]), ["/etc/x"]);
        assert_eq!(of_command(&["substituteInPlace", "/etc/x", "--replace-fail", "/a", "/b"]), ["/etc/x"]);
        assert!(of_command(&["sed", "-i", "/a/d", "x"]).is_empty());
        assert!(of_command(&["sed", "/a/d", "/etc/x"]).is_empty());
        assert!(of("cd /usr/share && sed -i '/a/d' x").is_empty());
    }

    #[test]
    fn quotes_and_documents_hold_no_commands() {
        for text in [
            "cat > x <<EOF\ncp a /etc/b\nEOF",
            "cat > x <<-'END'\n\tcp a /etc/b\n\tEND\ncp a b",
            "cat > x <<\\EOF\ncp a /etc/b\n",
            "x=$(cat <<EOF\nit's\ncp a /etc/b\nEOF\n)\necho 'cp a /etc/b'",
            "echo \"lib -> /usr/lib\"",
            "grep -q \"=> /usr/lib\" x",
            "sed -e 's|</a>|</b>/usr|; s|->|/x|' a > b",
            "echo \"one\ncp a /etc/x\n\"",
            "echo 'one\ncp a /etc/x\n' $'it\\'s\ncp a /etc/x'",
            "[[ a > /etc/b ]]",
            "[[ a > /etc/b && ( b < /etc/c || c =~ ^(a|/etc)$ ) ]] && make",
            "(( a > /etc/b )); x=$(( 1 > /etc/b ))",
            "install -Dm644 /dev/stdin x < /etc/y",
            "cp a b # touch; cp a /etc/x",
            "x=(a > /etc/b) y+=( # it's\n cp a /etc/x )",
            "case a in cp|touch) ;; rm) make ;; esac",
            "rm -f lib/!(a|/etc/b) \"${x%\"/etc\"}\" \"${x:-\"; cp a /etc/b\"}\" ${x//\\}/>/etc/x}",
            "make 2>&1 >&2 2>&- | cat <<< /etc/x",
            "echo `cat > b` \"it's\" > x; command -v cp a /etc/x",
            "touch --reference /etc/a x; chmod --ref=/etc/a x; chmod --reference /etc/a x",
            "tar -xf /etc/a -C x; tar -cf a -C /etc x; tar -tf /etc/a; patch -d x -i /etc/a",
            "sed -ne 's/i/j/' /etc/x; sed -i --expression /etc x; sed -i -f /etc/a x",
            "cmake --install build; DESTDIR=\"$pkgdir\" cmake --install build --prefix /usr",
            "export DESTDIR=\"$pkgdir\"\ncmake --install build --prefix /usr",
            "make install DESTDIR=\"$pkgdir\"; make install DESTDIR= prefix=/usr",
        ] {
            assert!(of(text).is_empty(), "{text}: {:?}", of(text));
        }
        assert_eq!(
            of("cat <<A <<B >/etc/x && cp a /opt/x\nA\ncp a /etc/b\nB\ntouch /etc/y"),
            ["/etc/x", "/opt/x", "/etc/y"]
        );
    }

    #[test]
    fn no_spelling_hides_a_command() {
        for text in [
            "sed -i s/a/b/ /etc/x",
            "sed --in-place=.old -e s/a/b/ /etc/x",
            "cp a \\\n /etc/x",
            "c\\\np a /et\\\nc/x",
            "case a in a) cp a /etc/x ;; esac",
            "case a in\n(a|b) true;;\nc) case b in d) cp a /etc/x; esac; esac",
            "( cp a /etc/x )",
            "(cp a /etc/x)",
            "\\cp a /etc/x",
            "\"cp\" a /etc/x",
            "/usr/bin/install -Dm644 a /etc/x",
            "cat a >| /etc/x",
            "cat a >& /etc/x",
            "cat a &> /etc/x",
            "cat a &>> /etc/x",
            "cat a 2>/etc/x",
            "> /etc/x",
            "{ cat a; } > '/etc/x'",
            "while true; do cat a; done >/etc/x",
            "x=$(cp a /etc/x)",
            "echo \"a $(cp a /etc/x) b\"",
            "make | tee >(cat > /etc/x)",
            "f() { cp a /etc/x; }",
            "function f { cp a /etc/x; }",
            "time -p cp a /etc/x",
            "nonfatal env -u A B=c cp a /etc/x",
            "x=(a b) cp a /etc/x",
            "[[ a > b ]] && cp a /etc/x",
            "for ((i = 0; i < 2; i++)); do cp a /etc/x; done",
            "cat > x <<EOF\nit's\nEOF\ncp a /etc/x",
            "cp a $'/etc/x'",
            "DESTDIR=/etc/x cmake --install build",
            "DESTDIR=$pkgdir cmake --install build --prefix /usr > /etc/x",
        ] {
            assert_eq!(of(text).len(), 1, "{text}: {:?}", of(text));
            let path = of(text).concat();
            assert!(path.ends_with("/etc/x"), "{text}: {path}");
        }
    }

    #[test]
    fn words_are_read_as_text_is() {
        for words in [
            &["/bin/cp", "a", "/etc/x"][..],
            &["env", "cp", "a", "/etc/x"],
            &["env", "-i", "A=b", "cp", "a", "/etc/x"],
            &["command", "cp", "a", "/etc/x"],
            &["tar", "-xf", "a", "-C", "/etc/x"],
            &["tar", "xf", "a", "--directory=/etc/x"],
            &["tar", "-czf", "/etc/x", "a"],
            &["patch", "-p1", "-d", "/etc/x", "-i", "a"],
            &["patch", "/etc/x", "a"],
            &["make", "install", "DESTDIR=/etc/x"],
            &["cmake", "--install", "build", "--prefix", "/etc/x"],
            &["cmake", "--install", "build", "--prefix=/etc/x"],
        ] {
            assert_eq!(of_command(words), ["/etc/x"], "{words:?}");
        }
        assert_eq!(of_command(&["make", "install", "DESTDIR=/"]), ["/"]);
        assert!(of_command(&["env", "DESTDIR=x", "cmake", "--install", "x", "--prefix", "/usr"]).is_empty());
        assert!(of_command(&["touch", "--reference", "/etc/a", "x"]).is_empty());
        assert!(of_command(&["chmod", "--reference", "/etc/a", "x"]).is_empty());
    }

    #[test]
    fn what_is_set_for_a_command_counts() {
        let words = ["cmake", "--install", "build", "--prefix", "/usr"].map(Word::lit);
        let of = |value: &str| {
            let env = vec![("DESTDIR".to_owned(), Word::lit(value))];
            FOLDERS.outside(&Stmt::Command(Command { env, ..Command::new(words.to_vec()) }))
        };
        assert!(of("build/image").is_empty());
        assert_eq!(of("/etc"), [("cmake".to_owned(), "/etc".to_owned())]);
    }

    #[test]
    fn text_that_is_not_closed_is_read_to_its_end() {
        let pieces = [
            "'",
            "\"",
            "`",
            "$(",
            "${",
            "((",
            "(",
            "[[ ",
            "case a in ",
            "<<E\n",
            "<(",
            "\\",
            "$'",
            "x=(",
            "!(",
            ">",
            "é",
            "a)",
            ";;",
            "$((",
            "<<",
            "esac ",
            "&>",
            "\n",
            ")",
            "}",
            "#",
            "{ ",
            "time ",
            " ",
            "function ",
        ];
        let mut next = 1_usize;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(next >> 33) % pieces.len()]);
            }
            of(&text);
        }
        for piece in pieces {
            for other in ["'", "\"", "${", "$(", "é"] {
                of(&format!("{piece}{other}").repeat(3000));
            }
        }
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
