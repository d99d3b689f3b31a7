#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rocpkg_fuzz::manifest(bytes));
