//! Decides which hosts may be contacted.

use crate::failure::Failure;
use std::collections::BTreeSet;
use ureq::http::Uri;

/// The hosts to which GitHub redirects for archives, assets and patches.
/// <https://docs.github.com/en/rest/meta> lists its domains.
const OF_GITHUB: [&str; 5] = [
    "codeload.github.com",
    "objects.githubusercontent.com",
    "patch-diff.githubusercontent.com",
    "raw.githubusercontent.com",
    "release-assets.githubusercontent.com",
];

/// The hosts that may be contacted.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(BTreeSet<String>);

impl Hosts {
    pub(crate) fn new(named: &BTreeSet<String>) -> Self {
        let mut all: BTreeSet<String> =
            named.iter().map(|host| host.to_ascii_lowercase()).collect();
        if all.contains("github.com") {
            all.extend(OF_GITHUB.map(str::to_owned));
        }
        Self(all)
    }

    /// Returns the host of an address. For hosts on this machine, http is allowed, too.
    ///
    /// Fails if the host may not be contacted, or if the protocol is another one than https.
    pub(crate) fn check(&self, url: &str) -> Result<String, Failure> {
        let uri: Option<Uri> = url.parse().ok();
        let authority = uri
            .as_ref()
            .and_then(Uri::authority)
            .map(ToString::to_string)
            .unwrap_or_default();
        let host = uri
            .as_ref()
            .and_then(Uri::host)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let local = ["127.0.0.1", "localhost", "[::1]"].contains(&host.as_str());
        match uri.as_ref().and_then(Uri::scheme_str) {
            Some("https") => {}
            Some("http") if local => {}
            _ => {
                return Err(Failure::Insecure {
                    url: url.to_owned(),
                });
            }
        }
        // A user name before the host would be part of somebody's credentials.
        if authority.contains('@') || !self.0.contains(&host) {
            return Err(Failure::Host {
                url: url.to_owned(),
                host: authority,
            });
        }
        Ok(host)
    }

    /// Returns the address after a redirect: `to` is the address in the server's answer to a
    /// request of `at`, and may be relative to the host of `at`. Fails if the host may not be
    /// contacted; the error contains `url`, the address of the first request.
    pub(crate) fn follow(&self, url: &str, at: &str, to: &str) -> Result<String, Failure> {
        let place = if to.starts_with('/') && !to.starts_with("//") {
            let root = at.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
            format!("{root}{to}")
        } else {
            to.to_owned()
        };
        match self.check(&place) {
            Ok(_) => Ok(place),
            Err(_) => Err(Failure::Redirected {
                url: url.to_owned(),
                to: place,
            }),
        }
    }
}
