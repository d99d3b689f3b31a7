#!/usr/bin/env python3
"""Merges the rows of externals.yaml of two branches by row and column: merge_rows.py BASE OURS THEIRS > OUT; clashes go to stderr."""
import re, sys, yaml
def rows(path):
    return {m[1]: yaml.safe_load(m[2]) for m in (re.match(r'([\w.+-]+): (\{.*\})', l) for l in open(path)) if m}
def show(v):
    out = []
    for k in ('gentoo', 'arch', 'nixpkgs', 'solus'):
        if k in v:
            s = str(v[k])
            out.append(f'{k}: {s}' if re.fullmatch(r'[A-Za-z<>=/._0-9+-]*[A-Za-z0-9+]', s) and s[0].isalpha() else f'{k}: "{s}"')
    return '{' + ', '.join(out) + '}'
b, o, t = map(rows, sys.argv[1:4])
new = {}
for k in list(o) + [k for k in t if k not in o]:
    if (k in b) and (k not in o or k not in t): new[k] = None; continue   # taken away on one side
    v = {}
    for c in ('gentoo', 'arch', 'nixpkgs', 'solus'):
        x, y, z = (s.get(k, {}).get(c) for s in (b, o, t))
        r = y if z == x else z if y == x or y == z else None
        if r is None and y and z: r = y; print(f'clash {k}.{c}: {y} | {z}', file=sys.stderr)
        if r is not None: v[c] = r
    new[k] = v
added = [k for k in t if k not in o and new.get(k)]
order = list(t)
lines = []; placed = set()
for l in open(sys.argv[2]):
    m = re.match(r'([\w.+-]+): (\{.*\})(.*)', l)
    if not m: lines.append(l); continue
    k = m[1]
    if new.get(k) is not None: lines.append(l if new[k] == o[k] else f'{k}: {show(new[k])}{m[3]}\n')
    i = order.index(k) + 1 if k in order else None
    while i is not None and i < len(order) and order[i] in added and order[i] not in placed:
        lines.append(f'{order[i]}: {show(new[order[i]])}\n'); placed.add(order[i]); i += 1
for k in added:
    if k not in placed: print('unplaced', k, file=sys.stderr); lines.append(f'{k}: {show(new[k])}\n')
sys.stdout.writelines(lines)
