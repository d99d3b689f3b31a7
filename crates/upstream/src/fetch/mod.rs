//! Fetches files by https into the cache, with a limited number of attempts.

mod cache;
mod hosts;
mod limits;

pub(crate) use cache::Cache;
pub(crate) use hosts::Hosts;
pub(crate) use limits::Bounds;
pub use limits::Limits;

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

/// The settings for fetching: the hosts that may be contacted, the number of attempts, and the
/// cache.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The hosts that the model names.
    pub hosts: BTreeSet<String>,
    /// The template of the addresses from which git repositories are fetched instead of from
    /// GitHub. It contains `{owner}` and `{repository}`. `None` for GitHub.
    pub mirror: Option<String>,
    /// The folder of the cache, or `None` for a temporary folder that is removed at the end.
    pub cache: Option<PathBuf>,
    /// The number of attempts for each request; 0 counts as 1.
    pub tries: u32,
    /// The time to wait before the second attempt. It doubles before each further one.
    pub pause: Duration,
    /// The most that is fetched.
    pub limits: Limits,
}

impl Default for Policy {
    fn default() -> Self {
        let (hosts, pause) = (BTreeSet::new(), Duration::from_secs(2));
        Self {
            hosts,
            mirror: None,
            cache: None,
            tries: 3,
            pause,
            limits: Limits::default(),
        }
    }
}

/// The highest number of requests for one file: the first request, and one for each redirect.
const MOST_REDIRECTS: usize = 5;

pub(crate) struct Fetcher {
    agent: Agent,
    hosts: Hosts,
    tries: u32,
    pause: Duration,
    bounds: Bounds,
    /// The hosts that all attempts failed to fetch a file from, each with the reason. They are not
    /// contacted again.
    silent: RefCell<BTreeMap<String, String>>,
}

enum AttemptFault {
    /// A failure that may be temporary, so that another attempt may succeed.
    Passing(String),
    Final(Failure),
}

impl From<Failure> for AttemptFault {
    fn from(failure: Failure) -> Self {
        Self::Final(failure)
    }
}

impl Fetcher {
    pub(crate) fn new(policy: &Policy, bounds: Bounds) -> Self {
        // ureq takes the proxies from the environment by default.
        let config = Agent::config_builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("rocpkg/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(30)))
            .timeout_recv_response(Some(Duration::from_mins(1)))
            .timeout_per_read(Some(Duration::from_mins(1)));
        Self {
            agent: config.build().new_agent(),
            hosts: Hosts::new(&policy.hosts),
            tries: policy.tries.max(1),
            pause: policy.pause,
            bounds,
            silent: RefCell::default(),
        }
    }

    /// Returns the path of the file from the address `url` in the cache. Fetches the file if the
    /// cache does not have it.
    pub(crate) fn file(&self, cache: &Cache, url: &str) -> Result<PathBuf, Failure> {
        let host = self.hosts.check(url)?;
        let path = cache.file(url);
        if path.is_file() {
            return Ok(path);
        }
        let silent = self.silent.borrow().get(&host).cloned();
        if let Some(why) = silent {
            return Err(Failure::Network {
                url: url.to_owned(),
                why,
            });
        }
        let part = path.with_extension("part");
        let mut pause = self.pause;
        for attempt in 1.. {
            self.bounds.check_time(url)?;
            match self.attempt(url, &part) {
                Ok(()) => break,
                Err(AttemptFault::Final(failure)) => {
                    // A file that is too large must not fill the disk.
                    let _ = fs::remove_file(&part);
                    return Err(failure);
                }
                Err(AttemptFault::Passing(why)) if attempt >= self.tries => {
                    self.silent.borrow_mut().insert(host, why.clone());
                    return Err(Failure::Network {
                        url: url.to_owned(),
                        why,
                    });
                }
                Err(AttemptFault::Passing(_)) => std::thread::sleep(pause),
            }
            pause *= 2;
        }
        fs::rename(&part, &path).map_err(Failure::file(&path))?;
        Ok(path)
    }

    /// Tries once to fetch the file from `url` into the file `part`.
    fn attempt(&self, url: &str, part: &Path) -> Result<(), AttemptFault> {
        let response = self.ask(url)?;
        match response.status() {
            StatusCode::OK => self.receive(response, url, part),
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(Failure::Missing {
                url: url.into(),
                what: "there is no such file".into(),
            }
            .into()),
            status => {
                let why = format!("the server answered {status}");
                let busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT];
                if status.is_server_error() || busy.contains(&status) {
                    return Err(AttemptFault::Passing(why));
                }
                Err(Failure::Network {
                    url: url.into(),
                    why,
                }
                .into())
            }
        }
    }

    /// Requests a file, and follows redirects to hosts that may be contacted. Returns the first
    /// response that is no redirect.
    fn ask(&self, url: &str) -> Result<Response<Body>, AttemptFault> {
        let mut at = url.to_owned();
        for _ in 0..MOST_REDIRECTS {
            let response = self
                .agent
                .get(&at)
                .call()
                .map_err(|e| AttemptFault::Passing(e.to_string()))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let to = text(&response, &header::LOCATION).unwrap_or_default();
            at = self.hosts.follow(url, &at, &to)?;
        }
        Err(Failure::Redirected {
            url: url.into(),
            to: at,
        }
        .into())
    }

    /// Writes the body of a response to the file `part`.
    fn receive(
        &self,
        response: Response<Body>,
        url: &str,
        part: &Path,
    ) -> Result<(), AttemptFault> {
        let chunked =
            text(&response, &header::TRANSFER_ENCODING).is_some_and(|t| t.ends_with("chunked"));
        let length: Option<u64> =
            text(&response, &header::CONTENT_LENGTH).and_then(|t| t.parse().ok());
        if length.is_none() && !chunked {
            return Err(AttemptFault::Passing(
                "the server does not state the length, so an incomplete file would go unnoticed"
                    .into(),
            ));
        }
        self.bounds.check_size(url, length.unwrap_or_default())?;
        let mut file = File::create(part).map_err(Failure::file(part))?;
        let bar = bar(length);
        let mut body = response.into_body().into_reader();
        let mut buffer = vec![0; 1 << 16];
        let mut got = 0;
        loop {
            let read = body.read(&mut buffer).map_err(|e| {
                AttemptFault::Passing(format!("interrupted after {got} bytes: {e}"))
            })?;
            if read == 0 {
                break;
            }
            got += read as u64;
            self.bounds.check_size(url, got)?;
            self.bounds.check_time(url)?;
            file.write_all(&buffer[..read])
                .map_err(Failure::file(part))?;
            bar.inc(read as u64);
        }
        bar.finish_and_clear();
        match length.filter(|length| *length != got) {
            Some(length) => Err(AttemptFault::Passing(format!(
                "interrupted after {got} of {length} bytes"
            ))),
            None => file.sync_all().map_err(|e| Failure::file(part)(e).into()),
        }
    }
}

/// Returns a progress bar that counts bytes up to `length`, which is `None` if the server does not
/// state it. The bar is visible only on a terminal.
fn bar(length: Option<u64>) -> ProgressBar {
    let style =
        |text| ProgressStyle::with_template(text).unwrap_or_else(|_| ProgressStyle::default_bar());
    match length {
        Some(length) => {
            ProgressBar::new(length).with_style(style("{wide_bar} {bytes}/{total_bytes} {eta}"))
        }
        None => ProgressBar::new_spinner().with_style(style("{bytes} {bytes_per_sec}")),
    }
}

fn text(response: &Response<Body>, name: &header::HeaderName) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}
