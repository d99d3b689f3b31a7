//! Computes the `.SRCINFO` from the text of a PKGBUILD, without running it.
//!
//! The global scope is evaluated as bash would run it. The functions of packages are read as
//! makepkg's `srcinfo.sh` and `util/pkgbuild.sh` read them. A value that only bash can compute is
//! refused with its place, and no value is guessed. `makepkg.rs` is the file to read next.

mod makepkg;
mod overrides;

use crate::value::srcinfo::{Section, Srcinfo, normal};
use crate::value::unread::unread;
pub(crate) use makepkg::{Makepkg, Stop, elements, sourced};
use overrides::Package;
use rocpkg_bash::evaluate::Run;
use rocpkg_syntax::{Fault, Listing};

/// The global fields, in the order of makepkg's `srcinfo.sh`: those with a single value, then the
/// arrays.
const WHOLE: (&str, &str) = (
    "pkgdesc pkgver pkgrel epoch url install changelog",
    "arch groups license checkdepends makedepends depends optdepends provides conflicts replaces \
noextract options backup source validpgpkeys cksums md5sums sha1sums sha224sums sha256sums \
sha384sums sha512sums b2sums",
);

/// The fields that a package's function may set, in the order of makepkg's `srcinfo.sh`: those with
/// a single value, then the arrays.
const OF_PACKAGE: (&str, &str) = (
    "pkgdesc url install changelog",
    "arch groups license checkdepends depends optdepends provides conflicts replaces options \
backup",
);

/// The fields that may differ between architectures, in the order of makepkg's `srcinfo.sh`.
const OF_ARCH: &str = "source provides conflicts depends replaces optdepends makedepends \
checkdepends cksums md5sums sha1sums sha224sums sha256sums sha384sums sha512sums b2sums";

/// Returns the `.SRCINFO` that `makepkg --printsrcinfo` prints for the PKGBUILD `text`, without
/// running anything.
///
/// `CARCH` is `x86_64`, which is the architecture of Arch's own packages.
///
/// # Errors
/// Returns a fault for each place that only bash can evaluate: the output of a command, a condition
/// that depends on the machine, a variable that the PKGBUILD does not set. If the text can't be
/// parsed, returns a fault at the first wrong byte.
///
/// ```
/// let text = "pkgname=a\n_v=1_2\npkgver=${_v//_/.}\npkgrel=1\narch=(any)\nprovides=(a-{b,c})\n";
/// let info = rocpkg_arch::evaluate(text).unwrap().to_string();
/// assert!(info.contains("\tpkgver = 1.2\n") && info.contains("\tprovides = a-c\n"));
///
/// let refused = rocpkg_arch::evaluate("pkgname=a\npkgver=$(date +%s)\npkgrel=1\narch=(any)\n");
/// assert_eq!(refused.unwrap_err()[0].finding.code, "E0830");
/// ```
pub fn evaluate(text: &str) -> Result<Srcinfo, Vec<Fault>> {
    let listing = Listing::read(text).map_err(|unreadable| vec![unread(text, &unreadable)])?;
    let sourced = sourced(text);
    let values = &sourced.0;
    let mut out = Output {
        stops: makepkg::stops(values, &listing),
        info: Srcinfo::default(),
    };
    // After a statement that was not evaluated, any variable may have another value.
    if out.stops.is_empty() {
        out.write(text, &listing, values);
    }
    if out.stops.is_empty() {
        return Ok(out.info);
    }
    out.stops.sort_by_key(|stop| stop.at.start);
    out.stops.dedup();
    Err(out.stops.into_iter().map(refused).collect())
}

fn refused(stop: Stop) -> Fault {
    let message = "rocpkg can't evaluate the PKGBUILD for its .SRCINFO";
    Fault::new("E0830", stop.at, message)
        .label(stop.reason)
        .hint("create the .SRCINFO with `makepkg --printsrcinfo`")
}

struct Output {
    info: Srcinfo,
    stops: Vec<Stop>,
}

impl Output {
    fn write(&mut self, text: &str, listing: &Listing, values: &Run<Makepkg>) {
        for name in ["pkgname", "pkgver", "pkgrel", "arch"] {
            let is_stated = match elements(values, name) {
                Ok(all) => all.is_some_and(|all| all.first().is_some_and(|one| !one.is_empty())),
                Err(_) => true,
            };
            if !is_stated {
                let reason = format!("makepkg refuses a PKGBUILD without `{name}`");
                self.stops.push(Stop { at: 0..0, reason });
            }
        }
        let names = self.known(elements(values, "pkgname")).unwrap_or_default();
        let base = self.known(elements(values, "pkgbase")).unwrap_or_default();
        let base = base.into_iter().next().filter(|base| !base.is_empty());
        self.info.base = base.or_else(|| names.first().cloned()).unwrap_or_default();
        let fields = self.section(
            WHOLE,
            |name, is_list| {
                let all = elements(values, name)?;
                let is_there =
                    |all: &Vec<String>| is_list || all.first().is_some_and(|one| !one.is_empty());
                let all = all.filter(|all| !all.is_empty() && is_there(all));
                Ok(all.map(|mut all| {
                    all.truncate(if is_list { all.len() } else { 1 });
                    all
                }))
            },
            &[],
        );
        self.info.fields = fields;
        let arches = self.known(elements(values, "arch")).unwrap_or_default();
        for name in names {
            let package = Package::new(text, listing, &name, values);
            let fields = self.section(
                OF_PACKAGE,
                |name, is_list| package.field(name, is_list),
                &arches,
            );
            self.info.packages.push((name, fields));
        }
    }

    /// Returns the lines of the global section or of a package. `single` and `lists` are the names
    /// of its fields. `value` returns the elements of a field by its name, and true for an array.
    /// `arches` are the global architectures.
    fn section(
        &mut self,
        (single, lists): (&str, &str),
        value: impl Fn(&str, bool) -> Result<Option<Vec<String>>, Stop>,
        arches: &[String],
    ) -> Section {
        let mut out = Section::new();
        let mut own = None;
        for (names, is_list) in [(single, false), (lists, true)] {
            for name in names.split_whitespace() {
                let all = self.known(value(name, is_list));
                if name == "arch" {
                    own.clone_from(&all);
                }
                self.lines(name, all, &mut out);
            }
        }
        for arch in own
            .as_deref()
            .unwrap_or(arches)
            .iter()
            .filter(|arch| *arch != "any")
        {
            for field in OF_ARCH.split_whitespace() {
                let name = format!("{field}_{arch}");
                let all = self.known(value(&name, true));
                self.lines(&name, all, &mut out);
            }
        }
        out
    }

    fn lines(&mut self, name: &str, all: Option<Vec<String>>, out: &mut Section) {
        let Some(mut all) = all else { return };
        // For an array without elements, makepkg's `printf` prints one line without a value.
        if all.is_empty() {
            all.push(String::new());
        }
        if all
            .iter()
            .any(|text| text.chars().any(|c| !c.is_ascii() && c.is_whitespace()))
        {
            let reason = format!("`{name}` contains a blank that depends on the locale");
            self.stops.push(Stop { at: 0..0, reason });
        }
        out.extend(all.iter().map(|text| (name.to_owned(), normal(text))));
    }

    /// Returns a value. If only bash can compute it, stores the reason and returns `None`.
    fn known<T>(&mut self, value: Result<Option<T>, Stop>) -> Option<T> {
        match value {
            Ok(value) => value,
            Err(stop) => {
                self.stops.push(stop);
                None
            }
        }
    }
}
