//! Calls the stages in their order: folders become a model, a model becomes the plan of a
//! distribution.

use crate::layer::model::Model;
use crate::layer::package::{Layering, Pin};
use crate::plan::Plan;
use crate::plan::absent::{self, other};
use crate::plan::edges::column;
use crate::plan::llvm::builds_fork;
use crate::plan::package::{plan, read};
use crate::plan::planned::Planned;
use crate::plan::targets::narrow;
use crate::plan::versions::Choice;
use crate::read::files::Folders;
use crate::read::release::read_release;
use crate::read::spellings::Spellings;
use crate::recover::{self, Guesses};
use crate::validate;
use rocpkg_model::{Files, Findings, Owner};
use std::collections::{BTreeMap, BTreeSet};
use std::thread;

/// The tables that all packages share. If one of them can't be read, nothing is planned: each name
/// that it declares would be reported as missing.
const TABLES: [&str; 3] = ["externals.yaml", "targets.yaml", "upstream.yaml"];

impl Model {
    /// Reads profile folders. A later folder adds to or changes an earlier folder.
    ///
    /// `layers` are pairs of a label and the files. The label is put before paths in messages, and
    /// is empty for the embedded model.
    ///
    /// # Errors
    /// All faults are in the findings; the model holds what could be read.
    pub fn load(layers: &[(String, Files)]) -> (Self, Findings) {
        Self::load_in(layers, processors())
    }

    /// Reads profile folders as [`Model::load`] does. Files that are the same in `before` are not
    /// parsed again.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_after(layers: &[(String, Files)], before: &Self) -> (Self, Findings) {
        Self::load_with(layers, Some(before), processors())
    }

    /// Reads profile folders as [`Model::load`] does, with at most `threads` threads. A benchmark
    /// of a single thread passes 1.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_in(layers: &[(String, Files)], threads: usize) -> (Self, Findings) {
        Self::load_with(layers, None, threads)
    }

    fn load_with(
        layers: &[(String, Files)],
        before: Option<&Self>,
        threads: usize,
    ) -> (Self, Findings) {
        let mut findings = Findings::default();
        let tree_of = |number: usize, text: &str| before?.tree(number, text);
        let mut folders = Folders::read(layers, &tree_of, threads, &mut findings);
        let spellings = Spellings::of(&folders.files);
        let mut guesses = Guesses::default();
        // A file that could not be read may declare any name, so no name is certainly wrong.
        if folders.broken.is_empty() {
            guesses = recover::names(&mut folders, &spellings, &mut findings);
        }
        let model = Self {
            spellings,
            guesses,
            ..Self::of(folders, &mut findings)
        };
        validate::model(&model, &mut findings);
        model.guesses.drop_from(&mut findings);
        let findings = model.own(findings);
        (model, findings)
    }
}

impl Plan {
    /// Plans all packages of the distribution `distro_name`. `choice` is the version at which they
    /// are planned.
    ///
    /// # Errors
    /// All faults go to `findings`. Returns `None` if the model has no such distribution, or if its
    /// file, its version, or a file that all packages use can't be read.
    pub fn new(
        model: &Model,
        distro_name: &str,
        choice: &Choice,
        findings: &mut Findings,
    ) -> Option<Self> {
        if TABLES.iter().any(|table| model.broken.contains(*table)) {
            return None;
        }
        let mut distro = model.distros.get(distro_name)?.clone();
        narrow(&mut distro, &model.narrowed);
        let mut own = Findings::default();
        let shipped = read_release(&distro.version, &mut own);
        validate::distro(&distro, &mut own);
        findings.append_of(&Owner::Distribution(distro_name.to_owned()), own);
        let shipped = shipped?;
        let pins = choice.pins(model, (distro_name, &distro), &shipped, findings);
        let mut layering = Layering::new(model, distro_name, &distro);
        layering.has_fork = builds_fork(model, distro_name, &distro);
        let plain_llvm = !layering.has_fork;
        let mut packages = Vec::with_capacity(pins.len());
        let mut unread = BTreeSet::new();
        // The components of a package are not known if its overlay can't be read.
        let overlays = format!("distros/{distro_name}/");
        if model.broken.iter().any(|path| path.starts_with(&overlays)) {
            unread.extend(model.components.keys().cloned());
        }
        let mut absent = BTreeMap::new();
        for (id, pin) in &pins {
            let mut own = Findings::default();
            let package = pin
                .as_ref()
                .and_then(|pin| package(&mut layering, pin, &mut own));
            let reason = package.as_ref().and_then(|p| other(p, &mut own));
            if let Some((package, reason)) = package.as_ref().zip(reason) {
                absent.insert(package.id.clone(), (package.components.clone(), reason));
                continue;
            }
            findings.append_of(&Owner::package(distro_name, id), own);
            if package.is_none() {
                unread.extend(model.components_of(distro_name, id));
                unread.insert((*id).clone());
            }
            packages.extend(package);
        }
        drop(layering);
        drop(pins);
        let absent = absent::remove(&mut packages, absent);
        let mut plan = Plan {
            distro_name: distro_name.to_owned(),
            distro_node: model.distro_nodes.get(distro_name).cloned(),
            added: model.added.get(distro_name).cloned().unwrap_or_default(),
            keepers: model.keepers.get(distro_name).cloned().unwrap_or_default(),
            depths: model.depths.clone(),
            llvm: model
                .upstream
                .as_ref()
                .and_then(|u| Some(u.llvm.as_ref()?.value.clone())),
            plain_llvm,
            llvm_releases: model
                .upstream
                .as_ref()
                .map(|u| u.llvm_releases.clone())
                .unwrap_or_default(),
            lines: model.lines.clone(),
            version: choice.of(&distro, &shipped),
            live: *choice == Choice::Live,
            left_out: Vec::new(),
            absent,
            packages: packages.into(),
            consumers: Vec::new(),
            registry: model.registry.clone(),
            externals: column(model, distro_name),
            narrowed: model.narrowed.clone(),
            bare: model.bare,
            distro,
            unread,
        };
        plan.add_consumers(model, findings);
        plan.connect(findings);
        plan.offer_targets(findings);
        plan.order(findings);
        plan.conflicts(findings);
        Some(plan)
    }
}

/// Returns the number of processors, or 1 if the system does not state it.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Plans one package. Its dependency edges and GPU targets are still empty: the plan sets them for
/// all packages together. Returns `None` if the package can't be read, or lacks a fact that every
/// package needs, such as its licence.
fn package<'m>(
    layering: &mut Layering<'m>,
    pin: &'m Pin<'m>,
    findings: &mut Findings,
) -> Option<Planned> {
    let mut merged = layering.package(pin, findings)?;
    if !layering.model.bare && !validate::is_whole(pin.id, &merged, findings) {
        return None;
    }
    validate::layers(layering.model, &merged, findings);
    let (mut faults, mut unread) = (Findings::default(), Findings::default());
    validate::tree(&merged, &mut faults);
    let package = read(layering, pin, &mut merged, &mut unread);
    if package.is_some() || !validate::keep_causes(layering.model, &merged, &mut unread) {
        findings.append(faults);
    }
    findings.append(unread);
    let planned = plan(layering, pin, merged, package?, findings);
    validate::package(layering.model, &planned, findings);
    Some(planned)
}
