//! A macro for enums of kinds. Each kind has a word for JSON, such as `added`, and a heading for
//! lists, such as `New packages`.

/// Declares an enum whose variants have a word and a heading: `Added = "added": "New packages"`. A
/// variant is printed and serialized as its word. `$about` is the name of the method that returns
/// the heading of all items of that kind.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident: $about:ident; $($(#[$vdoc:meta])* $variant:ident = $word:literal: $said:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* #[cfg_attr(feature = "serde", serde(rename = $word))] $variant,)* }

        impl $name {
            /// Returns the word for this kind, as JSON and other output contain it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Returns the heading that is printed above all items of this kind.
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
