"""Asks Portage the questions of the tests: one JSON object a line in, one a line out.

    oracle.py questions    answers each question with what Portage's own functions say
    oracle.py tables       prints every call that Portage's own unit tests make of these functions, with its outcome
"""

import json
import sys
import unittest
import warnings

import portage.dep
import portage.versions
from portage.dep import Atom, check_required_use, match_from_list, paren_enclose, use_reduce
from portage.exception import InvalidAtom, InvalidData, InvalidDependString, PortageException
from portage.versions import vercmp

warnings.simplefilter("ignore")
REFUSALS = (InvalidAtom, InvalidData, InvalidDependString, PortageException)


def atom_fields(atom):
    blocker = atom.blocker and ("!!" if atom.blocker.overlap.forbid else "!")
    return {
        "cp": str(atom.cp),
        "version": atom.version,
        "slot": atom.slot,
        "sub_slot": atom.sub_slot,
        "slot_op": atom.slot_operator,
        "use": list(atom.use.tokens) if atom.use else [],
        "operator": atom.operator,
        "blocker": blocker or None,
        "repo": atom.repo,
    }


class Package:
    """As much of a package as match_from_list looks at."""

    def __init__(self, q):
        self.cpv = portage.versions._pkg_str(q["cpv"], slot=q["slot"], repo=q["repo"])
        self.cp, self.cpv_split = self.cpv.cp, self.cpv.cpv_split
        self.slot, self.sub_slot, self.repo = self.cpv.slot, self.cpv.sub_slot, self.cpv.repo
        self.version = self.cpv.version
        self.enabled, self._iuse = frozenset(q["on"]), frozenset(q["iuse"])
        self.use = self.iuse = self

    def is_valid_flag(self, flags):
        return self._iuse.issuperset([flags] if isinstance(flags, str) else flags)


def ask(q):
    op = q["op"]
    if op == "atom":
        return atom_fields(Atom(q["s"]))
    if op == "required_use":
        tree = check_required_use(q["s"], q["on"], q["iuse"].__contains__)
        # What is shown to users is only of interest where something fails.
        return {"sat": True} if tree else {"sat": False, "unmet": tree.tounicode()}
    if op == "use_reduce":
        return {
            "r": paren_enclose(
                use_reduce(q["s"], uselist=q["on"], token_class=Atom if q["atoms"] else None)
            ).split()
        }
    if op == "vercmp":
        order = vercmp(q["a"], q["b"])
        if order is None:
            raise InvalidData("no version")
        return {"r": (order > 0) - (order < 0)}
    if op == "match":
        return {"r": bool(match_from_list(Atom(q["atom"]), [q["cpv"]]))}
    if op == "fit":
        atom = Atom(q["atom"]).evaluate_conditionals(frozenset(q["here"]))
        return {"r": bool(match_from_list(atom, [Package(q)]))}
    raise ValueError(op)


def questions():
    for line in sys.stdin:
        try:
            reply = {"ok": True, **ask(json.loads(line))}
        except REFUSALS as e:
            reply = {"ok": False, "err": str(e)}
        except Exception as e:  # a crash is an answer too
            reply = {"ok": False, "err": str(e), "crash": type(e).__name__}
        print(json.dumps(reply))


def record(op, **fields):
    print(json.dumps({"op": op, **fields}))


def names(value):
    return sorted(str(v) for v in value or ())


def recording(module, name, describe):
    """Puts a stand-in into the module that notes each call and its outcome, and is the real function otherwise."""
    real = getattr(module, name)

    def stand_in(*args, **kwargs):
        try:
            result = real(*args, **kwargs)
        except REFUSALS:
            describe(None, *args, **kwargs)
            raise
        describe(result, *args, **kwargs)
        return result

    setattr(module, name, stand_in)


def note_atom(result, s, allow_wildcard=False, allow_repo=None, eapi=None, allow_build_id=None, **_):
    fields = None
    if result is not None:
        fields = atom_fields(result)
    record(
        "atom",
        s=str(s),
        eapi=eapi,
        wildcard=result is not None and result.extended_syntax,
        build_id=result is not None and result.build_id is not None,
        repo_allowed=allow_repo is not False and eapi is None or bool(allow_repo),
        r=fields,
    )


