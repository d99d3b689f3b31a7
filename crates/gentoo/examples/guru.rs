#![allow(clippy::all, clippy::pedantic, clippy::disallowed_methods)]
use rocpkg_syntax::Surroundings;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
fn walk(dir: &Path, base: &Path, out: &mut Vec<PathBuf>) {
    let Ok(rd) = std::fs::read_dir(dir) else {
        return;
    };
    for e in rd.flatten() {
        let p = e.path();
        if p.is_dir() {
            walk(&p, base, out)
        } else {
            out.push(p.strip_prefix(base).unwrap().to_owned())
        }
    }
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = PathBuf::from(&args[0]);
    let mut ecl = BTreeMap::new();
    for dir in std::iter::once(root.join("eclass")).chain(args[1..].iter().map(PathBuf::from)) {
        for e in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let n = e.file_name().into_string().unwrap();
            if n.ends_with(".eclass") {
                if let Ok(t) = std::fs::read_to_string(e.path()) {
                    ecl.entry(format!("eclass/{n}")).or_insert(t);
                }
            }
        }
    }
    let mut all = Vec::new();
    walk(&root, &root, &mut all);
    let t0 = std::time::Instant::now();
    let mut spent = std::time::Duration::ZERO;
    let mut n = 0;
    let mut un: BTreeMap<String, usize> = BTreeMap::new();
    for p in all
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "ebuild"))
    {
        let Ok(text) = std::fs::read_to_string(root.join(p)) else {
            continue;
        };
        let dir = root.join(p).parent().unwrap().to_owned();
        let mut fs = Vec::new();
        walk(&dir, &dir, &mut fs);
        let mut texts = ecl.clone();
        if let Ok(m) = std::fs::read_to_string(dir.join("Manifest")) {
            texts.insert("Manifest".into(), m);
        }
        let s = Surroundings {
            path: p.to_string_lossy().into(),
            files: Some(
                fs.iter()
                    .map(|f| f.to_string_lossy().into_owned())
                    .collect::<BTreeSet<_>>(),
            ),
            texts,
            archives: BTreeMap::new(),
        };
        let t = std::time::Instant::now();
        let c = rocpkg_gentoo::check(&text, &s);
        spent += t.elapsed();
        n += 1;
        for f in &c.faults {
            println!(
                "{} {}:{} {} | {}",
                f.finding.code,
                p.display(),
                text[..f.at()].matches('\n').count() + 1,
                f.finding.message,
                text[f.at()..].lines().next().unwrap_or("")
            );
        }
        for u in &c.unchecked {
            *un.entry(format!("{}: {}", u.subject, u.reason))
                .or_default() += 1;
        }
    }
    eprintln!("{n} ebuilds, check {spent:?}, all {:?}", t0.elapsed());
    let mut un: Vec<_> = un.into_iter().collect();
    un.sort_by_key(|x| std::cmp::Reverse(x.1));
    for (k, v) in un.iter().take(40) {
        eprintln!("  {v} {k}");
    }
}
