"""Files that come with the package: catalogs, studies, claims, rules and templates.

An installed package holds copies of these files in the folder of this module (``setup.py`` puts
them there); a checkout, also one that is installed in editable mode, has them at its top.
"""

from pathlib import Path


def root() -> Path:
    """Return the folder that holds ``Snakefile``, ``profiles`` and ``workflow``.

    Examples
    --------
    >>> (root() / "workflow/catalog/metrics.yaml").is_file()
    True
    """
    here = Path(__file__).resolve().parent
    return here if (here / "workflow").is_dir() else here.parents[2]