def note_valid(result, atom, allow_blockers=False, allow_wildcard=False, allow_repo=False, eapi=None, allow_build_id=False):
    try:
        atom_object = Atom(
            atom, allow_wildcard=allow_wildcard, allow_repo=allow_repo, eapi=eapi, allow_build_id=allow_build_id
        )
    except InvalidAtom:
        atom_object = None
    note_atom(atom_object, atom, allow_repo=allow_repo, eapi=eapi)


def note_vercmp(result, a, b, silent=1):
    record("vercmp", a=a, b=b, r=None if result is None else (result > 0) - (result < 0))


def note_required_use(result, required_use, use, iuse_match, eapi=None):
    words = {w.lstrip("!").rstrip("?") for w in required_use.split()}
    record(
        "required_use",
        s=required_use,
        on=names(use),
        iuse=sorted(w for w in words if iuse_match(w)),
        eapi=eapi,
        sat=None if result is None else bool(result),
        unmet=None if result is None else result.tounicode(),
    )


def note_use_reduce(
    result,
    depstr,
    uselist=(),
    masklist=(),
    matchall=False,
    excludeall=(),
    is_src_uri=False,
    eapi=None,
    opconvert=False,
    flat=False,
    is_valid_flag=None,
    token_class=None,
    matchnone=False,
    subset=None,
):
    def plain(value):
        return [plain(v) for v in value] if isinstance(value, list) else str(value)

    words = {w.lstrip("!").rstrip("?") for w in depstr.split()}
    record(
        "use_reduce",
        s=depstr,
        on=names(uselist),
        masked=names(masklist),
        all=bool(matchall),
        excluded=names(excludeall),
        src_uri=bool(is_src_uri),
        eapi=eapi,
        opconvert=bool(opconvert),
        flat=bool(flat),
        iuse=None if is_valid_flag is None else sorted(w for w in words if is_valid_flag(w)),
        atoms=token_class is not None,
        none=bool(matchnone),
        subset=None if subset is None else names(subset),
        r=None if result is None else plain(result),
    )


def note_match(result, atom, candidates):
    def candidate(c):
        if isinstance(c, (str, Atom)) or not hasattr(c, "cpv"):
            return {"text": str(c)}
        slot = c.slot if c.slot == c.sub_slot else f"{c.slot}/{c.sub_slot}"
        flags = {"on": names(c.use.enabled), "iuse": names(c.iuse.all)} if getattr(c, "use", None) else {}
        return {"text": str(c.cpv), "slot": slot, "repo": c.repo, **flags}

    def identity(c):
        return next(i for i, other in enumerate(candidates) if other is c)

    text = str(getattr(atom, "unevaluated_atom", atom))
    wildcard = Atom(text.lstrip("!"), allow_wildcard=True, allow_repo=True).extended_syntax
    record(
        "match",
        atom=str(atom),
        wildcard=wildcard,
        candidates=[candidate(c) for c in candidates],
        r=None if result is None else [identity(c) for c in result],
    )


def note_evaluate():
    real = Atom.evaluate_conditionals

    def stand_in(self, use):
        result = real(self, use)
        record("evaluate", s=str(self), on=names(use), r=str(result))
        return result

    Atom.evaluate_conditionals = stand_in


def tables():
    from portage.tests.dep import (
        test_atom,
        test_check_required_use,
        test_isvalidatom,
        test_match_from_list,
        test_use_reduce,
    )
    from portage.tests.versions import test_cpv_sort_key, test_vercmp

    recording(test_atom, "Atom", note_atom)
    recording(test_isvalidatom, "isvalidatom", note_valid)
    recording(test_match_from_list, "match_from_list", note_match)
    recording(test_use_reduce, "use_reduce", note_use_reduce)
    recording(test_check_required_use, "check_required_use", note_required_use)
    recording(test_vercmp, "vercmp", note_vercmp)
    recording(portage.versions, "vercmp", note_vercmp)
    note_evaluate()
    suite = unittest.TestSuite()
    for module in (
        test_atom,
        test_isvalidatom,
        test_match_from_list,
        test_use_reduce,
        test_check_required_use,
        test_vercmp,
        test_cpv_sort_key,
    ):
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
    outcome = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    record("end", tests=outcome.testsRun, failed=len(outcome.failures) + len(outcome.errors))


if __name__ == "__main__":
    if portage.VERSION != "3.0.83":
        sys.exit(f"this is Portage {portage.VERSION}")
    {"questions": questions, "tables": tables}[sys.argv[1]]()
