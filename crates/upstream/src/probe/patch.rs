//! Reads unified diffs, and applies them to files in memory by the rules of `patch`.

use std::fmt;

/// The changes of a patch to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// The path before the change, as it is written; `None` for a new file.
    pub from: Option<String>,
    /// The path after the change; `None` for a file that is removed.
    pub to: Option<String>,
    /// Set if the change can't be applied as text, as that of a binary file.
    pub is_other: bool,
    /// Set if the patch changes the mode of the file, or states nothing else about it: a new empty
    /// file has no lines.
    pub is_more: bool,
    /// Set if git moves or copies the file, so that both paths are meant.
    is_moved: bool,
    hunks: Vec<Hunk>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    /// The line at which the hunk begins in the file, from 1: before the change, and after it. It
    /// is 0 in an empty file.
    at: [usize; 2],
    /// The lines of the hunk. Each has its mark: a blank, `+` or `-`.
    lines: Vec<(u8, Vec<u8>)>,
}

/// The distance between the place that a patch states and the place where it applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slack {
    /// The number of context lines that differ at an end of a hunk. `patch` allows two, and so does
    /// Gentoo's `eapply`, which calls it. Git refuses any.
    pub fuzz: usize,
    /// The largest number of lines between the stated place of a hunk and the place where it fits.
    pub offset: usize,
}

/// The hunk that does not fit anywhere: its number, from 1, and the number of all hunks of the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit(pub usize, pub usize);

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hunk {} of {}", self.0, self.1)
    }
}

/// Returns the files of a patch. Their paths are those in the patch.
pub fn read(text: &[u8]) -> Vec<FilePatch> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut lines = text.split_inclusive(|b| *b == b'\n').peekable();
    let (mut in_git, mut changes_mode) = (false, false);
    while let Some(line) = lines.next() {
        let shown = String::from_utf8_lossy(line);
        let shown = shown.trim_end();
        if shown.starts_with("diff --git ") {
            changes_mode = false;
            files.push(FilePatch {
                is_more: true,
                ..FilePatch::default()
            });
            in_git = true;
        } else if let Some(from) = shown.strip_prefix("--- ") {
            let Some(next) = lines.next_if(|next| next.starts_with(b"+++ ")) else {
                continue;
            };
            let next = String::from_utf8_lossy(next);
            if !in_git {
                files.push(FilePatch::default());
            }
            in_git = false;
            if let Some(file) = files.last_mut() {
                (file.from, file.to) = (path(from), path(next[4..].trim_end()));
                file.is_more = changes_mode;
            }
        } else if let (Some(old), Some(file)) =
            (shown.strip_prefix("rename from "), files.last_mut())
        {
            (file.from, file.is_moved) = (Some(format!("a/{old}")), true);
        } else if let (Some(new), Some(file)) = (shown.strip_prefix("rename to "), files.last_mut())
        {
            file.to = Some(format!("b/{new}"));
        } else if let (true, Some(file)) = (shown.starts_with("copy from "), files.last_mut()) {
            file.is_moved = true;
        } else if let (true, Some(file)) = (shown.starts_with("old mode "), files.last_mut()) {
            changes_mode = true;
            file.is_more = true;
        } else if shown.starts_with("GIT binary patch") || shown.starts_with("Binary files ") {
            files
                .last_mut()
                .into_iter()
                .for_each(|file| file.is_other = true);
        } else if let (Some(head), Some(file)) = (shown.strip_prefix("@@ -"), files.last_mut()) {
            file.hunks.extend(hunk(head, &mut lines));
        }
    }
    files
}

/// Returns the path in a line behind `--- ` or `+++ `, without the time behind it; none for
/// `/dev/null`. As in `patch`: a path with blanks ends at a tab.
fn path(said: &str) -> Option<String> {
    let quoted = said
        .strip_prefix('"')
        .and_then(|said| said.split('"').next());
    let plain = match said.split_once('\t') {
        Some((path, _)) => path.trim_end(),
        None => said.split(' ').next().unwrap_or(said),
    };
    let path = quoted.unwrap_or(plain);
    (path != "/dev/null").then(|| path.to_owned())
}

