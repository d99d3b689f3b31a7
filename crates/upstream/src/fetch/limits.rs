//! The limits of fetching: the bytes of a file, and the time of a run.

use crate::failure::Failure;
use std::time::{Duration, Instant};

/// The limits of what is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a file. By default 16 GiB: the largest archives of ROCm, those of LLVM and
    /// of whole releases, have several GiB.
    pub bytes: u64,
    /// The longest time in which all files of a run are fetched. By default 12 hours: 50 archives
    /// of 1 GiB take 12 hours at 1.2 MiB per second.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 16 << 30,
            time: Duration::from_hours(12),
        }
    }
}

/// The limits of a run that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    limits: Limits,
    begin: Instant,
}

impl Bounds {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            begin: Instant::now(),
        }
    }

    /// Returns an error if a file has more bytes than the limit.
    pub(crate) fn check_size(&self, url: &str, bytes: u64) -> Result<(), Failure> {
        let limit = self.limits.bytes;
        if bytes <= limit {
            return Ok(());
        }
        Err(Failure::Large {
            url: url.to_owned(),
            limit: size(limit),
        })
    }

    /// Returns an error if the time of the run is over.
    pub(crate) fn check_time(&self, url: &str) -> Result<(), Failure> {
        let limit = self.limits.time;
        if self.begin.elapsed() < limit {
            return Ok(());
        }
        Err(Failure::Late {
            url: url.to_owned(),
            limit: time(limit),
        })
    }
}

/// Returns a number of bytes as text: `16 GiB`.
fn size(bytes: u64) -> String {
    let gib = bytes >> 30;
    if gib << 30 == bytes {
        format!("{gib} GiB")
    } else {
        format!("{bytes} bytes")
    }
}

/// Returns a time as text: `12 hours`.
fn time(time: Duration) -> String {
    let hours = time.as_secs() / 3600;
    if Duration::from_hours(hours) == time {
        format!("{hours} hours")
    } else {
        format!("{} seconds", time.as_secs_f64())
    }
}
