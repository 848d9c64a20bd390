"""The works that sources name, and their entries in a bibliography."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, RootModel

from nldr.engine.reading.parsing import Strict

REFERENCES = "workflow/references.yaml"
# The field that BibTeX has for where a work appeared
VENUES = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "techreport": "institution",
    "misc": "howpublished",
}


class Reference(Strict):
    """A work."""

    type: Literal["article", "inproceedings", "book", "techreport", "misc"]
    author: str = Field(description="as in BibTeX: family names first, joined by 'and'")
    title: str
    named: str | None = Field(default=None, description="short name in sources, if not the title")
    year: int | None = None
    venue: str | None = Field(default=None, description="journal, proceedings or publisher")
    volume: str | None = None
    pages: str | None = None
    doi: str | None = None

    def bibtex(self, key: str) -> str:
        """Return the entry of a bibliography."""
        # Doubled braces keep the capital letters of a title.
        fields = {
            "author": self.author.strip(),
            "title": f"{{{self.title}}}",
            VENUES[self.type]: self.venue,
            "volume": self.volume,
            "pages": self.pages,
            "year": self.year,
            "doi": self.doi,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value is not None]
        return "\n".join([f"@{self.type}{{{key},", *lines, "}"])


class References(RootModel[dict[str, Reference]]):
    """All works by key."""

    def of(self, source: str) -> Iterator[str]:
        """Yield the keys of the works that a source names, by their titles or short names."""
        for key, work in self.root.items():
            if work.title in source or (work.named and work.named in source):
                yield key
