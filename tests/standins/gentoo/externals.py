"""Prints the packages outside a repository that its ebuilds depend on, as JSON.

    externals.py REPOSITORY_NAME

Portage reads the ebuilds, splits the atoms and compares the versions. For every atom that no package of the repository
answers, the list holds a package that does: its version and slot are the atom's, its USE flags are those that USE
dependencies name, on by default where one asks for them. A package that is only blocked is in the list too: a blocker of
what never was is a fault to pkgcheck.
"""

import json
import re
import sys

import portage
from portage.dep import Atom, match_from_list, use_reduce
from portage.versions import cpv_getkey, vercmp

FIELDS = ("DEPEND", "RDEPEND", "BDEPEND", "PDEPEND", "IDEPEND")


def atoms_of(db, cpv, repository):
    for text in db.aux_get(cpv, list(FIELDS), myrepo=repository):
        for token in use_reduce(text, matchall=True, flat=True, token_class=None):
            if token not in ("||", "^^", "??"):
                yield Atom(token, allow_repo=True)


def likely_version(atom):
    """A version that the atom accepts, as far as one is named."""
    if not atom.operator:
        slot = atom.sub_slot or atom.slot or ""
        return slot if re.fullmatch(r"[0-9]+(\.[0-9]+)*", slot) and slot != "0" else "1"
    version = portage.versions.cpv_getversion(atom.cpv)
    if atom.operator == ">":
        return version.split("-r")[0].split("_")[0] + ".1"
    if atom.operator == "<":
        return "0"
    return version


def slot_of(atom):
    return (atom.slot or "0") + (f"/{atom.sub_slot}" if atom.sub_slot else "")


def answers(atom, packages):
    plain = atom.without_use
    for version, slot in packages:
        candidate = Atom(f"={atom.cp}-{version}:{slot}")
        if match_from_list(plain, [candidate.cpv]) and (
            not atom.slot or candidate.slot == atom.slot and (not atom.sub_slot or candidate.sub_slot == atom.sub_slot)
        ):
            return True
    return False


def order(atom):
    """Exact versions first, then the highest lower bound, upper bounds last."""
    rank = {"=": 0, "=*": 0, "~": 0, ">=": 1, ">": 1, None: 2, "": 2, "<=": 3, "<": 3}[atom.operator or None]
    return (rank, 0 if atom.sub_slot else 1 if atom.slot else 2)


def packages_for(atoms):
    """The fewest (version, slot) pairs, in a greedy sense, that answer all atoms of one package."""
    from functools import cmp_to_key

    def compare(a, b):
        if order(a) != order(b):
            return -1 if order(a) < order(b) else 1
        higher = vercmp(likely_version(b), likely_version(a))
        return higher or ((str(a) > str(b)) - (str(a) < str(b)))

    packages = []
    for atom in sorted(atoms, key=cmp_to_key(compare)):
        if answers(atom, packages):
            continue
        version, slot = likely_version(atom), slot_of(atom)
        while any(version == taken for taken, _ in packages):
            version += ".1"
        packages.append((version, slot))
    return packages


def use_flags(atoms):
    """The flags that USE dependencies name, on by default where one asks for them and no profile or user decides."""
    decided = ("amdgpu_targets_", "python_single_target_", "python_targets_")
    flags = {}
    for atom in atoms:
        if atom.use is None or atom.blocker:
            continue
        conditional = atom.use.conditional
        on = set(atom.use.enabled) | (set(conditional.enabled) if conditional else set())
        for flag in re.findall(r"[A-Za-z0-9][A-Za-z0-9+_@-]*", re.sub(r"\([+-]\)", "", str(atom.use))):
            flags[flag] = flags.get(flag, False) or flag in on
    return [("+" if on and not flag.startswith(decided) else "") + flag for flag, on in sorted(flags.items())]


def main():
    repository = sys.argv[1]
    db = portage.portdb
    location = db.getRepositoryPath(repository)
    own, wanted, blocked, failed = set(), {}, {}, []
    for cp in db.cp_all(trees=[location]):
        for cpv in db.cp_list(cp, mytree=[location]):
            own.add(cpv_getkey(cpv))
            try:
                for atom in atoms_of(db, cpv, repository):
                    if atom.blocker:
                        blocked.setdefault(atom.cp, []).append(Atom(str(atom).lstrip("!")))
                    else:
                        wanted.setdefault(atom.cp, []).append(atom)
            except (KeyError, portage.exception.PortageException) as error:
                failed.append(f"{cpv}: {error}")
    if failed:
        sys.exit("\n".join(failed))
    for cp in own:
        wanted.pop(cp, None)
    for cp, atoms in blocked.items():
        # what the repository has itself can be blocked in a version that it no longer has
        gone = [atom for atom in atoms if cp not in own or not db.xmatch("match-all", atom)]
        if gone:
            wanted.setdefault(cp, []).extend(gone)
    found = []
    for cp, atoms in sorted(wanted.items()):
        iuse = use_flags(atoms)
        for version, slot in packages_for(atoms):
            found.append({"cp": cp, "version": version, "slot": slot, "iuse": iuse})
    json.dump(found, sys.stdout, indent=1)


main()
