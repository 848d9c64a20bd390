"""Findings on columns: useless ones, missing values, counts, shares and scales."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from nldr.comparison.findings import DataFinding, Part
from nldr.inputs import Matrix
from nldr.inputs.categories import indicator
from nldr.inputs.errors import listed
from nldr.inputs.files import names_rows, numbers_rows

ROUNDING = 1e-12  # spread of a column, relative to its size, that is rounding errors
EVEN = 0.1  # largest spread of the sums of shares, relative to that of the shares
SCALES = 10.0  # ratio of standard deviations beyond which columns have no common scale
SCALED = "each column of numbers is scaled to standard deviation 1"
CODES = (99.0, 999.0, 9999.0, 99999.0)  # numbers that often stand for missing values
MOSTLY = 0.5  # share of the variance from which one column decides the distances
MANY_COUNTS = 50  # columns from which on counts need not contain zeros
LONG_TAIL = 20.0  # largest count, in units of the median positive one
THIN_TAIL = 1.5  # largest count, in units of the 99th percentile; pixels and ratings have 1
DISPERSED = 1.5  # variance of counts in units of their mean, from which a log changes distances
FEW_VALUES = 10  # of whole numbers that may stand for classes
MANY_IDS = 50  # whole numbers of which, in a measurement, two would probably be equal
MOST_UNLIKE = 3  # columns with few values, or with ids, that stand out
CLASS = re.compile(r"(?i:(.*[\W_])?(class|cluster|group|label|target|type))")
UNEQUAL_TOTALS = 2.0  # ratio of the 95th to the 5th percentile of the rows' totals


def look_for_useless(values: NDArray, names: list[str]) -> Part:
    """Find columns that are empty, constant, repeated, or count the rows."""
    groups: dict[str, list[int]] = {"empty": [], "constant": [], "repeated": [], "counting": []}
    seen: dict[bytes, int] = {}
    for j, column in enumerate(values.T):
        finite = column[~np.isnan(column)]
        key = np.ascontiguousarray(column).tobytes()
        if not len(finite):
            groups["empty"].append(j)
        elif np.ptp(finite) <= ROUNDING * np.abs(finite).max():
            groups["constant"].append(j)
        elif numbers_rows(names[j], column):
            groups["counting"].append(j)
        elif key in seen:
            groups["repeated"].append(j)
        seen.setdefault(key, j)
    texts = {
        "empty": ("empty columns", "no value in {}"),
        "constant": ("constant columns", "no two different values in {}"),
        "repeated": ("repeated columns", "{} repeat another column, which would count twice"),
        "counting": ("column of row numbers", "{} numbers the rows"),
    }
    findings = [
        DataFinding(
            "mended", title, text.format(listed(names[j] for j in groups[kind])), "left out"
        )
        for kind, (title, text) in texts.items()
        if groups[kind]
    ]
    columns = [j for group in groups.values() for j in group]
    return Part(findings, ["columns"] if columns else [], columns)


def look_for_missing(
    values: NDArray, names: list[str], categories: Mapping[str, list[str]]
) -> Part:
    """Find missing values, those of a column of categories once."""
    sources = _sources(categories)
    names = [sources.get(name, name) for name in names]
    first = [j for j, name in enumerate(names) if name not in names[:j]]
    names, missing = [names[j] for j in first], np.isnan(values[:, first])
    if not missing.any():
        return Part()
    per_row = missing.mean(axis=1)
    worst = int(missing.sum(axis=0).argmax())
    text = (
        f"{missing.sum()} entries ({100 * missing.mean():.2g} %) in {(per_row > 0).sum()} row(s), "
        f"{missing[:, worst].sum()} of them in column '{names[worst]}'"
    )
    finding = DataFinding("mended", "missing values", text, "filled in from the most similar rows")
    findings = [finding]
    if (per_row > 0.5).any():
        rows = listed(np.flatnonzero(per_row > 0.5))
        findings.append(
            DataFinding(
                "look",
                "rows with few values",
                f"more than half of the values are missing in rows {rows}",
                "leave these rows out: their place in a map would be a guess",
            )
        )
    return Part(findings, ["fill"])


def look_for_missing_categories(matrix: Matrix) -> list[DataFinding]:
    """Say which words of a category count as missing."""
    sources = _sources(matrix.categories)
    counts = {
        sources[name]: int(np.isnan(column).sum())
        for name, column in zip(matrix.columns, matrix.values.T, strict=True)
        if name in sources
    }
    lacking = [f"'{name}' ({count} rows)" for name, count in counts.items() if count]
    if not lacking:
        return []
    text = f"{listed(lacking)}; in a file, NA, None, null and empty entries count as missing"
    remedy = "if one of these words stands for a category, replace it, by 'nothing' for example"
    return [DataFinding("look", "missing categories", text, remedy)]


def _sources(categories: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the column of categories by name of each column that stands for a value."""
    return {indicator(name, value): name for name, some in categories.items() for value in some}