/// Reads a hunk. `head` is the rest of its first line after `@@ -`: `12,3 +12,4 @@`. `lines` are
/// the following lines. Returns `None` if the hunk is not complete.
fn hunk<'t>(
    head: &str,
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'t [u8]>>,
) -> Option<Hunk> {
    let range = |text: &str| -> Option<(usize, usize)> {
        let (at, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((at.parse().ok()?, count.parse().ok()?))
    };
    let (before, rest) = head.split_once(" +")?;
    let ((at, mut old), (now, mut new)) = (range(before)?, range(rest.split(' ').next()?)?);
    let mut hunk = Hunk {
        at: [at, now],
        lines: Vec::new(),
    };
    while old > 0 || new > 0 {
        let line = lines.next()?;
        let (mark, text) = match line {
            [mark @ (b' ' | b'+' | b'-'), text @ ..] => (*mark, text),
            [b'\\', ..] => continue,
            // An empty line of context has lost its mark, a blank.
            _ => (b' ', line),
        };
        old -= usize::from(mark != b'+').min(old);
        new -= usize::from(mark != b'-').min(new);
        hunk.lines.push((mark, text.to_vec()));
        if lines.next_if(|next| next.starts_with(b"\\")).is_some() {
            // The last line of the file has no newline.
            let last = hunk.lines.last_mut()?;
            last.1.pop_if(|b| *b == b'\n');
        }
    }
    Some(hunk)
}

impl FilePatch {
    /// Returns the reverse of the change.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut out = self.clone();
        std::mem::swap(&mut out.from, &mut out.to);
        for hunk in &mut out.hunks {
            hunk.at.reverse();
            for (mark, _) in &mut hunk.lines {
                *mark = match *mark {
                    b'+' => b'-',
                    b'-' => b'+',
                    other => other,
                };
            }
        }
        out
    }

    /// Chooses the file of a change whose two paths differ, such as `a.txt.orig` and `a.txt`, by
    /// the rule of `patch`: of the paths that `exists` accepts, the one with the fewest parts, then
    /// the one with the shortest name, then the shortest path. If none exists, the change may be
    /// that of a new file. A file that git moves keeps both paths.
    pub(super) fn choose(&mut self, exists: impl Fn(&str) -> bool) {
        let (Some(from), Some(to)) = (&self.from, &self.to) else {
            return;
        };
        if self.is_moved {
            return;
        }
        let size = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or_default();
            (path.matches('/').count(), name.len(), path.len())
        };
        let [has_from, has_to] = [exists(from), exists(to)];
        let is_new = !has_from && !has_to;
        let all = [(from, has_from), (to, has_to)].into_iter();
        let all = all.filter(|(_, is_there)| *is_there || is_new);
        let best = all.map(|(path, _)| path).min_by_key(size).cloned();
        let adds_all = matches!(&self.hunks[..], [hunk] if hunk.at[0] == 0);
        self.from = best.clone().filter(|_| !is_new || !adds_all);
        self.to = best;
    }

    /// Applies the change to a text.
    ///
    /// # Errors
    /// When a hunk does not fit anywhere. The error names the first such hunk.
    pub fn apply(&self, text: &[u8]) -> Result<(Vec<u8>, Slack), Misfit> {
        let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
        let (mut out, mut taken, mut slack) = (Vec::new(), 0, Slack::default());
        let mut drift = 0_isize;
        for (i, hunk) in self.hunks.iter().enumerate() {
            let fits = (0..=2).find_map(|fuzz| hunk.place(&lines, taken, drift, fuzz));
            let (at, expected, fuzz, [head, tail]) = fits.ok_or(Misfit(i + 1, self.hunks.len()))?;
            slack = Slack {
                fuzz: slack.fuzz.max(fuzz),
                offset: slack.offset.max(at.abs_diff(expected)),
            };
            drift += at.cast_signed() - expected.cast_signed();
            lines[taken..at]
                .iter()
                .for_each(|line| out.extend_from_slice(line));
            taken = at;
            for (mark, text) in &hunk.lines[head..hunk.lines.len() - tail] {
                match mark {
                    b'+' => out.extend_from_slice(text),
                    b'-' => taken += 1,
                    _ => {
                        out.extend_from_slice(lines[taken]);
                        taken += 1;
                    }
                }
            }
        }
        // `drift` shifts the expected places of later hunks, so that the offset of a hunk counts
        // only once.
        lines[taken..]
            .iter()
            .for_each(|line| out.extend_from_slice(line));
        Ok((out, slack))
    }
}

/// The evidence in a file that a patch was applied to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The file has the lines that the patch makes.
    Applied,
    /// The file is absent, as after the patch, and may never have existed at this path.
    Absent,
    /// The file does not have these lines, or may have them by chance.
    None,
}

impl FilePatch {
    /// Returns the evidence that a file has the change already. `text` is its content at the path
    /// after the change; `None` if it does not exist.
    pub(super) fn evidence(&self, text: Option<&[u8]>) -> Evidence {
        let text = match (&self.to, text) {
            _ if self.is_more || self.is_other || self.hunks.is_empty() => return Evidence::None,
            (None, None) => return Evidence::Absent,
            (None, Some(_)) | (Some(_), None) => return Evidence::None,
            (Some(_), Some(text)) => text,
        };
        let back = self.reversed();
        let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
        let (mut taken, mut drift) = (0, 0_isize);
        for (own, hunk) in self.hunks.iter().zip(&back.hunks) {
            let found = (0..=2).find_map(|fuzz| hunk.place(&lines, taken, drift, fuzz));
            let Some((at, expected, fuzz, [head, tail])) = found else {
                return Evidence::None;
            };
            let inner = &own.lines[head..own.lines.len() - tail];
            let has = |wanted: u8| inner.iter().any(|(mark, _)| *mark == wanted);
            // Lines that are only removed leave context, which other places may have as well.
            let is_certain = has(b'+') && has(b' ') || at == expected && has(b' ');
            let is_whole = self.from.is_none() && hunk.lines.len() == lines.len();
            let is_fuzzy = fuzz > 0 && !is_certain_with_fuzz(inner, &lines);
            if is_fuzzy || !is_certain && !is_whole {
                return Evidence::None;
            }
            drift += at.cast_signed() - expected.cast_signed();
            taken = at + inner.iter().filter(|(mark, _)| *mark != b'-').count();
        }
        Evidence::Applied
    }
}

