"""Scores of an estimator on the four benches that choose IKD's default, resumable.

The benches are Fig. 1 of the paper, Figs. 2 and 6, the 18 settings of the dataset
`encoding_model`, and 5-NN accuracy on the four real datasets of Fig. 3 in 2, 3, 5 and 10
dimensions. Each row of the CSV file is one fit: method, bench, setting, trial, score (R² or
accuracy) and CPU seconds. A row that is there already is not computed again. Estimators with a
parameter `kernel` get the kernel of the cell on Figs. 2 and 6; others fit the cells whose
generating and inference kernel are the same. Without arguments, the default and Isomap are
compared on one trial of the 18 settings.

Examples::

    python benchmarks/ikd_score.py run scores.csv default
    python benchmarks/ikd_score.py run scores.csv blockwise --params '{variant: blockwise}'
    python benchmarks/ikd_score.py run scores.csv isomap10 --trials 2 --bench fresh real \\
        --path nldr.methods.spectral.isomap.Isomap --params '{n_neighbors: 10}'
    python benchmarks/ikd_score.py compare scores.csv --against default --cells

From Python: ``score("scores.csv", "mine", lambda n: MyEstimator(n), ["fresh"], n_trials=1)``.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from threadpoolctl import threadpool_limits

from nldr.dataset import Dataset
from nldr.datasets.curves import latent_curve
from nldr.datasets.encoding_models import MODELS, encoding_model
from nldr.datasets.images import coil20
from nldr.datasets.latent import gaussian_bump, gp, sinusoid
from nldr.datasets.real import digits, fashion_mnist
from nldr.datasets.tables import qpcr
from nldr.metrics.alignment import r2_affine
from nldr.metrics.classification import knn_accuracy

IKD, ISOMAP = "nldr.methods.ikd.ikd.IKD", "nldr.methods.spectral.isomap.Isomap"
PUBLISHED = Path(__file__).parents[1] / "workflow/published"
COLUMNS = ["method", "bench", "setting", "trial", "score", "seconds", "error"]
KERNELS = ["squared_exponential", "rational_quadratic", "gamma_exponential", "matern"]
FIG1_FEATURES = [10, 20, 50, 100, 200, 500, 1000]
CURVE_FEATURES = [100, 200, 500, 1000, 2000, 5000, 10000]
FRESH_FEATURES = [30, 200]
REAL_DIMENSIONS = [2, 3, 5, 10]
BEST_SHOWN = 12  # cells of each method in the comparison


@dataclass(frozen=True)
class Setting:
    """A dataset, and how an estimator is run on it."""

    bench: str
    name: str
    make: Callable[..., Dataset]
    params: dict[str, Any]
    n_components: int
    kernel: str | None = None  # of the estimator, on Figs. 2 and 6
    of_rivals: bool = True  # whether estimators without a kernel are run too
    published: tuple[str, dict[str, Any]] | None = field(default=None, compare=False)

    def data(self, trial: int) -> Dataset:
        """Return the data of one trial, the same for all estimators and kernels."""
        # A seed that depends on the data only
        text = f"{self.make.__name__} {sorted(self.params.items())}"
        seed = [zlib.crc32(text.encode()), trial]
        return _cached(self.make, tuple(self.params.items()), tuple(seed))


@lru_cache(maxsize=1)
def _cached(make: Callable, params: tuple, seed: tuple[int, int]) -> Dataset:
    return make(**dict(params), rng=np.random.default_rng(seed))


def real(*, name: str, rng: np.random.Generator) -> Dataset:
    """Return a dataset of Fig. 3, its rows in random order."""
    if name == "coil20":
        data = coil20(objects=list(range(1, 21)), n_samples=1440, rng=rng)
    elif name == "fashion_mnist":
        data = fashion_mnist(n_samples=3000, part="test", choice="first", rng=rng)
    else:
        data = {"qpcr": qpcr, "digits": digits}[name]()
    return data.rows(rng.permutation(data.n_samples))


def fig1() -> Iterator[Setting]:
    """Yield the cells of Fig. 1."""
    maps = {
        "gp": (gp, 3, {"n_latent": 3, "length_scale": 3.0, "noise": 0.05}),
        "sinusoid": (sinusoid, 1, {"n_latent": 1, "noise": 0.1}),
        "gaussian_bump": (gaussian_bump, 2, {"norm": "l1", "noise": 0.05}),
    }
    for name, (make, n_latent, params) in maps.items():
        for n in FIG1_FEATURES:
            sizes = {"n_samples": 1000, "n_features": n}
            published = ("ikd_fig1.csv", {"dataset": name, "n_features": n})
            data = (make, params | sizes, n_latent)
            yield Setting("fig1", f"{name} N={n}", *data, published=published)


def _curve(bench: str, curve: str, kernel: str, inference: str, n: int, where: dict) -> Setting:
    params = {"curve": curve, "kernel": kernel, "n_features": n, "length_scale": 0.5, "noise": 0.0}
    data = (f"{curve} {kernel} as {inference} N={n}", latent_curve, params, 3)
    published = (f"ikd_{bench}.csv", where | {"n_features": n})
    return Setting(bench, *data, inference, kernel == inference, published)


def fig2() -> Iterator[Setting]:
    """Yield the cells of Fig. 2: three curves, inferred with their own kernels."""
    for n in CURVE_FEATURES:
        for curve in ("hard", "medium", "easy"):
            for kernel in KERNELS:
                where = {"latent": curve, "kernel": printed(kernel)}
                yield _curve("fig2", curve, kernel, kernel, n, where)


def fig6() -> Iterator[Setting]:
    """Yield the cells of Fig. 6: the medium curve, inferred with each kernel."""
    for n in CURVE_FEATURES:
        for kernel in ("squared_exponential", "matern"):  # of which values were published
            for inference in KERNELS:
                names = printed(kernel), printed(inference)
                where = dict(zip(("generating_kernel", "inference_kernel"), names, strict=True))
                yield _curve("fig6", "medium", kernel, inference, n, where)


def printed(kernel: str) -> str:
    """Return the name of a kernel in the tables of published values."""
    return kernel.replace("_", "-") if kernel == "gamma_exponential" else kernel.replace("_", " ")


def fresh() -> Iterator[Setting]:
    """Yield 18 settings beside the paper's: nine encoding models, few and many features."""
    for model in MODELS:
        for n in FRESH_FEATURES:
            n_latent = 3 if model == "walk" else 2
            noise = 0.0 if "poisson" in model else 0.1
            sizes = {"model": model, "n_samples": 400, "n_features": n, "n_latent": n_latent}
            params = sizes | {"mean_sd": 0.0, "noise": noise}
            yield Setting("fresh", f"{model} N={n}", encoding_model, params, n_latent)


