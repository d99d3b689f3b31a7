//! Small models to copy: each folder beside `src/` is laid over the shipped model with `rocpkg
//! render --profiles FOLDER`.
