//! Scratch.
use rocpkg_syntax::Surroundings;
use std::io::BufRead;
fn main() {
    let stdin = std::io::stdin();
    let mut total = std::time::Duration::ZERO;
    for line in stdin.lock().lines() {
        let path = line.unwrap();
        let text = match std::fs::read(&path) {
            Ok(b) => String::from_utf8_lossy(&b).into_owned(),
            Err(e) => {
                eprintln!("{path} {e}");
                continue;
            }
        };
        let files = std::fs::read_to_string(format!("{path}.files"))
            .ok()
            .map(|t| t.lines().map(str::to_owned).collect());
        let beside = Surroundings {
            path: String::new(),
            files,
            ..Default::default()
        };
        let start = std::time::Instant::now();
        let checked = rocpkg_arch::check(&text, &beside);
        total += start.elapsed();
        let mut out = String::new();
        for f in &checked.faults {
            let at = f.at().min(text.len());
            let line = text.as_bytes()[..at]
                .iter()
                .filter(|b| **b == b'\n')
                .count()
                + 1;
            out += &format!(
                "\t{}{}:{}:{} [{}]",
                f.finding.code,
                if f.is_harmless { "~" } else { "" },
                line,
                f.finding.message,
                f.finding.label
            );
        }
        for u in &checked.unchecked {
            out += &format!("\tU:{}:{}", u.subject, u.reason);
        }
        println!("{path}{}", out.replace('\n', "\\n"));
    }
    eprintln!("{total:?}");
}
