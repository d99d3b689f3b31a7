//! Serde support: values are written as the strings that they print, and read by their parsers.

use crate::spec::{Leaf, Spec};
use crate::{Atom, Cpn, Cpv, Flag, Iuse, Slot, SlotDep, UseDep, Version};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::fmt::Display;

macro_rules! as_strings {
    ($($name:ident)*) => {
        $(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                text.parse().map_err(D::Error::custom)
            }
        }
        )*
    };
}

as_strings! { Atom Cpn Cpv Flag Iuse Slot SlotDep UseDep Version }

impl<T: Display> Serialize for Spec<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de, T: Leaf> Deserialize<'de> for Spec<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}
