"""Files put into a page: pictures as data, and tables of other pages, of which only known markup is kept."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

from ctbnlab.errors import InputError
from ctbnlab.io.bounded import read_text
from ctbnlab.presentation.report.markup import Html, element, scrolling, text

# The formats of pictures, the one to show first. A browser cannot show a PDF in place.
_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
_LARGE_SVG = 1_500_000  # beyond it the PNG, if there is one, makes a page that opens faster


def picture_files(folder: Path, stem: str = "*") -> dict[str, Path]:
    """Return the pictures of a folder by name, each in the format that suits a page best."""
    found: dict[str, dict[str, Path]] = {}
    for ending in _TYPES:
        for path in sorted(folder.glob(f"{stem}.{ending}")):
            found.setdefault(path.stem, {})[ending] = path
    return {name: _best(formats) for name, formats in sorted(found.items())}


def _best(formats: Mapping[str, Path]) -> Path:
    svg, png = formats.get("svg"), formats.get("png")
    if svg is not None and png is not None and svg.stat().st_size > _LARGE_SVG:
        return png
    return svg or png or formats["pdf"]


def picture(path: Path, description: str, caption: object = "", *, width: str | None = None) -> Html:
    """Return a figure with the picture inside the page; `description` is for readers who cannot see it."""
    ending = path.suffix[1:]
    content = path.read_bytes()
    if not content:
        raise InputError("the file is empty", path=path)
    source = f"data:{_TYPES[ending]};base64,{base64.b64encode(content).decode()}"
    shown = (
        element("p", element("a", f"Download {path.name}", href=source, download=path.name))
        if ending == "pdf"
        else element("img", src=source, alt=description, width=width or _width(path))
    )
    explained = element("figcaption", caption) if caption else Html()
    return element("figure", shown, explained, class_="picture")


def _width(path: Path) -> str | None:
    """Return the width of an SVG in CSS pixels, so that its text is as large as in print."""
    if path.suffix != ".svg":
        return None
    found = re.search(rb'<svg[^>]*\bwidth="([\d.]+)pt"', path.read_bytes()[:4096])
    return f"{float(found[1]) * 4 / 3:.0f}" if found else None


# ---- Tables of pages that `ctbnlab tables` wrote ----

_KEPT = {"table", "thead", "tbody", "tr", "th", "td", "sup", "small", "br", "p"}
_ATTRIBUTES = {"class", "colspan", "rowspan"}


class _Tables(HTMLParser):
    """Collects the figures of a page: their captions as text, and their tables as known markup only."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, Html]] = []
        self._caption = ""
        self._body: list[str] = []
        self._inside = self._in_caption = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "figure":
            self._inside, self._caption, self._body = True, "", []
        elif tag == "figcaption":
            self._in_caption = True
        elif self._inside and tag in _KEPT:
            kept = "".join(
                f' {key}="{text(value)}"' for key, value in attributes if key in _ATTRIBUTES and value
            )
            self._body.append(f"<{tag}{kept}>")

    def handle_endtag(self, tag: str) -> None:
        if tag == "figcaption":
            self._in_caption = False
        elif tag == "figure" and self._inside:
            self._inside = False
            self.found.append((self._caption.strip(), Html("".join(self._body))))
        elif self._inside and tag in _KEPT and tag != "br":
            self._body.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._in_caption:
            self._caption += data
        elif self._inside and data.strip():
            self._body.append(text(data.replace("\n", " ")))


def tables_of(path: Path) -> list[tuple[str, Html]]:
    """Return the tables of a page, each with its title."""
    reader = _Tables()
    reader.feed(read_text(path))
    reader.close()
    return [(title, scrolling(body, title or path.stem)) for title, body in reader.found]