/// Returns true if a file with the lines `file` has the change of a hunk for certain, although its
/// outer lines of context differ. `inner` are the lines of the hunk without these: it adds a line
/// that says something, has context on both sides, and the file has none of the removed lines.
fn is_certain_with_fuzz(inner: &[(u8, Vec<u8>)], file: &[&[u8]]) -> bool {
    let is_context = |line: Option<&(u8, Vec<u8>)>| line.is_some_and(|(mark, _)| *mark == b' ');
    let of = |wanted: u8| {
        let lines = inner.iter().filter(move |(mark, _)| *mark == wanted);
        let lines = lines.map(|(_, text)| text.trim_ascii());
        // Lines such as `endif()` are found everywhere.
        lines.filter(|text| text.len() > 8)
    };
    let is_left = |removed: &[u8]| {
        let is_moved = of(b'+').any(|added| added == removed);
        !is_moved && file.iter().any(|line| line.trim_ascii() == removed)
    };
    let is_between = is_context(inner.first()) && is_context(inner.last());
    is_between && of(b'+').next().is_some() && !of(b'-').any(is_left)
}

impl Hunk {
    /// Returns the place in `lines`, the lines of a file, that has the hunk's old lines and is
    /// nearest to the stated place. Places before the line `from` are taken by earlier hunks.
    /// `drift` is the offset of the hunk before, and `fuzz` the number of context lines that may be
    /// ignored at the ends. The result is the found place, the expected place, the fuzz, and the
    /// number of lines that are ignored at each end. It is `None` if no place fits.
    fn place(
        &self,
        lines: &[&[u8]],
        from: usize,
        drift: isize,
        fuzz: usize,
    ) -> Option<(usize, usize, usize, [usize; 2])> {
        let context = |all: &mut dyn Iterator<Item = &(u8, Vec<u8>)>| {
            all.take_while(|(mark, _)| *mark == b' ').count()
        };
        let (head, tail) = (
            context(&mut self.lines.iter()),
            context(&mut self.lines.iter().rev()),
        );
        // As in `patch`: the end with fewer lines of context ignores fewer lines by that
        // difference. If the fuzz is smaller than the difference, the hunk must be at that end of
        // the file. It must be at the beginning only if it states that place.
        let most = head.max(tail);
        let cut = [head, tail].map(|own| (own + fuzz).saturating_sub(most).min(own));
        let [is_first, is_last] = [head, tail].map(|own| own + fuzz < most);
        let is_first = is_first && self.at[0] <= 1;
        if fuzz > 0 && (cut == [0, 0] || head == self.lines.len()) {
            return None;
        }
        let inner = &self.lines[cut[0]..self.lines.len() - cut[1]];
        let old: Vec<&[u8]> = inner
            .iter()
            .filter(|(mark, _)| *mark != b'+')
            .map(|(_, t)| t.as_slice())
            .collect();
        // The head of a hunk that only adds lines contains the number of the line before them.
        let first = if self.lines.iter().all(|(mark, _)| *mark == b'+') {
            self.at[0]
        } else {
            self.at[0].saturating_sub(1)
        };
        let expected = (first + cut[0]).saturating_add_signed(drift);
        let is_at = |at: usize| {
            // The ignored lines before the hunk must have a place in the file, too.
            at >= from + cut[0]
                && (!is_first || at == 0)
                && (!is_last || at + old.len() == lines.len())
                && lines
                    .get(at..at + old.len())
                    .is_some_and(|there| there.iter().zip(&old).all(|(a, b)| same(a, b)))
        };
        let reach = lines.len().max(expected);
        let near =
            (0..=reach).flat_map(|off| [expected.checked_add(off), expected.checked_sub(off)]);
        let at = near.flatten().find(|at| is_at(*at))?;
        // A hunk without old lines matches everywhere, so only the expected place counts.
        (!old.is_empty() || at == expected).then_some((at, expected, fuzz, cut))
    }
}

/// Returns true if two lines are equal, apart from the difference between CR LF and LF.
fn same(a: &[u8], b: &[u8]) -> bool {
    let bare = |line: &'_ [u8]| line.strip_suffix(b"\n").unwrap_or(line).len();
    let (a, b) = (&a[..bare(a)], &b[..bare(b)]);
    a.strip_suffix(b"\r").unwrap_or(a) == b.strip_suffix(b"\r").unwrap_or(b)
}
