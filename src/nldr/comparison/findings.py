"""One thing that the doctor says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

RANKS = {"mended": 0, "look": 1, "fine": 2}
MARKS = {"mended": "✓", "look": "!", "fine": "·"}


@dataclass(frozen=True)
class DataFinding:
    """One thing to know about the data.

    Attributes
    ----------
    kind : {"mended", "look", "fine"}
        Whether a comparison mends it by itself, whether the user should look, or all is well.
    title, text : str
        What it is about, and what was seen, with the columns or rows.
    remedy : str
        What was done, or what to do.
    """

    kind: str
    title: str
    text: str
    remedy: str

    @property
    def mark(self) -> str:
        """The sign of the kind."""
        return MARKS[self.kind]

    @property
    def rank(self) -> int:
        """Its place in a list, small ones first."""
        return RANKS[self.kind]

    def as_advice(self) -> DataFinding:
        """Return the finding where nothing is mended."""
        advice = f"not done, because the data are used as they are: {self.remedy}"
        return replace(self, kind="look", remedy=advice) if self.kind == "mended" else self


@dataclass(frozen=True)
class Part:
    """Findings with the steps that mend them, and columns that are left out."""

    findings: list[DataFinding] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
