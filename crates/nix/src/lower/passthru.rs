//! Lowers `passthru`, the attributes of a package that are for other packages, and `meta`, those
//! for nixpkgs.

use crate::lower::{Lower, list};
use crate::value::expr::{Binding, BindingKind, NixExpr, Operator, Part, named};
use crate::value::text::Verbatim;
use indexmap::IndexSet;
use rocpkg_model::{Fetch, Finding, NixMeta, NixReference};

/// The attributes of `passthru` in the package that contains the scope's list of GPU targets, such
/// as clr. `@all@` is replaced by this list.
const HELD: &str = r#"
# Processors that this package set builds for unless its scope is narrowed
gpuTargets = @all@;
# Tells the narrowed builds of one package apart
gpuArchSuffix = lib.optionalString (localGpuTargets != null) "-${lib.concatStringsSep "-" localGpuTargets}";
# Those targets of a narrowed scope that a package supports
selectGpuTargets =
  { supported ? [ ] }:
  if localGpuTargets == null then
    supported
  else if supported == [ ] then
    localGpuTargets
  else
    lib.intersectLists localGpuTargets supported;
"#;

impl Lower<'_> {
    pub(crate) fn passthru(&mut self, b: &mut Vec<Binding>) {
        let mut p: Vec<Binding> = Vec::new();
        if self.holds_targets() {
            p.extend(self.held_targets());
        }
        if let Some(export) = self
            .nix
            .gpu_targets
            .as_ref()
            .and_then(|t| t.export.as_ref())
        {
            let joined = self.joined_targets();
            p.push(Binding::plain(&export.value, joined));
        }
        let told = self
            .told_buildable()
            .into_iter()
            .chain(self.told_to_parts());
        let is_plain =
            |b: &Binding| matches!(b.kind, BindingKind::Inherit(None, _)) && b.comment.is_none();
        let (plain, mut values): (Vec<_>, Vec<_>) = self
            .bound(&self.nix.passthru)
            .into_iter()
            .partition(is_plain);
        let inherited: IndexSet<String> = told
            .chain(plain.iter().flat_map(Binding::names).cloned())
            .collect();
        let is_script = |b: &Binding| matches!(&b.kind, BindingKind::Value(path, _) if path == &["updateScript"]);
        let updates = values.iter().any(is_script);
        if self.is_without_script() {
            values.retain(|binding| !is_script(binding));
        }
        if !inherited.is_empty() {
            p.push(Binding::inherit(None, inherited));
        }
        p.extend(values);
        if self
            .nix
            .meta
            .as_ref()
            .is_some_and(|m| !m.cmake_modules.is_empty())
        {
            let package = NixExpr::Set(vec![Binding::new(
                "package",
                named("finalAttrs.finalPackage"),
            )]);
            let test = NixExpr::call("testers.hasCmakeConfigModules", [package]);
            p.push(Binding::new("tests.cmake-config", test));
        }
        if !updates && self.updates() {
            let set = match &self.nix.update_script {
                Some(told) => self.native(told),
                None => NixExpr::Set(vec![Binding::inherit(None, ["finalAttrs"])]),
            };
            let script = self.update_script().unwrap_or_default();
            p.push(Binding::new("updateScript", NixExpr::call(script, [set])));
        }
        if self.holds_targets() {
            let narrowed =
                "lib.optionalAttrs (localGpuTargets != null) { inherit localGpuTargets; }";
            let narrowed = NixExpr::read(narrowed).unwrap_or(NixExpr::Null);
            let all = NixExpr::binary(Operator::Update, NixExpr::Set(p), narrowed);
            b.push(Binding::new("passthru", all).apart());
            return;
        }
        b.extend(Binding::below("passthru", p));
    }

    /// Returns the attributes of [`HELD`] with the scope's list filled in.
    fn held_targets(&self) -> Vec<Binding> {
        let all = self.plan.distro_targets(&self.planned.version).0;
        Binding::read(&HELD.replace("@all@", &NixExpr::strings(all).to_string()))
            .unwrap_or_default()
    }

    pub(crate) fn meta(&mut self, b: &mut Vec<Binding>) {
        let mut m = vec![Binding::new(
            "description",
            NixExpr::string(self.package.summary.value.clone()),
        )];
        m.extend(
            self.package
                .homepage
                .iter()
                .map(|h| Binding::new("homepage", NixExpr::string(&h.value))),
        );
        let meta = self.nix.meta.as_ref();
        m.extend(self.changelog());
        if let Some(modules) = meta.map(|m| &m.cmake_modules).filter(|m| !m.is_empty()) {
            let modules = NixExpr::strings(modules.iter().map(|m| &m.value));
            m.push(Binding::new("cmakeConfigModules", modules));
        }
        m.extend(
            self.licence()
                .map(|licence| Binding::new("license", licence)),
        );
        let program = meta.and_then(|m| m.main_program.as_ref());
        m.extend(program.map(|p| Binding::new("mainProgram", NixExpr::string(&p.value))));
        let plan = self.plan;
        let id = &self.planned.id;
        // The people and the team of the shipped profiles are not responsible for a layer's
        // package.
        let is_told = |span| !plan.added.contains(id) || plan.is_meant(id, span);
        let people = meta
            .into_iter()
            .flat_map(|m| &m.maintainers)
            .filter(|p| is_told(p.span));
        let people = people.map(|p| {
            let path = vec!["maintainers".to_owned(), p.value.clone()];
            (
                None,
                NixExpr::Select(Box::new(named("lib")), path, None).into(),
            )
        });
        m.extend(list("maintainers", people).map(|people| Binding {
            apart: false,
            ..people
        }));
        if let Some(team) = plan
            .distro
            .settings
            .get("team")
            .filter(|team| is_told(team.span))
        {
            let team = named(&format!("lib.teams.{}", team.value));
            m.push(Binding::new("teams", NixExpr::list([team])));
        }
        m.push(Binding::new("platforms", platforms(meta)));
        let seconds = |s: u64| NixExpr::Int(i64::try_from(s).unwrap_or(i64::MAX));
        m.extend(
            meta.and_then(|m| m.timeout)
                .map(|s| Binding::new("timeout", seconds(s))),
        );
        m.extend(
            meta.and_then(|m| m.max_silent)
                .map(|s| Binding::new("maxSilent", seconds(s))),
        );
        let broken = self.broken();
        if self.nix.parts {
            self.parts_broken = broken;
            let reason = Some("Its parts are built, never the base".into());
            m.push(Binding::new("broken", NixExpr::Bool(true)).comment(reason));
        } else {
            m.extend(broken.map(|broken| Binding::new("broken", broken)));
        }
        b.push(Binding::new("meta", NixExpr::Set(m)).apart());
    }

    /// Returns `meta.changelog`: the address of the release notes that upstream puts beside the tag
    /// of the source. Returns `None` if the main source is not checked out by a tag on GitHub.
    fn changelog(&self) -> Option<Binding> {
        let source = self.planned.sources.first()?;
        let is_checkout = matches!(source.fetch, Fetch::Git | Fetch::Tree);
        let elsewhere = self
            .package
            .sources
            .get(&source.name)
            .is_some_and(|w| w.url.is_some());
        if self.nix.reference != NixReference::Tag
            || source.revision.is_some()
            || !is_checkout
            || elsewhere
        {
            return None;
        }
        let home = format!(
            "https://github.com/{}/{}/releases/tag/",
            source.owner, source.repository
        );
        let url = NixExpr::Str(vec![
            Part::Text(home),
            Part::Value(named("finalAttrs.src.tag")),
        ]);
        Some(Binding::new("changelog", url))
    }

    /// Returns the value of `meta.broken`: the condition under which the package can't be built. It
    /// joins three conditions by `||`: that of the overlay, that of the GPU targets, and that of
    /// the constraints between features. Returns `None` if the package can always be built.
    pub(crate) fn broken(&mut self) -> Option<NixExpr> {
        let stated = self
            .nix
            .meta
            .as_ref()
            .and_then(|m| m.broken.as_ref())
            .map(|v| self.native(v));
        NixExpr::join(
            Operator::Or,
            stated
                .into_iter()
                .chain(self.refusal())
                .chain(self.unfit().0),
        )
    }

    fn licence(&mut self) -> Option<NixExpr> {
        let mut names = IndexSet::new();
        for l in &self.package.licence {
            for id in l
                .value
                .split(" AND ")
                .map(|w| w.trim_matches(['(', ')', ' ']))
            {
                let known = &self.plan.distro.licences;
                let Some(name) = known.get(id) else {
                    self.findings.push(
                        Finding::error(
                            "E0507",
                            l.span,
                            format!("the licence `{id}` has no name in lib.licenses"),
                        )
                        .label("expected a licence of the distribution's table")
                        .nearest(id, known.keys().map(String::as_str)),
                    );
                    continue;
                };
                names.insert(name.value.as_str());
            }
        }
        if names.len() > 1 {
            let list = NixExpr::list(names.into_iter().map(|name| NixExpr::Name(name.to_owned())));
            return Some(NixExpr::Text(Verbatim::loose(format!(
                "with lib.licenses; {list}"
            ))));
        }
        names
            .first()
            .map(|one| named(&format!("lib.licenses.{one}")))
    }
}

/// Returns `meta.platforms`: sets such as `lib.platforms.linux`, and systems such as
/// `x86_64-linux`.
fn platforms(meta: Option<&NixMeta>) -> NixExpr {
    let stated = meta.map(|m| m.platforms.0.as_slice()).unwrap_or_default();
    let (systems, sets): (Vec<_>, Vec<_>) = stated.iter().partition(|p| p.value.contains('-'));
    let list = NixExpr::strings(systems.iter().map(|p| &p.value));
    let sets = sets
        .iter()
        .map(|p| named(&format!("lib.platforms.{}", p.value)));
    let all = sets.chain(Some(list).filter(|_| !systems.is_empty()));
    NixExpr::join(Operator::Concat, all).unwrap_or_else(|| named("lib.platforms.linux"))
}
