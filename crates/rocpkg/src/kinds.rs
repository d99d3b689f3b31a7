//! Words of answers, as enums.

/// Declares an enum whose variants have a word, which they are printed and serialized as, and a
/// sentence about all of a kind.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident: $about:ident; $($(#[$vdoc:meta])* $variant:ident = $word:literal: $said:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* #[cfg_attr(feature = "serde", serde(rename = $word))] $variant,)* }

        impl $name {
            /// The word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What is said above all of the kind.
            pub fn $about(self) -> &'static str {
                match self { $(Self::$variant => $said,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
pub(crate) use kinds;
