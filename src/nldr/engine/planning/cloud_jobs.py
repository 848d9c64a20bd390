"""Embeddings that the explorer of the report offers."""

from __future__ import annotations

from urllib.parse import unquote

from nldr.engine.jobs.page_specs import CloudSource, EmbeddingSource
from nldr.engine.planning.cells import Cells


def cloud_sources(plan: Cells, studies: list[str]) -> list[CloudSource]:
    """Return all embeddings of some studies, dataset by dataset."""
    # A cell that several studies share is shown with the largest number of its trials.
    trials: dict[str, dict[str, int]] = {}
    scores: dict[tuple[str, str], list[str]] = {}
    for name in studies:
        for pair in plan.studies[name].pairs:
            methods = trials.setdefault(pair.data, {})
            methods[pair.method] = max(methods.get(pair.method, 0), pair.trials)
            scores.setdefault((pair.data, pair.method), []).append(plan.score_file(pair, name))
    return [
        CloudSource(
            name=plan.data[data].name,
            cell=data,
            title=_title(plan.data[data].entry.title, data),
            manifest=plan.data_file(data, max(methods.values())),
            embeddings=[
                EmbeddingSource(
                    method=plan.methods[method].name,
                    cell=method,
                    title=_title(plan.methods[method].entry.title, method),
                    manifest=plan.embedding_file(data, method, number),
                    scores=scores[data, method],
                )
                for method, number in methods.items()
            ],
        )
        for data, methods in trials.items()
    ]


def cloud_inputs(sources: list[CloudSource]) -> dict[str, list[str]]:
    """Return the files that these embeddings are read from, by kind."""
    embeddings = [embedding for source in sources for embedding in source.embeddings]
    return {
        "data": [source.manifest for source in sources],
        "embeddings": [embedding.manifest for embedding in embeddings],
        "scores": sorted({file for embedding in embeddings for file in embedding.scores}),
    }


def _title(title: str, cell: str) -> str:
    """Return a title with the parameters in which a cell differs from the catalog.

    Examples
    --------
    >>> _title("Swiss roll", "swiss_roll@n_samples=200@noise=0.5")
    'Swiss roll, n_samples = 200, noise = 0.5'
    """
    params = [part.replace("=", " = ", 1) for part in cell.split("@")[1:]]
    shown = [unquote(part.replace("~", "%")) for part in params if part != "n_components = 2"]
    return ", ".join([title, *shown])
