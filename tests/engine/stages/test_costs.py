"""Clocks of a study are summarized by medians and compared with PCA on the same data."""

from nldr.engine.stages.table import SUMMARY_COLUMNS, summarize_costs


def trials(method, seconds, n_components=2):
    common = {
        "data_cell": "gp",
        "method": method,
        "method_cell": method,
        "exclusive": True,
        "cores": 2,
        "cpu": "a processor",
        "method.n_components": n_components,
    }
    return [
        {
            **common,
            "status": "timeout" if s is None else "ok",
            "seconds": s,
            "cpu_seconds": s and 2 * s,
        }
        for s in seconds
    ]


def test_ratios_are_those_of_medians_to_pca():
    cells = [trials("pca", [1.0, 3.0, 2.0]), trials("tsne", [8.0, None, 12.0])]
    pca, tsne = summarize_costs(cells, [None, 7.5])
    assert (pca["seconds"], pca["seconds_ratio"]) == (2.0, 1.0)
    assert (tsne["seconds"], tsne["cpu_seconds"], tsne["n_ok"]) == (10.0, 20.0, 2)
    assert (tsne["seconds_ratio"], tsne["cpu_seconds_ratio"]) == (5.0, 5.0)
    expected = (7.5, "a processor", True)
    assert (tsne["published_seconds"], tsne["machine"], tsne["exclusive"]) == expected
    assert tsne.keys() == {*SUMMARY_COLUMNS}


def test_without_pca_in_as_many_dimensions_there_is_no_ratio():
    cells = [trials("pca", [1.0], n_components=3), trials("tsne", [8.0])]
    assert [row["seconds_ratio"] for row in summarize_costs(cells, [None, None])] == [1.0, None]


def test_cell_without_success_has_no_median():
    (row,) = summarize_costs([trials("tsne", [None])], [None])
    assert (row["n_ok"], row["seconds"], row["seconds_ratio"]) == (0, None, None)
