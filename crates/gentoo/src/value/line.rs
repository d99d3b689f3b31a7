//! The first two numbers of the version, of which upstream's tags since 7.14 are made.

/// The call of the first two numbers of the version (PMS 12.3.14).
pub(crate) const FIRST_TWO: &str = "$(ver_cut 1-2)";

/// [`FIRST_TWO`] in an entry of `SRC_URI`, which has no blanks before it is printed.
pub(crate) const OF_LINE: &str = "${line}";

/// Returns the entries of `SRC_URI` as an ebuild has them.
pub(crate) fn printed(addresses: &str) -> String {
    addresses.replace(OF_LINE, FIRST_TWO)
}
