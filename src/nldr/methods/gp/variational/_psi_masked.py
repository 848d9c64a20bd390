"""ψ statistics of observations with missing entries: sums over complete rows, and other rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.inducing._kernel import KernelParams
from nldr.methods.gp.variational._masked import Masks, Statistics
from nldr.methods.gp.variational._psi_rows import PsiRows
from nldr.methods.gp.variational._psi_statistics import PsiGradient, PsiStatistics


class PsiMasked:
    """The statistics of rows with missing entries, and their sums over all other rows.

    Attributes
    ----------
    statistics : Statistics
        What the rows contribute to the bound.
    """

    def __init__(
        self, means: NDArray, variances: NDArray, Z: NDArray, params: KernelParams, masks: Masks
    ) -> None:
        self.masks, size = masks, len(Z)
        psi1 = np.empty((len(means), size))
        psi0, psi2 = np.empty(0), np.empty((0, size * (size + 1) // 2))
        psi0_sum, psi2_sum = 0.0, np.zeros((size, size))
        self.parts: list[tuple[NDArray, PsiRows | PsiStatistics]] = []
        if len(rows := masks.incomplete):
            part = PsiRows(means[rows], variances[rows], Z, params)
            psi1[rows], psi0, psi2 = part.psi1, part.psi0_rows, part.psi2_rows
            self.parts.append((rows, part))
        if len(rows := masks.complete):
            whole = PsiStatistics(means[rows], variances[rows], Z, params)
            psi1[rows], psi0_sum, psi2_sum = whole.psi1, whole.psi0, whole.psi2
            self.parts.append((rows, whole))
        self.statistics = Statistics(psi1, psi0, psi2, psi0_sum, psi2_sum)

    def gradient(self, by: Statistics) -> PsiGradient:
        """Return the derivatives of a function, given those with respect to the statistics."""
        means, variances, inducing, logs = [], [], [], []
        for rows, part in self.parts:
            if isinstance(part, PsiRows):
                gradient = part.gradient_of_rows(by.psi0, by.psi1[rows], by.psi2)
            else:
                gradient = part.gradient(by.psi0_sum, by.psi1[rows], by.psi2_sum)
            means.append(gradient.means)
            variances.append(gradient.variances)
            inducing.append(gradient.inducing)
            logs.append(gradient.logs)
        order = np.argsort(np.concatenate([rows for rows, _ in self.parts]))
        return PsiGradient(
            np.concatenate(means)[order],
            np.concatenate(variances)[order],
            np.sum(inducing, axis=0),
            np.sum(logs, axis=0),
        )
