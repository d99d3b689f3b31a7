//! A package that is built in parts: each part is a derivation that keeps its object files, and the package puts
//! them into its own build folder, where make takes them for built.

use crate::arguments::{function, open_names};
use crate::expr::{Binding, Item, NixExpr, Operator, Part, Pattern};
use crate::lower::{Lower, NixFile, base_attribute};
use crate::targets::ASKED;
use crate::value::merge;
use rocpkg_model::Part as Group;

/// Attributes of a part that the function below reads.
const ENABLED: &str = "enabled";
const ONLY_FOR: &str = "onlyFor";
const GOALS: &str = "makeTargets";
const FLAGS: &str = "cmakeFlags";

fn name(n: &str) -> NixExpr {
    NixExpr::path(n)
}

fn text(t: impl Into<String>) -> NixExpr {
    NixExpr::Lines(vec![Part::Text(t.into())])
}

impl Lower<'_> {
    /// `default.nix` of a package in parts.
    pub(crate) fn parts_file(&mut self) -> Option<NixFile> {
        if !self.nix.parts {
            return None;
        }
        let base = base_attribute(&self.attribute);
        let mut set = Vec::new();
        for (key, part) in &self.package.parts {
            set.push(self.part(key, part));
        }
        let mut bindings: Vec<Binding> = Vec::new();
        let told = self.told_to_parts();
        let named = self.named_by_broken();
        let asked = told.iter().filter(|n| *n != ASKED || named.contains(n));
        let asked: Vec<&str> = asked.map(String::as_str).collect();
        if !asked.is_empty() {
            bindings.push(Binding::inherit(Some(name(&base)), &asked));
        }
        bindings.push(Binding::new("parts", NixExpr::set(set)));
        let memory = self.package.resources.as_ref().and_then(|r| r.memory_per_job);
        bindings.push(build_part(&base, &self.attribute, memory.map(|m| m.div_ceil(1024))).apart());
        bindings.push(all_parts(&base).apart());
        bindings.push(built_parts());
        let body = NixExpr::Let(bindings, Box::new(self.collect(&base)));
        Some(NixFile {
            path: format!("{}/default.nix", self.attribute),
            expr: function(body, &[]),
            raw_lines: 0,
        })
    }

    /// What the base tells its parts: the GPU targets, and what their conditions and `meta.broken` ask for.
    pub(crate) fn told_to_parts(&self) -> Vec<String> {
        if !self.nix.parts {
            return Vec::new();
        }
        let mut out = vec![ASKED.to_owned()];
        let conditions = self.package.parts.values().filter_map(|p| p.when.as_ref());
        let names = conditions.flat_map(|when| open_names(&self.cond(&when.cond)));
        for name in names.chain(self.named_by_broken()) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }

    /// The names that `meta.broken` of the overlay takes from the base's file: those that `callPackage` can't find.
    fn named_by_broken(&self) -> Vec<String> {
        let Some(text) = self.nix.meta.as_ref().and_then(|m| m.broken.as_ref()) else { return Vec::new() };
        let reading = self.tables.readings.expression(&text.text);
        let mut out: Vec<String> = Vec::new();
        for used in reading.iter().flat_map(|read| &read.found.uses) {
            if self.binds(&used.name) && !out.contains(&used.name) {
                out.push(used.name.clone());
            }
        }
        out
    }

    fn part(&mut self, key: &str, part: &Group) -> Binding {
        let mut b = Vec::new();
        if let Some(w) = &part.when {
            b.push(Binding::new(ENABLED, self.cond(&w.cond)));
        }
        if !part.only_for.is_empty() {
            let list = part.only_for.iter().map(|t| NixExpr::string(t.value.clone()));
            b.push(Binding::new(ONLY_FOR, NixExpr::list(list)));
        }
        let goals = part.goals.iter().map(|g| NixExpr::string(g.value.clone()));
        b.push(Binding::new(GOALS, NixExpr::List(goals.map(Item::from).collect())));
        let mut flags = Vec::new();
        for (k, v) in &part.arguments {
            let v = self.text(v);
            flags.push(NixExpr::call(name("lib.cmakeFeature"), [NixExpr::string(k.clone()), v]));
        }
        if !flags.is_empty() {
            b.push(Binding::new(FLAGS, NixExpr::list(flags)));
        }
        Binding::plain(key, NixExpr::set(b)).comment(part.comment.clone())
    }

    /// The package itself.
    fn collect(&mut self, base: &str) -> NixExpr {
        let suffix = if self.nix.arch_suffix { Some(Part::Value(name("clr.gpuArchSuffix"))) } else { None };
        let pname = NixExpr::Str(std::iter::once(Part::Text(self.attribute.clone())).chain(suffix).collect());
        // Objects get a time in the future, else make would build them again.
        let copy = "for part in $partsToCopy; do\n  \
            find \"$part\" -name '*.o' -type f | while read -r object; do\n    \
            rel_path=\"${object#\"$part\"/}\"\n    \
            mkdir -p \"$(dirname \"$rel_path\")\"\n    \
            cp --reflink=auto --no-preserve=all \"$object\" \"$rel_path\"\n    \
            touch -d 'now +10 hours' \"$rel_path\"\n  \
            done\n\
            done\n";
        let mut b = vec![
            Binding::new("pname", pname),
            Binding::new("partsToCopy", name("builtParts")).apart(),
            Binding::new("disallowedReferences", name("builtParts")),
            Binding::new("preBuild", text(copy))
                .comment(Some("Objects seem newer than their sources, so that make keeps them".into()))
                .apart(),
            Binding::new(
                "passthru",
                NixExpr::binary(
                    Operator::Update,
                    name("old.passthru"),
                    NixExpr::set(vec![Binding::new("parts", name("allParts"))]),
                ),
            )
            .apart(),
        ];
        let broken = self.parts_broken.take().unwrap_or(NixExpr::Bool(false));
        let meta = NixExpr::set(vec![Binding::new("broken", broken)]);
        b.push(Binding::new("meta", NixExpr::binary(Operator::Update, name("old.meta"), meta)).apart());
        override_attrs(base, "finalAttrs", b)
    }
}

