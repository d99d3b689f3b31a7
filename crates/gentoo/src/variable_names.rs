//! Names of variables and functions, which bash reads without quotes: they are what bash takes for one, and nobody else's.

use crate::context::Context;
use crate::helpers::is_helper;
use crate::ir::Variable;
use rocpkg_model::{Finding, Findings, Node, Span, Spanned};
use rocpkg_render::bash::{Stmt, check, is_identifier};
use rocpkg_shell::is_of_bash;
use std::collections::BTreeSet;

/// Variables that Portage sets, or that the keys of a profile make (PMS 7 and 11.1).
const PORTAGES: &str = "\
A BDEPEND CATEGORY DEFINED_PHASES DEPEND DESCRIPTION DISTDIR EAPI EBUILD_PHASE ECLASS ED EPREFIX EROOT FILESDIR \
HOMEPAGE IDEPEND INHERITED IUSE KEYWORDS LICENSE MERGE_TYPE P PDEPEND PF PN PR PROPERTIES PV PVR RDEPEND \
REQUIRED_USE RESTRICT SLOT SRC_URI USE WORKDIR";

/// The same, where a step may set one for what it calls.
const OF_THE_EBUILD: &str = "\
BROOT COMMON_DEPEND D EBUILD_PHASE_FUNC ESYSROOT FEATURES HOME IUSE_EFFECTIVE OFFERED_TARGETS PATCHES PATH REPLACED_BY_VERSION \
REPLACING_VERSIONS ROOT S SUPPORTED_TARGETS SYSROOT T TMPDIR";

/// Functions of the package manager (PMS 12.3) beside those that `helpers.rs` knows, and programs that ebuilds and eclasses call.
const COMMANDS: &str = "\
assert best_version contains cp debug-print debug-print-function debug-print-section default_src_compile diropts docinto docompress \
econf eapply_user ebegin eend einfon elog eqawarn eerror einstall exeopts export_functions EXPORT_FUNCTIONS fperms fowners get_libdir \
grep has has_version hasq hasv in_iuse inherit insopts install into ld libopts ln mkdir mv nonfatal patch rm rmdir sed tar touch unpack \
use_enable use_with useq usev usex ver_cut ver_replacing ver_rs ver_test xargs";

/// Words of bash's grammar, and its builtin commands.
const BUILTINS: &str = "\
alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs disown do done echo elif else \
enable esac exec exit false fc fg fi for function getopts hash help history if in jobs kill let logout mapfile popd printf pushd pwd \
read readarray readonly select set shift source suspend test then time times trap true type typeset ulimit umask unalias unset until \
wait while";

/// Functions that distutils-r1.eclass and the eclasses of Python call where an ebuild has them.
const HOOKS: &str = "\
python_check_deps python_compile python_compile_all python_configure python_configure_all python_install python_install_all \
python_prepare python_prepare_all python_test python_test_all";

/// Reports the variable of a loop that the steps behind it mean by something else.
pub(crate) fn check_loop(variable: &Spanned<String>, findings: &mut Findings) {
    if among(OF_THE_EBUILD, &variable.value) {
        let message = format!("`{}` is a variable of Portage's own, or has a key of its own", variable.value);
        let finding = Finding::error("E0324", variable.span, message);
        findings.push(finding.label("expected another name for what the loop goes through"));
    }
}

fn among(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

impl Context<'_> {
    /// Every variable and function that the package declares.
    pub(crate) fn check_names(&mut self) {
        let p = self.p;
        let mut names: Vec<String> = self.declared.iter().cloned().collect();
        let functions = p.package.ebuild.iter().flat_map(|e| e.functions.values());
        for steps in p.package.phases.values().chain(functions) {
            let once = rocpkg_shell::names(steps).into_iter().filter(|n| !n.declared);
            names.extend(once.map(|n| n.name.to_owned()));
        }
        names.extend(p.package.environment.values().flat_map(|m| m.keys().cloned()));
        names.extend(p.package.tests.iter().flat_map(|t| t.environment.keys().cloned()));
        names.extend(self.projects.values().flat_map(|c| c.environment.keys().cloned()));
        names.extend(p.package.ebuild.iter().flat_map(|e| e.functions.keys().cloned()));
        names.extend(self.projects.keys().skip(1).map(|c| self.wrapper(c)));
        let own: BTreeSet<&String> = p.package.ebuild.iter().flat_map(|e| e.variables.keys()).collect();
        for name in &names {
            let span = self.named_at(&["variables", "functions"], name);
            if !is_identifier(name) {
                self.no_name(name, span);
            } else if among(PORTAGES, name) || own.contains(name) && among(OF_THE_EBUILD, name) {
                let message = format!("`{name}` is a variable of Portage's own, or has a key of its own");
                self.error("E0324", span, message);
            } else if is_of_bash(name) {
                self.error("E0324", span, format!("`{name}` is a variable of bash's own"));
            }
        }
        for name in p.package.ebuild.iter().flat_map(|e| e.functions.keys()) {
            self.check_function(name);
        }
    }

    /// A function has a name that nobody else calls something by.
    fn check_function(&mut self, name: &str) {
        let span = self.named_at(&["functions"], name);
        if name.starts_with("src_") || name.starts_with("pkg_") {
            let finding =
                Finding::error("E0324", span, format!("`{name}` is a phase, or has the name of one"));
            self.findings.push(finding.label("expected its steps under `phases`"));
        } else if !among(HOOKS, name) && (is_helper(name) || among(COMMANDS, name) || among(BUILTINS, name)) {
            let message = format!("`{name}` is a command of Portage, an eclass or bash");
            let finding = Finding::error("E0324", span, message);
            self.findings.push(finding.label("expected a name that the ebuild calls nothing else by"));
        }
    }

    /// Where a name is given under `ebuild`, else where the package stands.
    fn named_at(&self, sections: &[&str], name: &str) -> Span {
        let ebuild = self.p.node.get("ebuild");
        let keys = sections.iter().filter_map(|section| ebuild?.get(section)).flat_map(Node::entries);
        let mut keys = keys.map(|(key, _)| key).filter(|key| key.name == name);
        keys.next().map_or(self.p.node.span, |key| key.span)
    }

    /// Every name that bash would read, wherever it came from.
    pub(crate) fn check_functions(&mut self, functions: &[(String, Vec<Stmt>)]) {
        for name in functions.iter().flat_map(|(_, body)| check(body)) {
            self.no_name(&name, self.p.node.span);
        }
        let mut seen = BTreeSet::new();
        for (name, _) in functions.iter().filter(|(name, _)| !seen.insert(name)) {
            // That a phase is none of its functions was said.
            if !name.starts_with("src_") && !name.starts_with("pkg_") {
                let span = self.named_at(&["functions"], name);
                self.error("E0324", span, format!("the function `{name}` stands twice"));
            }
        }
    }

    /// Variables of the package's own that keys of the profile make too.
    pub(crate) fn check_variables<'v>(&mut self, all: impl Iterator<Item = &'v Variable>) {
        let mut seen = BTreeSet::new();
        for variable in all.filter(|v| !among(OF_THE_EBUILD, &v.name) && !seen.insert(v.name.as_str())) {
            let span = self.named_at(&["variables"], &variable.name);
            let finding =
                Finding::error("E0324", span, format!("the variable `{}` stands twice", variable.name));
            self.findings.push(finding.label("another key of the profile sets it"));
        }
    }

    fn no_name(&mut self, name: &str, span: Span) {
        self.error("E0324", span, format!("`{name}` can't be the name of a variable or a function"));
    }
}
