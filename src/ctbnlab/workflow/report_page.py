"""Make Snakemake's report safe for names with markup: `python -m ctbnlab.workflow.report_page report.html`.

Snakemake writes the parameters of jobs, which hold names and options from the config, as JSON into script
elements, but does not escape `<` there: a name with `</script>` ends the element, and what follows it is read
as markup. In JSON, `\\u003c` is the same character and means nothing to HTML.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from ctbnlab.errors import InputError
from ctbnlab.io.files import naming_file, replacing

# How Snakemake 9 begins each of its data elements: `<script id="results"> var results = `.
_DATA = re.compile(r'<script id="[\w-]+">\s*var \w+ = ')


def escaped(page: str) -> str:
    """Return a report's page with every `<` in its data escaped."""
    pieces, position = [], 0
    decoder = json.JSONDecoder()
    while (match := _DATA.search(page, position)) is not None:
        start = match.end()
        try:
            _, end = decoder.raw_decode(page, start)
        except (ValueError, RecursionError):
            raise InputError("its data are not JSON; this version of Snakemake is not supported") from None
        pieces += [page[position:start], page[start:end].replace("<", r"\u003c")]
        position = end
    if not pieces:
        raise InputError("has no data elements; this version of Snakemake is not supported")
    return "".join([*pieces, page[position:]])


def main(path: str) -> int:
    """Rewrite the report at `path`; return the exit status."""
    try:
        with naming_file(path):
            page = escaped(Path(path).read_text(encoding="utf-8"))
        with replacing(path) as temporary:
            temporary.write_text(page, encoding="utf-8")
    except (InputError, OSError) as error:
        print(f"ctbnlab: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