fn override_attrs(base: &str, first: &str, b: Vec<Binding>) -> NixExpr {
    let inner = NixExpr::Lambda(Pattern::Name("old".into()), Box::new(NixExpr::set(b)));
    let outer = NixExpr::Lambda(Pattern::Name(first.into()), Box::new(inner));
    NixExpr::call(NixExpr::path(&format!("{base}.overrideAttrs")), [outer])
}

/// Whether a part is switched on and of use to one of the targets.
fn wanted(base: &str) -> NixExpr {
    let part = |a: &str, default: NixExpr| NixExpr::path(&format!("part.{a}")).or(default);
    let targets = NixExpr::path(&format!("{base}.gpuTargets"));
    let meets = NixExpr::call(
        name("lib.any"),
        [
            NixExpr::Lambda(
                Pattern::Name("target".into()),
                Box::new(NixExpr::call(name("lib.elem"), [name("target"), part(ONLY_FOR, targets.clone())])),
            ),
            targets,
        ],
    );
    NixExpr::binary(Operator::And, part(ENABLED, NixExpr::Bool(true)), meets)
}

fn lambda(arguments: &[&str], body: NixExpr) -> NixExpr {
    arguments.iter().rev().fold(body, |body, a| NixExpr::Lambda(Pattern::Name((*a).into()), Box::new(body)))
}

/// All parts by name; one that is not wanted is null, so that its name can be asked for in every scope.
fn all_parts(base: &str) -> Binding {
    let built = NixExpr::call(name("buildPart"), [name("name"), name("part")]);
    let choice = NixExpr::If(Box::new(wanted(base)), Box::new(built), Box::new(NixExpr::Null));
    Binding::new(
        "allParts",
        NixExpr::call(name("lib.mapAttrs"), [lambda(&["name", "part"], choice), name("parts")]),
    )
}

/// Those of them that are built.
fn built_parts() -> Binding {
    let some = NixExpr::binary(Operator::Differs, name("part"), NixExpr::Null);
    let values = NixExpr::call(name("lib.attrValues"), [name("allParts")]);
    Binding::new("builtParts", NixExpr::call(name("lib.filter"), [lambda(&["part"], some), values]))
}

/// The function that builds one part: the base's build folder, some of its goals, nothing installed but objects.
fn build_part(base: &str, attribute: &str, gigabytes: Option<u64>) -> Binding {
    let part = |a: &str| NixExpr::path(&format!("part.{a}"));
    let mut b = vec![
        Binding::new(
            "pname",
            NixExpr::Str(vec![
                Part::Text(attribute.to_owned()),
                Part::Value(name("clr.gpuArchSuffix")),
                Part::Text("-".into()),
                Part::Value(name("name")),
            ]),
        ),
        Binding::new("requiredSystemFeatures", NixExpr::list([NixExpr::string("big-parallel")])),
        Binding::new("makeTargets", part(GOALS)).apart(),
        Binding::new(
            FLAGS,
            NixExpr::binary(Operator::Concat, name("old.cmakeFlags"), part(FLAGS).or(NixExpr::list([]))),
        ),
    ];
    if let Some(gb) = gigabytes {
        let limit = format!(
            "freeGigabytes=$(awk '/^MemAvailable:/ {{ print int($2 / 1048576) }}' /proc/meminfo)\n\
             jobLimit=$((1 + freeGigabytes / {gb}))\n\
             jobFloor=$((NIX_BUILD_CORES / 3))\n\
             if ((jobLimit < jobFloor)); then jobLimit=$jobFloor; fi\n\
             if ((NIX_BUILD_CORES > jobLimit)); then export NIX_BUILD_CORES=$jobLimit; fi\n\
             cmakeFlagsArray+=(\"-DCK_PARALLEL_COMPILE_JOBS=$NIX_BUILD_CORES\")\n"
        );
        let value =
            NixExpr::binary(Operator::Plus, name("old.preConfigure").or(NixExpr::string("")), text(limit));
        b.push(
            Binding::new("preConfigure", value)
                .comment(Some(format!("A job may need {gb} GB, and nothing else tells Nix so: fewer jobs run when memory is short")))
                .apart(),
        );
    }
    let make = "makeFlagsArray+=($makeTargets)\n\
        find . -name Makefile -exec sed -i 's/^\\.NOTPARALLEL:/.PARALLEL_AFTER_ALL:/' {} +\n";
    b.push(Binding::new("preBuild", text(make)).apart());
    let keep = "find . -name '*.o' -type f -exec cp --parents --reflink=auto -t \"$out\" {} +\nexit 0\n";
    let keep = format!("mkdir -p \"$out\"\n{keep}");
    b.push(
        Binding::new("postBuild", NixExpr::Lines(merge(vec![Part::Text(keep)])))
            .comment(Some("Only objects are wanted, so the build ends here".into()))
            .apart(),
    );
    let meta = NixExpr::set(vec![Binding::new("broken", NixExpr::Bool(false))]);
    b.push(Binding::new("meta", NixExpr::binary(Operator::Update, name("old.meta"), meta)).apart());
    let over = NixExpr::call(
        NixExpr::path(&format!("{base}.overrideAttrs")),
        [NixExpr::Lambda(Pattern::Name("old".into()), Box::new(NixExpr::set(b)))],
    );
    Binding::new("buildPart", lambda(&["name", "part"], over))
}
