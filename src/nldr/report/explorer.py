"""The embedding explorer: its page, and the points that the page draws, as binary blocks.

Block ``explorer`` is an index in JSON. Every cloud has a block ``cloud-<number>`` and every sheet
of images a block ``images-<number>``, unpacked when needed. ``assets/explorer*.js`` read them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nldr.report.packing import Packer
from nldr.report.sprites import distinct, sheet

if TYPE_CHECKING:
    from jinja2 import Environment
    from numpy.typing import NDArray

    from nldr.report.clouds import Cloud, Embedding
    from nldr.report.content import Report

MAX_AXES = 10  # coordinates of an embedding, or of the latent, that the page has
STRETCH = 3.0  # ends of the scale of distortion: an eighth and eight times the median distance
DIGITS = 8  # significant digits of a score; the page alone rounds for readers


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the route and HTML of the explorer, if there is anything to explore."""
    if report.clouds:
        template = environment.get_template("explorer.html")
        n_shown = sum(len(cloud.embeddings) for cloud in report.clouds)
        left_out = sum(cloud.left_out for cloud in report.clouds)
        yield "explorer", template.render(report=report, shown=n_shown, left_out=left_out)


def blocks(report: Report) -> Iterator[tuple[str, bytes]]:
    """Yield the clouds, the sheets of images and the index."""
    if not report.clouds:
        return
    sheets = _Sheets()
    clouds = []
    for i, cloud in enumerate(report.clouds):
        packer = Packer()
        clouds.append({"block": f"cloud-{i}", **_describe(cloud, packer, sheets)})
        yield f"cloud-{i}", packer.data()
    images = []
    for i, (description, data) in enumerate(sheets.finish()):
        images.append({"block": f"images-{i}", **description})
        yield f"images-{i}", data
    looks = sorted(report.looks.items())
    index = {
        "clouds": clouds,
        "sheets": images,
        "looks": {name: [look.color, look.marker, look.filled] for name, look in looks},
        "metrics": metric_titles(report),
        "stretch": STRETCH,
    }
    yield "explorer", json.dumps(index, separators=(",", ":"), ensure_ascii=False).encode()


class _Sheets:
    """Images of all clouds: equal ones of one dataset and size are kept once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], dict[bytes, int]] = {}

    def add(self, name: str, images: NDArray) -> tuple[int, NDArray]:
        """Return the number of the sheet of some images, and their numbers on it."""
        key = name, images.shape[1:]
        numbers = distinct(images, self._numbers.setdefault(key, {}))
        return list(self._numbers).index(key), numbers

    def finish(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield description and file of each sheet."""
        for (_, shape), numbers in self._numbers.items():
            yield sheet(np.frombuffer(b"".join(numbers), np.uint8).reshape(-1, *shape))


def _describe(cloud: Cloud, packer: Packer, sheets: _Sheets) -> dict[str, Any]:
    """Return the description of a cloud for the page; its numbers are packed."""
    described: dict[str, Any] = {
        "name": cloud.name,
        "cell": cloud.cell,
        "title": cloud.title,
        "trial": cloud.trial,
        "n": cloud.n_points,
        "features": cloud.n_features,
        "leftOut": cloud.left_out,
    }
    if cloud.names is not None:
        described["names"] = cloud.names
    if cloud.X is not None:
        described["data"] = _columns(cloud.X, packer)
    if cloud.latent is not None:
        described["latent"] = _columns(cloud.latent, packer)
    if cloud.labels is not None:
        names, codes = np.unique(cloud.labels, return_inverse=True)
        described |= {"labels": packer.index(codes), "classes": [str(name) for name in names]}
    if cloud.columns:
        described["columns"] = [
            {"name": name, **_describe_column(values, packer)}
            for name, values in cloud.columns.items()
        ]
    if cloud.images is not None:
        number, images = sheets.add(cloud.name, cloud.images)
        described |= {"sheet": number, "images": packer.index(images)}
    described["embeddings"] = [_describe_embedding(e, packer) for e in cloud.embeddings]
    return described


