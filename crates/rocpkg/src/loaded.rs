//! A model with the plans that were made from it. Each plan is made once.

use crate::backend::Backend;
use crate::error::Error;
use rocpkg_model::{Findings, Maintainer};
use rocpkg_resolve::{Choice, Model, Plan};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A plan, if it can be made, and the findings of making it. Empty until the plan is needed.
type Made = Arc<OnceLock<(Option<Plan>, Findings)>>;

/// A model, the findings of reading it, and the plans that were made from it.
#[derive(Debug)]
pub(crate) struct Loaded {
    model: Model,
    pub(crate) findings: Findings,
    plans: Mutex<BTreeMap<(Backend, Choice), Made>>,
    variants: Mutex<Vec<(Variant, Arc<Loaded>)>>,
}

/// The changes of a model that options request, as in [`Options`](crate::Options).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Variant {
    pub(crate) bare: bool,
    /// The maintainers of new packages, and the distributions that get them.
    pub(crate) maintainers: Option<(Vec<Maintainer>, Vec<Backend>)>,
    pub(crate) targets: Option<String>,
}

impl Loaded {
    pub(crate) fn new(model: Model, findings: Findings) -> Self {
        Self {
            model,
            findings,
            plans: Mutex::default(),
            variants: Mutex::default(),
        }
    }

    /// Returns the plan of a distribution at the version `choice`. Adds the findings of making it
    /// to `findings`. Returns None as [`Plan::new`] does.
    pub(crate) fn plan(
        &self,
        backend: Backend,
        choice: &Choice,
        findings: &mut Findings,
    ) -> Option<Plan> {
        let made = {
            let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (backend, choice.clone());
            Arc::clone(plans.entry(key).or_default())
        };
        // The table is not locked here, since plans of several distributions are made in parallel.
        let (plan, said) = made.get_or_init(|| {
            let mut said = Findings::default();
            let plan = Plan::new(&self.model, backend.distro(), choice, &mut said);
            (plan, said)
        });
        findings.append(said.clone());
        plan.clone()
    }

    /// Forgets all plans, so that their memory is free.
    pub(crate) fn forget_plans(&self) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.clear();
    }

    /// Returns the number of plans that were made from this model and its variants.
    #[cfg(test)]
    pub(crate) fn plans_made(&self) -> usize {
        let variants = self.variants.lock().unwrap();
        let of_variants = variants.iter().map(|(_, variant)| variant.plans_made());
        self.plans.lock().unwrap().len() + of_variants.sum::<usize>()
    }

    /// Returns the model with the changes of `variant`, which `change` makes in a copy of the model.
    /// The copy is made once.
    ///
    /// # Errors
    /// Those of `change`.
    pub(crate) fn variant(
        self: &Arc<Self>,
        variant: Variant,
        change: impl FnOnce(&mut Model) -> Result<(), Error>,
    ) -> Result<Arc<Self>, Error> {
        if variant == Variant::default() {
            return Ok(Arc::clone(self));
        }
        let mut all = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = all.iter().find(|(of, _)| *of == variant) {
            return Ok(Arc::clone(made));
        }
        let mut model = self.model.clone();
        change(&mut model)?;
        let made = Arc::new(Self::new(model, self.findings.clone()));
        all.push((variant, Arc::clone(&made)));
        Ok(made)
    }
}

impl Deref for Loaded {
    type Target = Model;
    fn deref(&self) -> &Model {
        &self.model
    }
}

#[cfg(all(test, feature = "checkout", feature = "gentoo"))]
mod tests {
    use crate::checkout::{BumpRequest, Output, bump};
    use crate::{Backend, Options, Stack};
    use rocpkg_resolve::{Choice, Release};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn each_plan_is_made_once() {
        let stack = Stack::shipped().unwrap();
        let options = Options {
            backends: vec![Backend::Gentoo],
            choices: vec![Choice::Shipped],
            packages: vec!["rocblas".to_owned()],
            ..Options::everything()
        };
        for _ in 0..2 {
            stack.plan(Backend::Gentoo, &Choice::Shipped).unwrap();
            stack.render(&options).unwrap();
        }
        assert_eq!(stack.loaded().plans_made(), 1);
        let options = Options {
            maintainers: Some(Vec::new()),
            ..options
        };
        for _ in 0..2 {
            stack.render(&options).unwrap();
        }
        assert_eq!(stack.loaded().plans_made(), 2);
        // A layer without files changes nothing.
        let same = stack.clone().texts("empty", BTreeMap::new());
        assert_eq!(same.loaded().plans_made(), 2);
        let text = "summary: BLAS\n".to_owned();
        let files = BTreeMap::from([("components/rocblas.yaml".to_owned(), text)]);
        assert_eq!(stack.texts("mine", files).loaded().plans_made(), 0);
    }

    /// Plans of the shipped version, of the version of the recipes and of the requested release.
    #[test]
    fn a_bump_makes_a_plan_for_each_release() {
        let stack = Stack::shipped().unwrap();
        let release = |text: &str| text.parse::<Release>().unwrap();
        let root = tempfile::tempdir().unwrap();
        let old = Options {
            backends: vec![Backend::Gentoo],
            choices: vec![Choice::Release(release("7.1.1"))],
            packages: vec!["rocblas".to_owned(), "hipblas".to_owned()],
            ..Options::everything()
        };
        let tree = stack.render(&old).unwrap();
        stack.write(&tree, root.path(), &Output::default()).unwrap();
        let folder = root.path().join("gentoo");
        let report = bump(
            &stack,
            &BumpRequest {
                backend: Backend::Gentoo,
                folder: folder.clone(),
                layer: folder.join("rocm-profiles"),
                version: release("7.2.4"),
                tag: None,
                packages: Vec::new(),
                is_named: false,
                recipes: BTreeMap::new(),
                targets: None,
                maintainers: None,
                from: None,
                eclass: None,
                allow_guesses: true,
                run_makepkg: false,
                dry_run: true,
                protected: BTreeSet::new(),
                known_sums: Vec::new(),
                #[cfg(feature = "upstream")]
                sums: None,
                #[cfg(feature = "upstream")]
                sources: None,
            },
        );
        assert_eq!(report.unwrap().stack.loaded().plans_made(), 3);
    }
}
