"""What pyproject.toml cannot say: files from the top of the project become part of the package."""

import importlib.util
import lzma
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

SCORES = "reference.csv.xz"  # as nldr.metrics.reference reads it
CELLS = Path("results/archive/cells")  # in a checkout only
SHIPPED = ("Snakefile", "config.yaml", "profiles", "workflow", "docs/templates")


class Build(build_py):
    """Copy catalogs, studies, claims, rules, templates and scores to nldr/shipped."""

    def run(self) -> None:  # noqa: D102 - as setuptools has it
        super().run()
        # An editable install reads them where they are.
        if self.editable_mode:
            return
        target = Path(self.build_lib, "nldr/shipped")
        for name in SHIPPED:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            if Path(name).is_file():
                shutil.copy2(name, target / name)
            else:
                ignored = shutil.ignore_patterns("__pycache__", ".*")
                shutil.copytree(name, target / name, ignore=ignored, dirs_exist_ok=True)
        write_scores(target)


class Source(sdist):
    """Add the scores of the record, which is itself too large for a package."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:  # noqa: D102
        super().make_release_tree(base_dir, files)
        write_scores(Path(base_dir))


def write_scores(folder: Path) -> None:
    """Write the scores that nldr.reference returns, from the record or as a source package has."""
    if not CELLS.is_dir():
        shutil.copy2(SCORES, folder / SCORES)
        return
    spec = importlib.util.spec_from_file_location("reference", "src/nldr/metrics/reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    text = reference.summarize(CELLS)
    (folder / SCORES).write_bytes(lzma.compress(text.encode()))


setup(cmdclass={"build_py": Build, "sdist": Source})
