//! Names of the model that stand in a file without quotes, checked before anything is printed.

use crate::expr::is_identifier;
use crate::lower::Lower;
use rocpkg_model::{Action, Finding, Span, Spanned, Step};

impl Lower<'_> {
    /// Reports every name that Nix or the shell would not take for a name.
    pub(crate) fn vet_names(&mut self) {
        let here = self.planned.node.span;
        let mut names: Vec<(String, Span)> = Vec::new();
        for (key, f) in &self.package.features {
            names.push((crate::names::feature(key, f), f.name.as_ref().map_or(here, |n| n.span)));
        }
        let nix = self.planned.package.nix.iter();
        for n in nix {
            let targets = n.gpu_targets.iter().flat_map(|t| t.supported.iter().chain(&t.export));
            names.extend(targets.map(|s| (s.value.clone(), s.span)));
            let meta = n.meta.iter().filter_map(|m| m.platforms.as_ref());
            names.extend(meta.map(|s| (s.value.clone(), s.span)));
        }
        let distro = &self.plan.distro;
        let spoken = |l: &&Spanned<String>| distro.licences.contains_key(&l.value);
        let licences = self.package.licence.iter().filter(spoken).map(|l| &distro.licences[&l.value]);
        let told = licences.chain(distro.settings.get("team"));
        names.extend(told.map(|s| (s.value.clone(), s.span)));
        for (name, span) in names {
            if !is_identifier(&name) {
                self.no_name(&name, span, "letters, digits, `_`, `-` or `'`, and no word of the language");
            }
        }
        for steps in self.package.phases.values() {
            self.vet_steps(steps);
        }
    }

    fn vet_steps(&mut self, steps: &[Step]) {
        for s in steps {
            let variables: Vec<&String> = match &s.action {
                Action::Each(e) => {
                    self.vet_steps(&e.steps);
                    vec![&e.variable.value]
                }
                Action::Inside(i) => {
                    self.vet_steps(&i.steps);
                    Vec::new()
                }
                Action::Group(g) => {
                    self.vet_steps(g);
                    Vec::new()
                }
                Action::Export(v) => v.keys().collect(),
                Action::Local(v) => v.keys().collect(),
                Action::RunWith(r) => r.environment.keys().collect(),
                _ => Vec::new(),
            };
            for v in variables {
                if !rocpkg_render::bash::is_identifier(v) {
                    self.no_name(v, s.span, "letters, digits or `_`, as the shell names variables");
                }
            }
            self.vet_steps(&s.otherwise);
        }
    }

    pub(crate) fn no_name(&mut self, name: &str, span: Span, expected: &str) {
        self.findings.push(
            Finding::error("E0509", span, format!("`{name}` can't be a name"))
                .label(format!("expected {expected}")),
        );
    }
}
