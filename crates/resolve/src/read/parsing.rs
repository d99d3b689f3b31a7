//! Profile files parsed side by side: what one says has nothing to do with what another says.

use rocpkg_model::{Findings, Node, parse};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// With fewer bytes than this, starting a thread takes longer than it spares.
const FEW_BYTES: usize = 64 * 1024;

/// More threads than this wait for memory, not for processors.
const MOST_THREADS: usize = 4;

/// The tree of a text, if it can be read, and what is wrong with it.
pub(crate) type Parsed = (Option<Node>, Findings);

/// The tree of one text.
pub(crate) fn one(file: u32, text: &str) -> Parsed {
    let mut findings = Findings::default();
    (parse(file, text, &mut findings), findings)
}

/// The tree of each text, in order, with what is wrong with it; their files are numbered in that order.
///
/// Absent where there is one thread, or where the texts are few.
pub(crate) fn side_by_side(texts: &[&str], threads: usize) -> Option<Vec<Parsed>> {
    let bytes: usize = texts.iter().map(|t| t.len()).sum();
    let threads = threads.min(MOST_THREADS);
    if threads <= 1 || bytes < FEW_BYTES {
        return None;
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(texts.len()));
    let work = || {
        let mut mine = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(i) else { break };
            mine.push((i, one(u32::try_from(i).unwrap_or(u32::MAX), text)));
        }
        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(mine);
    };
    thread::scope(|s| {
        for _ in 1..threads {
            // What no thread is started for, this one does.
            if thread::Builder::new().spawn_scoped(s, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|(i, _)| *i);
    Some(done.into_iter().map(|(_, parsed)| parsed).collect())
}
