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

    /// Returns the choices of the plans that were made from this model and its variants.
    #[cfg(test)]
    pub(crate) fn planned(&self) -> Vec<Choice> {
        let variants = self.variants.lock().unwrap();
        let of_variants = variants.iter().flat_map(|(_, variant)| variant.planned());
        let plans = self.plans.lock().unwrap();
        let own = plans.keys().map(|(_, choice)| choice.clone());
        own.chain(of_variants).collect()
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
