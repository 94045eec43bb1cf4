"""A page of HTML taken apart, for tests of what it shows."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "input"}
BLOCKS = {"a", "p", "h1", "h2", "h3", "li", "th", "td", "summary", "dt", "dd", "title"}


class Page(HTMLParser):
    """A page's elements, ids, links, texts and pictures; checks that elements are closed in order."""

    def __init__(self, page: str):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.images = [], [], [], [], []
        self.texts, self.words, self.headings = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" else []
        self.images += [values] if tag == "img" else []
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in BLOCKS:
            self.words.append(" ")

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.texts.append(data)
            self.words.append(data)
        if set(self.open) & {"h1", "h2", "h3"}:
            self.headings[-1] += data
