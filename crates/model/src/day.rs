//! Days, such as the day on which a release was seen in a distribution.

use crate::decode::{Decode, wrong_type};
use crate::describe::{Book, Shape};
use crate::finding::Findings;
use crate::node::Node;
use std::fmt;

/// A day of the calendar, printed as `YYYY-MM-DD`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(String);

impl Day {
    /// Reads a day that is written as `YYYY-MM-DD`. Returns `None` for any other text, and for a
    /// day that its month does not have.
    ///
    /// ```
    /// use rocpkg_model::Day;
    ///
    /// assert_eq!(Day::read("2026-11-15").unwrap().to_string(), "2026-11-15");
    /// assert_eq!(Day::read("2026-02-29"), None);
    /// assert_eq!(Day::read("15.11.2026"), None);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts.as_slice() else {
            return None;
        };
        let number = |text: &str, digits: usize| {
            let is_number = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| is_number)
        };
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=last).contains(&day).then(|| Self(text.to_owned()))
    }

    /// Returns the number of days since `earlier`, which is negative if `earlier` is later.
    ///
    /// ```
    /// use rocpkg_model::Day;
    ///
    /// let day = |text| Day::read(text).unwrap();
    /// assert_eq!(day("2026-11-15").since(&day("2026-10-05")), 41);
    /// assert_eq!(day("2024-03-01").since(&day("2024-02-28")), 2);
    /// assert_eq!(day("2025-12-31").since(&day("2026-01-01")), -1);
    /// ```
    pub fn since(&self, earlier: &Self) -> i64 {
        self.number() - earlier.number()
    }

    /// Returns the number of the day, counted from one fixed day. A year begins in March here, so
    /// that the day that only leap years have is the last one.
    fn number(&self) -> i64 {
        let mut parts = self
            .0
            .split('-')
            .map(|part| part.parse().unwrap_or_default());
        let mut next = || -> i64 { parts.next().unwrap_or_default() };
        let (year, month, day) = (next(), next(), next());
        let (year, month) = if month < 3 {
            (year - 1, month + 9)
        } else {
            (year, month - 3)
        };
        let leap_days = year / 4 - year / 100 + year / 400;
        365 * year + leap_days + (153 * month + 2) / 5 + day
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for Day {
    const EXPECTED: &'static str = "a date such as `2026-11-15`";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let read = node.text().and_then(Self::read);
        read.or_else(|| wrong_type(node, findings))
    }
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("date such as `2026-11-15`")
    }
}
