"""Methods on a user's own data: which one, with which settings, and whether to trust the map.

:func:`compare` runs the methods that are installed and recommends one, :func:`doctor` looks at the
data before, :func:`check` judges a map made elsewhere, :func:`diff` compares two maps of the same
points, :func:`plot` draws one, and :func:`load` reads a saved map. They need neither a project's
folder nor the network.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "difference": ["Difference", "diff"],
        "examination": ["Findings", "doctor"],
        "findings": ["DataFinding"],
        "judging": ["Judgment", "check"],
        "maps": ["Map", "load"],
        "picture": ["plot"],
        "preparation": ["Preparation"],
        "result": ["Comparison"],
        "running": ["compare"],
    },
)
