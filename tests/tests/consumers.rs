//! The shipped `consumers.yaml`: packages that are built on the stack, and that are not rendered.

use rocpkg::internal::model::TargetList;
use rocpkg::internal::resolve::{Choice, Planned};
use rocpkg::{Backend, Options, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::Support;
use std::collections::{BTreeMap, BTreeSet};

fn after(backend: Backend, changed: &str) -> BTreeSet<String> {
    let stack = Stack::shipped().unwrap();
    let changed = [changed.to_owned()];
    let order = stack.order(backend, &Choice::Shipped, &changed).unwrap();
    let all = order.stages.iter().flatten();
    all.filter(|id| order.plan.get(id).is_none())
        .map(|id| order.name(id).to_owned())
        .collect()
}

fn support(backend: Backend, gpu: &str) -> BTreeMap<String, String> {
    let stack = Stack::shipped().unwrap();
    let questions = stack.questions(backend, &Choice::Shipped).unwrap();
    let target = questions.registry.get(gpu).unwrap();
    let found = questions.on_gpu(target).consumers.into_iter();
    let word = |way| match way {
        Support::Native => "native".to_owned(),
        Support::Loads { .. } => "loads".to_owned(),
        Support::Packed { .. } => "packed".to_owned(),
        Support::Override { value } => value,
        Support::Without => "without".to_owned(),
        Support::Unknown(fact) => fact,
    };
    found.map(|runs| (runs.package, word(runs.way))).collect()
}

#[test]
fn consumers_are_rebuilt_after_the_libraries_that_they_need() {
    let named = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    let rocblas: BTreeSet<String> = named(&[
        "ggml",
        "magma",
        "ollama",
        "onnxruntime",
        "ginkgo-hpc",
        "python-cupy",
        "python-pytorch",
    ]);
    assert_eq!(after(Backend::Arch, "rocblas"), rocblas);
    assert_eq!(
        after(Backend::Arch, "rocfft"),
        named(&["ginkgo-hpc", "onnxruntime", "python-cupy", "python-pytorch"])
    );
    assert_eq!(
        after(Backend::Nix, "miopen"),
        named(&["torch"]),
        "the scope's own names"
    );
    assert_eq!(
        after(Backend::Gentoo, "hip"),
        named(&["blender", "lammps", "torchaudio", "torchvision"])
    );
    assert_eq!(after(Backend::Solus, "rocblas"), named(&[]));
}

#[test]
fn a_gpu_is_looked_up_in_the_lists_of_consumers() {
    let arch = support(Backend::Arch, "gfx950");
    assert_eq!(arch["caffe2"], "without", "-e gfx950");
    assert_eq!(arch["ollama"], "native", "printed by the tool");
    assert_eq!(arch["cupy"], "native");
    assert_eq!(arch["magma"], "without");
    assert_eq!(arch["ucc"], "upstream's default list of ucc 1.8.0-2");
    assert!(!arch.contains_key("btop"), "it has no code for GPUs");
    let arch = support(Backend::Arch, "gfx1031");
    assert_eq!(arch["cupy"], "native");
    assert_eq!(arch["ginkgo"], "without");
    assert_eq!(arch["caffe2"], "what `rocm-supported-gfx` prints");
    let nix = support(Backend::Nix, "gfx1010");
    assert_eq!(nix["caffe2"], "without");
    assert_eq!(nix["llama-cpp"], "native");
    assert_eq!(nix["magma"], "native");
    let nix = support(Backend::Nix, "gfx1201");
    assert_eq!(nix["caffe2"], "native");
    assert_eq!(nix["aotriton"], "native");
    assert_eq!(nix["magma"], "without");
    let gentoo = support(Backend::Gentoo, "gfx1031");
    assert!(gentoo["lammps"].starts_with("upstream's default list"));
}

#[test]
fn nothing_of_a_consumer_is_rendered() {
    let stack = Stack::shipped().unwrap();
    let tree = stack.render(&Options::everything()).unwrap();
    for backend in Backend::ALL {
        let plan = stack.plan(backend, &Choice::Shipped).unwrap();
        for p in &plan.consumers {
            let mut recipes = tree.recipes_of(backend.distro(), &p.id);
            assert_eq!(recipes.next(), None, "{}", p.name);
            assert!(plan.get(&p.id).is_none() && plan.packages.named(&p.id).is_none());
        }
    }
    let options = Options {
        packages: vec!["python-cupy".to_owned()],
        ..Options::everything()
    };
    assert!(stack.render(&options).is_err());
}

#[test]
fn a_package_of_a_layer_takes_the_place_of_a_consumer() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/consumers");
    let stack = Stack::shipped().unwrap();
    let stack = stack.layer(format!("{root}/cupy/rocm")).unwrap();
    let plan = stack.plan(Backend::Arch, &Choice::Shipped).unwrap();
    assert!(plan.get("cupy").is_some());
    assert!(plan.consumers.iter().all(|p| p.id != "cupy"));
}

#[test]
fn each_list_of_gpus_has_its_reason() {
    let stack = Stack::shipped().unwrap();
    let mut count = 0;
    for backend in Backend::ALL {
        let plan = stack.plan(backend, &Choice::Shipped).unwrap();
        let device = |p: &&Planned| p.package.targets.is_some();
        for p in plan.consumers.iter().filter(device) {
            let targets = p.package.targets.as_ref().unwrap();
            let is_own = targets.list == TargetList::Own;
            assert!(!is_own || !targets.supports.is_empty(), "{}", p.name);
            count += 1;
        }
        for p in &plan.consumers {
            assert!(!p.package.licence.is_empty(), "{}", p.name);
            assert!(!p.depends.is_empty(), "{}", p.name);
        }
    }
    assert!(count > 15, "{count}");
}