def means() -> Iterator[Setting]:
    """Yield settings with feature means and white noise, which are not among the four benches."""
    for model in ("anisotropic", "annulus"):
        for n in FRESH_FEATURES:
            for mean_sd, noise in [(0, 0.1), (1, 0.1), (2, 0.1), (5, 0.1), (0, 0.5), (0, 1.0)]:
                sizes = {"model": model, "n_samples": 400, "n_features": n, "n_latent": 2}
                params = sizes | {"mean_sd": mean_sd, "noise": noise}
                name = f"{model} N={n} means={mean_sd} noise={noise}"
                yield Setting("means", name, encoding_model, params, 2)


def real_sets() -> Iterator[Setting]:
    """Yield the real datasets of Fig. 3, each in four dimensions."""
    for name in ("qpcr", "digits", "coil20", "fashion_mnist"):
        for n_components in REAL_DIMENSIONS:
            yield Setting("real", f"{name} M={n_components}", real, {"name": name}, n_components)


BENCHES = {f.__name__: f for f in (fig1, fig2, fig6, fresh, means)} | {"real": real_sets}


def score(
    file: str | Path,
    method: str,
    make_estimator: Callable[[int], Any],
    benches: Iterable[str] = ("fresh", "fig2", "fig6", "fig1", "real"),
    *,
    n_trials: int = 5,
    n_features: Sequence[int] | None = None,
    containing: str = "",
) -> None:
    """Append the missing rows of one method to the CSV file.

    Parameters
    ----------
    file : str or Path
        The CSV file; created if there is none.
    method : str
        Name of the method in the file. Use a new one when its code or parameters change.
    make_estimator : callable
        Returns an unfitted estimator for a number of components.
    benches : iterable of str
        Keys of ``BENCHES``.
    n_trials : int, default=5
        Trials of each setting; the real sets have one, with rows in one random order.
    n_features : sequence of int, optional
        Restricts Figs. 1, 2 and 6 and the fresh settings to these numbers of features.
    containing : str, default=""
        Restricts to settings whose name contains this text.
    """
    existing = _existing_rows(file)
    settings = [setting for bench in benches for setting in BENCHES[bench]()]
    accepts_kernel = "kernel" in _params(make_estimator(2))
    for setting in settings:
        n = setting.params.get("n_features")
        if containing not in setting.name or (n_features and n and n not in n_features):
            continue
        if not (accepts_kernel or setting.of_rivals):
            continue
        for trial in range(1 if setting.bench == "real" else n_trials):
            if (method, setting.bench, setting.name, trial) in existing:
                continue
            value, seconds, error = _fit(setting, make_estimator(setting.n_components), trial)
            row = [method, setting.bench, setting.name, trial, value, seconds, error]
            _append(file, row)
            text = f"{trial} {value:.4f} {seconds:8.2f} s {error[:60]}"
            print(f"{setting.bench:>5} {setting.name:<48} {text}", flush=True)


