"""t-SNE from unscaled principal components, against scikit-learn from given points."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

from nldr.methods.unscaled_tsne import UnscaledTSNE


def test_starts_from_the_principal_components_as_they_are(rng):
    X = rng.standard_normal((60, 5)) * [1000, 300, 1, 1, 1]
    start = PCA(2).fit_transform(X).astype(np.float32)
    expected = TSNE(init=start, perplexity=10, max_iter=250).fit_transform(X)
    Z = UnscaledTSNE(perplexity=10, max_iter=250, random_state=0).fit_transform(X)
    # The signs of the components are arbitrary, and t-SNE is equivariant under reflections
    assert_allclose(np.abs(Z), np.abs(expected), rtol=1e-2, atol=1)
    # Points hardly move: their spread is that of the data, not that of an embedding by t-SNE
    assert_allclose(Z.std(axis=0), start.std(axis=0), rtol=0.1)


def test_gradient_is_exact_above_three_dimensions(rng):
    X = rng.standard_normal((40, 6))
    tsne = UnscaledTSNE(4, perplexity=5, max_iter=250, random_state=0)
    assert tsne.fit_transform(X).shape == (40, 4)