def look_for_classes(values: NDArray, names: list[str]) -> Part:
    """Find columns of a few whole numbers, which may be labels or categories."""
    few = []
    for name, column in zip(names, values.T, strict=True):
        distinct = np.unique(column[~np.isnan(column)])
        is_few = len(distinct) <= FEW_VALUES and bool(np.all(distinct == np.round(distinct)))
        # Two values are usual, such as yes and no
        if is_few and (len(distinct) > 2 or CLASS.fullmatch(name)):
            few.append(f"'{name}' has {len(distinct)} different values")
    if not _stand_out(few, names):
        return Part()
    text = f"{listed(few)}, whole numbers"
    remedy = (
        "if they stand for classes, name the column as the label (--label, y) or as categories "
        "(--categories); otherwise its numbers help to decide which rows are neighbors"
    )
    return Part([DataFinding("look", "classes among the numbers", text, remedy)])


def look_for_ids(values: NDArray, names: list[str]) -> Part:
    """Find columns that look like names of rows, by what they are called or by their numbers."""
    ids = [f"'{name}'" for name in names if names_rows(name)]
    counters = [
        f"'{name}'"
        for name, column in zip(names, values.T, strict=True)
        if not names_rows(name) and _differs_in_every_row(column)
    ]
    remedy = "if it is no measurement, leave it out (--drop, drop=)"
    findings = []
    if ids:
        text = f"{listed(ids)} helps to decide which rows are neighbors, but does not name the rows"
        findings.append(DataFinding("look", "ids among the numbers", text, remedy))
    if _stand_out(counters, names):
        text = (
            f"every row has another whole number in {listed(counters)}, as in ids and counters, "
            "and these numbers help to decide which rows are neighbors"
        )
        findings.append(DataFinding("look", "perhaps ids among the numbers", text, remedy))
    return Part(findings)


def _differs_in_every_row(column: NDArray) -> bool:
    """Tell whether the values are whole numbers, many, and no two are equal."""
    finite = column[~np.isnan(column)]
    is_whole = bool(np.all(finite == np.round(finite)))
    return is_whole and len(finite) >= MANY_IDS and len(np.unique(finite)) == len(finite)


