"""The two searches for maximal cliques, of IKD and MVU, against all subsets of a few points."""

from itertools import combinations

import numpy as np
import pytest

from nldr.methods.ikd._blocks import maximal_cliques
from nldr.methods.mvu.interior._face import cliques

SEARCHES = {
    "ikd": lambda joined: maximal_cliques(joined | joined.T, 10_000),
    "mvu": lambda joined: cliques(np.argwhere(joined), len(joined), most=10_000),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("density", [0.2, 0.5, 0.8])
def test_every_maximal_clique_is_found_once(rng, density, search):
    for _ in range(8):
        joined = np.triu(rng.uniform(size=(9, 9)) < density, 1)
        complete = [
            set(subset)
            for size in range(1, 10)
            for subset in combinations(range(9), size)
            if all(joined[pair] for pair in combinations(subset, 2))
        ]
        maximal = [c for c in complete if not any(c < other for other in complete)]
        expected = sorted(tuple(sorted(c)) for c in maximal)
        assert sorted(tuple(c.tolist()) for c in search(joined)) == expected
