"""Datasets with the random numbers of the released runs, against the released results."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from nldr.datasets.released import SHAPES, released_draw
from nldr.methods.spectral.pca import EigenvaluePCA

PUBLISHED = Path(__file__).parents[2] / "workflow" / "published" / "mvu_released.csv"
PCA_RUNS = sorted(set(SHAPES) - {"turned_swiss_rolls", "four_moons"})  # no runs of PCA there


@pytest.mark.parametrize("shape", PCA_RUNS)
def test_pca_has_the_released_error(shape):
    runs = pd.read_csv(PUBLISHED)
    run = runs[(runs.dataset == shape) & (runs.method == "PCA")].iloc[0]
    data = released_draw(shape=shape, n_samples=int(run.n_samples))
    Z = EigenvaluePCA(5 if shape == "high_dimensional" else 2).fit_transform(data.X)
    neighbor = KNeighborsClassifier(n_neighbors=1).fit(Z, data.y)
    nearest = neighbor.kneighbors(return_distance=False)[:, 0]
    error = np.mean(data.y[nearest] != data.y)
    np.testing.assert_allclose(error, run.one_nn_error, atol=0.0005)  # printed: three decimals
