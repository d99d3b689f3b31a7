//! What is looked at once all is read: names, constraints, what nobody checked.

pub(crate) mod bounds;
pub(crate) mod checked;
pub(crate) mod constraints;
pub(crate) mod contradictions;
pub(crate) mod effect;
pub(crate) mod known;
pub(crate) mod mentioned;
pub(crate) mod named;
pub(crate) mod unread;
pub(crate) mod unsaid;
