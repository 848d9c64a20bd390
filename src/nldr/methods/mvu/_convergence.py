"""Message about a fit of maximum variance unfolding that has not converged."""

from __future__ import annotations

from typing import Any

import numpy as np

from nldr.methods.mvu._parts import Parts
from nldr.methods.mvu.interior._solver import FEASIBLE

RELATIVE = 1e-3  # error of an edge's length that is accepted, relative to it


def shortcoming(mvu: Any, parts: Parts) -> str:
    """Return why a fit has not converged, with advice; empty if it has."""
    small = abs(mvu.duality_gap_) <= mvu.tol and mvu.max_violation_ <= FEASIBLE
    if small and mvu.max_relative_error_ <= RELATIVE:
        return _undetermined_part(mvu, parts) if parts.several else ""
    if mvu.n_iter_ >= mvu.max_iter:
        advice = "raise max_iter or tol"
    elif parts.several:
        advice = "some edges are far longer than those at one of their ends: remove outliers"
    elif mvu.constraint == "shrink":
        advice = (
            "rounding errors ended the iteration, or the unfolded points have too many "
            "dimensions for the low-rank method: raise tol, or use solver='interior_point'"
        )
    else:
        advice = (
            "rounding errors ended the iteration, because edges nearly determine each other: "
            "raise tol, use constraint='shrink', or remove points that are close to others"
        )
    return (
        f"the duality gap is {mvu.duality_gap_:.2g} (tol is {mvu.tol:g}), squared edge lengths are "
        f"violated by {mvu.max_violation_:.2g} of their mean (the limit is {FEASIBLE:g}), and the "
        f"length of an edge by {mvu.max_relative_error_:.2g} of it (the limit is {RELATIVE:g}): "
        f"{advice}"
    )


def _undetermined_part(mvu: Any, parts: Parts) -> str:
    """Return a message if the gap is wider than the variance of a part allows."""
    gap = max(mvu.dual_bound_ - mvu.trace_, 0.0)
    for label in range(parts.labels.max() + 1):
        rows = mvu.coordinates_[parts.labels == label]
        variance = float(np.square(rows - rows.mean(axis=0)).sum())
        if gap > mvu.tol * variance and not parts.is_rigid(label, mvu.edges_):
            return (
                f"the gap is {gap / max(variance, np.finfo(float).tiny):.2g} of the variance of "
                f"{len(rows)} rows (tol is {mvu.tol:g}), so that their shape is not determined: "
                "edges far longer than theirs join them to others. Remove outliers, or unfold "
                "parts apart with DisjointMVU"
            )
    return ""