def _fit(setting: Setting, estimator: Any, trial: int) -> tuple[float, float, str]:
    """Return the score, the CPU seconds of the fit, and the message if it failed."""
    data = setting.data(trial)
    params = _params(estimator)
    if setting.kernel is not None and "kernel" in params:
        estimator.set_params(kernel=setting.kernel)
    if "random_state" in params:
        estimator.set_params(random_state=trial)
    start = time.process_time()
    try:
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore")
            embedding = estimator.fit_transform(data.X)
        seconds = time.process_time() - start
        if data.Z is not None and setting.bench != "real":
            return r2_affine(data.Z, embedding), seconds, ""
        assert data.y is not None
        return float(knn_accuracy(data.y, embedding, [5])[0]), seconds, ""
    except Exception as error:
        return float("nan"), time.process_time() - start, f"{type(error).__name__}: {error}"


def _params(estimator: Any) -> dict[str, Any]:
    return estimator.get_params() if hasattr(estimator, "get_params") else {}


def _existing_rows(file: str | Path) -> set[tuple[str, str, str, int]]:
    if not Path(file).exists():
        return set()
    rows = pd.read_csv(file)
    return set(zip(rows.method, rows.bench, rows.setting, rows.trial, strict=True))


def _append(file: str | Path, row: list[Any]) -> None:
    is_new = not Path(file).exists()
    with open(file, "a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerow(row)


def compare(file: str | Path, against: str, cells: bool, methods: Sequence[str] = ()) -> None:
    """Print means by bench and method, and the cells in which one loses to the best of the others.

    Only cells and trials that all methods have count. A failed fit has score 0.
    """
    rows = pd.read_csv(file)
    rows = rows[rows.method.isin(methods)] if methods else rows
    rows["score"] = rows.score.fillna(0.0)
    for bench, part in rows.groupby("bench", sort=False):
        table = part.pivot_table(index=["setting", "trial"], columns="method", values="score")
        complete = table.dropna()
        names = list(table.columns)
        by_cell = complete.groupby("setting", sort=False).mean()
        seconds = part.groupby("method").seconds.mean()
        print(f"\n{bench}: {len(by_cell)} settings, {len(complete)} fits that all methods have")
        for name in sorted(names, key=lambda n: -by_cell[n].mean()):
            scores = by_cell[name]
            text = f"mean {scores.mean():.4f}  worst {scores.min():.3f}  {seconds[name]:7.2f} s"
            print(f"  {name:<28} {text}{_against_published(bench, scores)}")
        if against in names and len(names) > 1:
            loss = by_cell.drop(columns=against).max(axis=1) - by_cell[against]
            text = f"by {loss.mean():.4f} on average, at most {loss.max():.3f}"
            more = f"by more than .05 in {(loss > 0.05).sum()}"
            print(f"  {against} loses to the best other method {text}; {more}")
            for setting in loss.sort_values(ascending=False).index[: BEST_SHOWN * cells]:
                scores = by_cell.loc[setting]
                best = scores.idxmax()
                text = f"{scores[against]:.3f} against {scores[best]:.3f} ({best})"
                print(f"    {setting:<48} {text}")


def _against_published(bench: str, scores: pd.Series) -> str:
    """Return the number of cells in which the mean score is at least the published IKD's."""
    printed_values = {s.name: _published(*s.published) for s in BENCHES[bench]() if s.published}
    pairs = [(scores[name], value) for name, value in printed_values.items() if name in scores]
    pairs = [(score, value) for score, value in pairs if value is not None]
    at_least = sum(score >= value for score, value in pairs)
    return f"  at least the published IKD in {at_least} of {len(pairs)}" if pairs else ""


@cache
def _table(file: str) -> pd.DataFrame:
    table = pd.read_csv(PUBLISHED / file)
    return table[table.method == "IKD"]


def _published(file: str, where: dict[str, Any]) -> float | None:
    rows = _table(file)
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return None if rows.empty else float(rows.r2_mean.iloc[0])


def main() -> None:
    """Run or compare, or do both on a few settings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command")
    run = commands.add_parser("run", help="append the missing rows of one method")
    run.add_argument("file", help="CSV file")
    run.add_argument("method", help="name of the method in the file")
    run.add_argument("--path", default=IKD, help=f"import path of the estimator ({IKD})")
    run.add_argument("--params", default="{}", help="its parameters, as YAML or JSON")
    run.add_argument(
        "--bench", nargs="+", default=["fresh", "fig2", "fig6", "fig1", "real"], choices=BENCHES
    )
    run.add_argument("--trials", type=int, default=5)
    run.add_argument("--features", type=int, nargs="+", help="only these numbers of features")
    run.add_argument("--containing", default="", help="only settings whose name contains this")
    run.add_argument("--data-dir", help="folder of downloaded originals, as in config.yaml")
    comparison = commands.add_parser("compare", help="print the methods of a file side by side")
    comparison.add_argument("file", help="CSV file")
    comparison.add_argument("--against", default="default", help="method to judge (default)")
    comparison.add_argument("--cells", action="store_true", help="list its worst cells")
    comparison.add_argument("--methods", nargs="+", default=[], help="only these methods")
    options = parser.parse_args()
    if options.command is None:
        glance()
        return
    if options.command == "compare":
        compare(options.file, options.against, options.cells, options.methods)
        return
    if options.data_dir:
        os.environ["NLDR_DATA_DIR"] = str(Path(options.data_dir).resolve())
    make_estimator = factory(options.path, yaml.safe_load(options.params))
    limits = {"n_trials": options.trials, "n_features": options.features}
    job = (options.file, options.method, make_estimator, options.bench)
    score(*job, **limits, containing=options.containing)


def factory(path: str, params: dict[str, Any]) -> Callable[[int], Any]:
    """Return a function that makes an estimator for a number of components."""
    module, _, name = path.rpartition(".")
    estimator = getattr(importlib.import_module(module), name)
    return lambda n_components: estimator(n_components=n_components, **params)


def glance() -> None:
    """Compare the default with Isomap on one trial of the fresh settings."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scores.csv")
        for method, path in {"default": IKD, "isomap": ISOMAP}.items():
            score(file, method, factory(path, {}), ["fresh"], n_trials=1)
        compare(file, "default", cells=True)


if __name__ == "__main__":
    main()
