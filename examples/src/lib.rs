//! Small models to copy. `rocpkg render --profiles FOLDER` merges a folder beside `src/` over the
//! shipped model.
