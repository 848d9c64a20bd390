"""Small tables of measurements that scikit-learn contains."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice

LOADERS = {name: f"load_{name}" for name in ("iris", "wine", "breast_cancer")}


def table(*, name: str) -> Dataset:
    """Return a table of measurements with classes, each feature with mean 0 and variance 1.

    Parameters
    ----------
    name : {"iris", "wine", "breast_cancer"}
        The table: flowers of three species of iris; wines of three growers; cell nuclei of benign
        and malignant tumors.

    Returns
    -------
    Dataset
        ``X`` and labels ``y``.

    Examples
    --------
    >>> data = table(name="wine")
    >>> data.X.shape, np.bincount(data.y).tolist()
    ((178, 13), [59, 71, 48])
    """
    from sklearn import datasets

    X, y = getattr(datasets, check_choice("name", name, LOADERS))(return_X_y=True)
    return Dataset(X=(X - X.mean(axis=0)) / X.std(axis=0), y=np.asarray(y, dtype=np.int64))
