"""A dot per trial: one row per method, one panel per dataset."""  # CHANGE: name the figure

# Copy this file to src/nldr/figures/mine.py. CHANGE marks each line that your figure replaces.
# A figure knows no method and no dataset by name: it draws whatever the study's tables hold.

from __future__ import annotations

from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.results import StudyResults


@style.journal()  # the project's fonts and line widths
def mine(  # CHANGE: the name, given in a study under figure.function
    results: StudyResults,
    *,
    metric: str | None = None,  # CHANGE: your parameters, or none; a study sets them
) -> Figure:
    """Draw one metric of each trial, one row per method.

    CHANGE: say what is drawn and how it is read.

    Parameters
    ----------
    results : StudyResults
        The study's tables, titles, metrics and looks.
    metric : str, optional
        The metric; the study's first one by default.

    Returns
    -------
    Figure
        One panel per dataset.

    Raises
    ------
    ValueError
        If the study does not have the metric.
    """
    # CHANGE: from here on, your figure.
    metric = metric or next(iter(results.metrics))
    if metric not in results.metrics:
        raise ValueError(f"the study has no metric '{metric}': known: {', '.join(results.metrics)}")

    # One row per trial; failed trials have no score. `timings` and `panel` hold the rest.
    table = results.table[results.table["ok"]]
    methods, datasets = list(results.methods), list(results.datasets)

    figure = Figure(figsize=(style.DOUBLE / 25.4, 2.5), layout="constrained")
    figure.suptitle(results.title)
    panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        for row, method in enumerate(methods):
            in_row = (table["dataset"] == dataset) & (table["method"] == method)
            scores = table.loc[in_row, metric]
            look = results.looks[method]  # the same in every figure
            # Dots only; controls have a line but no marker, so they get one here.
            dots = {**look.line(), "linestyle": "none", "marker": look.marker or "|"}
            axes.plot(scores, [row] * len(scores), **dots)
        # Titles of methods and datasets come from the catalog.
        axes.set_title(results.datasets[dataset])
        axes.set_yticks(range(len(methods)), [results.methods[method] for method in methods])
        axes.set_ylim(len(methods) - 0.5, -0.5)
        axes.set_xlabel(results.metrics[metric]["title"])
    # The note below the figure; scale, number of points and trials are added to it.
    style.add_note(figure, "Dots: single trials.")  # CHANGE: the meaning of dots, bars and colors
    return figure