def _describe_column(values: NDArray, packer: Packer) -> dict[str, Any]:
    """Return the description of numbers, or of texts that are categories."""
    if values.dtype.kind == "U":
        names, codes = np.unique(values, return_inverse=True)
        return {"classes": names.tolist(), **packer.index(codes)}
    return packer.level(values, *_ends(values))


def _describe_embedding(embedding: Embedding, packer: Packer) -> dict[str, Any]:
    """Return the description of an embedding for the page; coordinates and errors are packed."""
    scores = embedding.scores
    described: dict[str, Any] = {
        "method": embedding.method,
        "cell": embedding.method_cell,
        "title": embedding.title,
        "trial": embedding.trial,
        "status": embedding.status,
        "message": embedding.message,
        "scores": {k: float(f"{v:.{DIGITS}g}") for k, v in scores.items() if math.isfinite(v)},
    }
    if embedding.Z is None:
        return described
    described |= {"axes": _columns(embedding.Z, packer), "dimensions": embedding.Z.shape[1]}
    errors = {}
    for name, values in embedding.errors.items():
        finite = values[np.isfinite(values)]
        if not len(finite):
            continue
        # Losses start at zero; stretches have the same scale everywhere
        low, high = (-STRETCH, STRETCH) if finite.min() < 0 else (0.0, float(finite.max()))
        errors[name] = {
            **packer.level(values, low, high),
            "mean": float(f"{finite.mean():.{DIGITS}g}"),
        }
    if embedding.covariances is not None:
        described["ellipses"] = _ellipses(embedding.covariances, packer)
    if embedding.background is not None:
        shares, edges = embedding.background
        described["background"] = {**packer.level(shares.ravel(), 0.0, 1.0), "edges": edges}
    return described | {"errors": errors}


def _ellipses(covariances: NDArray, packer: Packer) -> list[dict[str, Any]]:
    """Return where the standard deviations along both axes, and the angle of the first, lie."""
    values, vectors = np.linalg.eigh(covariances)
    deviations = np.sqrt(np.maximum(values, 0.0))
    # An axis has no direction: angles of half a turn
    angles = np.arctan2(vectors[:, 1, 0], vectors[:, 0, 0])
    angles = (angles + math.pi / 2) % math.pi - math.pi / 2
    high = float(deviations.max(initial=0.0))
    columns = [packer.level(column, 0.0, high) for column in deviations.T]
    return [*columns, packer.level(angles, -math.pi / 2, math.pi / 2)]


def _ends(values: NDArray) -> tuple[float, float]:
    """Return the smallest and the largest finite value; 0 and 1 if there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)


def _columns(values: NDArray, packer: Packer) -> list[dict[str, Any]]:
    """Return where the first columns of an array lie."""
    return [packer.coordinate(column) for column in values.T[:MAX_AXES]]


def metric_titles(report: Report) -> dict[str, str]:
    """Return the titles of all metrics that embeddings of the page are scored by.

    They are those of the cards of metrics, or made from the name.
    """
    cards = {card.name: card.title for card in report.cards if card.kind == "metric"}
    titles = {}
    for name in sorted({name for c in report.clouds for e in c.embeddings for name in e.scores}):
        # Some are about a part of the rows
        metric, _, rows = name.partition("@")
        part = f", {rows.replace('=', ' = ')}" if rows else ""
        titles[name] = (cards.get(metric) or plain_title(metric)) + part
    return titles


def plain_title(name: str) -> str:
    """Return words for the name of a metric.

    Examples
    --------
    >>> plain_title("trustworthiness_k12"), plain_title("q_nx_k3"), plain_title("kl_0.01")
    ('trustworthiness (k = 12)', 'q nx (k = 3)', 'kl 0.01')
    """
    return re.sub(r"_k(\d+)", r" (k = \1)", name).replace("_", " ")