def _stand_out(columns: list[str], names: list[str]) -> bool:
    """Tell whether some columns are of a kind, and so few that they are exceptions."""
    return 0 < len(columns) <= min(MOST_UNLIKE, len(names) // 3)


def look_for_codes(values: NDArray, names: list[str]) -> Part:
    """Find numbers such as -999 that may stand for missing values."""
    suspects = []
    for name, column in zip(names, values.T, strict=True):
        is_code = np.isin(np.abs(column), CODES)
        rest = column[~is_code & ~np.isnan(column)]
        if is_code.any() and len(rest) and np.abs(rest).max() < 0.2 * np.abs(column[is_code]).min():
            suspects.append(f"{column[is_code][0]:g} in '{name}' ({is_code.sum()} times)")
    if not suspects:
        return Part()
    text = f"{listed(suspects)}, far from all other values"
    remedy = "if this stands for a missing value, leave the entry empty"
    return Part([DataFinding("look", "codes of missing values", text, remedy)])


def look_for_categories(categories: Mapping[str, list[str]], names: list[str]) -> Part:
    """Say how columns of categories, of which some value varies, are weighted."""
    columns = [
        column
        for column, values in categories.items()
        if any(indicator(column, value) in names for value in values)
    ]
    text = f"{listed(columns)}: two rows of different categories are as far apart in such a "
    text += "column as two random rows in a column of numbers"
    return Part(
        [DataFinding("mended", "categories", text, SCALED)],
        ["scale"],
    )


def look_for_names(matrix: Matrix) -> list[DataFinding]:
    """Say which column of a file was taken as the names of the rows."""
    if not matrix.index_name or matrix.index_name.startswith("Unnamed"):
        return []
    text = f"column '{matrix.index_name}' of the file names the rows"
    remedy = "it is not used for the maps"
    return [DataFinding("fine", "names of rows", text, remedy)]


def look_for_counts(finite: NDArray, values: Any) -> Part | None:
    """Find out whether the values are counts, of which a few large ones decide the distances."""
    positive = finite[finite > 0]
    if not len(positive) or finite.min() < 0 or np.any(finite != np.round(finite)):
        return None
    if not _are_counts(positive, finite, values):
        return None
    totals = np.asarray(
        np.nansum(values, axis=1) if isinstance(values, np.ndarray) else values.sum(axis=1)
    )
    low, high = np.percentile(totals, [5, 95])
    findings = [
        DataFinding(
            "mended",
            "counts",
            f"whole numbers from 0 to {positive.max():.0f}, few of them large",
            "replaced by log(1 + count), so that large counts do not dominate the distances",
        )
    ]
    kinds = ["log"]
    if high > UNEQUAL_TOTALS * max(low, 1.0):
        text = f"the sums of the rows range from {low:.0f} to {high:.0f} (5 % to 95 % quantile)"
        remedy = "each row is first scaled to the same total, to correct for sequencing depth"
        findings.append(DataFinding("mended", "unequal totals", text, remedy))
        kinds.append("totals")
    return Part(findings, kinds)


def _are_counts(positive: NDArray, finite: NDArray, values: Any) -> bool:
    """Tell counts from ratings, one-hot columns, pixels and measurements, all whole numbers ≥ 0."""
    has_long_tail = positive.max() >= LONG_TAIL * np.median(positive)
    if issparse(values):
        # Most counts that are not zero are 1, most ratings are larger, all indicators are 1
        return bool(has_long_tail or (positive.max() > 1 and np.median(positive) == 1))
    # A few columns of whole numbers without zeros are measurements, such as ages and years
    has_zeros = (values == 0).any(axis=0).mean() >= 0.5
    if has_long_tail:
        return bool(has_zeros or values.shape[1] >= MANY_COUNTS)
    is_dispersed = finite.var() > DISPERSED * finite.mean()
    has_tail = positive.max() > THIN_TAIL * np.percentile(positive, 99)
    return bool(has_zeros and is_dispersed and has_tail)


def look_for_shares(values: NDArray) -> Part | None:
    """Find out whether the rows are shares of a whole."""
    if values.shape[1] < 3 or np.isnan(values).any() or values.min() < 0:
        return None
    totals = values.sum(axis=1)
    if totals[0] <= 0 or np.abs(totals / totals[0] - 1).max() > 1e-3:
        return None
    # One large column, such as the time, may make sums that hardly differ
    if totals.std() > EVEN * values.std(axis=0).max():
        return None
    finding = DataFinding(
        "mended",
        "shares",
        f"each row sums to {totals[0]:.4g}",
        "replaced by square roots, whose distances compare shares (Hellinger)",
    )
    return Part([finding], ["root"])


def look_at_unit(unit: str) -> Part:
    """Say that columns of one unit are not scaled.

    Pixels at a border, and axes of small extent, would weigh as much as all others.
    """
    return Part([DataFinding("fine", "one unit", unit, "left as they are")])


def look_for_scales(values: NDArray, names: list[str]) -> Part:
    """Find columns whose scales have nothing in common."""
    deviations = np.nanstd(values, axis=0)
    if len(deviations) < 2:
        return Part()
    share = deviations**2 / (deviations**2).sum()
    top, low = int(deviations.argmax()), int(deviations.argmin())
    ratio = deviations[top] / deviations[low]
    if ratio <= SCALES:
        return Part()
    text = (
        f"the standard deviations range from {deviations[low]:.3g} ('{names[low]}') to "
        f"{deviations[top]:.3g} ('{names[top]}')"
    )
    if _has_one_unit(values):
        return Part(
            [
                DataFinding(
                    "fine",
                    "different scales",
                    f"{text}, but most columns have the same range, as pixels do",
                    "left as they are; scale them yourself if the columns have different units",
                )
            ]
        )
    findings = [DataFinding("mended", "different scales", text, SCALED)]
    if share[top] > MOSTLY:
        text = f"'{names[top]}' alone has {100 * share[top]:.1f} % of the variance"
        findings.append(
            DataFinding("mended", "one column dominates", text, "scaled like all others")
        )
    return Part(findings, ["scale"])


def _has_one_unit(values: NDArray) -> bool:
    """Tell whether columns share their lower end and most of them come close to the same upper."""
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    extent = high.max() - low.min()
    return bool(np.ptp(low) <= 0.01 * extent and np.median(high - low) >= 0.5 * extent)
