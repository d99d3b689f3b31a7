"""Reads each page of a folder as HTML 5, strictly, and names what is wrong."""

import pathlib
import sys

import html5lib

wrong = 0
pages = sorted(pathlib.Path(sys.argv[1]).rglob("*.html"))
for page in pages:
    parser = html5lib.HTMLParser()
    parser.parse(page.read_text(encoding="utf-8"))
    for (line, column), code, _ in parser.errors:
        print(f"{page}:{line}:{column}: {code}")
        wrong += 1
print(f"    {len(pages)} pages read, {wrong} faults")
sys.exit(1 if wrong or not pages else 0)
