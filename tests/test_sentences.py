"""Sentences of the papers' pages: their numbers and words are those of the record."""

import lzma
import re

from conftest import ROOT, load

sentences = load(ROOT / "docs/sentences.py")


def write_summary(root, study, rows, file=sentences.SUMMARY):
    """Write rows as the summary, or another table, of a study of the record."""
    path = root / file.format(study=study)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(row) for row in ([*rows[0]], *(row.values() for row in rows))]
    path.write_bytes(lzma.compress("\n".join(lines).encode()))


def test_sentences_have_the_numbers_of_the_tables(tmp_path):
    keys = ("dataset", "method", "best_of", "method.n_components", "knn_accuracy_k5_mean")
    scores = {"5": {"ikd": "0.7", "pca": "0.8"}, "10": {"ikd": "0.9", "pca": "0.6"}}
    rows = [("qpcr", m, "", n, score) for n in scores for m, score in scores[n].items()]
    rows += [("qpcr", "tsne", "tsne", "5", "0.95"), ("digits", "tsne", "", "5", "0.95")]
    write_summary(tmp_path, sentences.QPCR, [dict(zip(keys, row, strict=True)) for row in rows])
    assert sentences.show("qpcr", tmp_path).endswith(
        "In 5 dimensions its rank among 2 methods is 2. Its accuracy is 0.70, that of PCA 0.80. "
        "In 10 dimensions its rank among 2 methods is 1. Its accuracy is 0.90, that of PCA 0.60."
    )
    keys = ("dataset", "method", "method.n_neighbors", "fit.n_connected_components_mean")
    methods = ("mvu_disjoint_published", "isomap")
    rows = [(name, m, "6", str(i + 2)) for i, m in enumerate(methods) for name in sentences.CLASSES]
    for study in sentences.COMPONENTS:
        write_summary(tmp_path, study, [dict(zip(keys, row, strict=True)) for row in rows])
    text = sentences.show("components", tmp_path)
    assert text.count(" | 2 |") == len(sentences.CLASSES)


def test_times_of_sentences_are_those_of_the_tables(tmp_path):
    sizes = [("1000", "ikd", 8.0), ("1000", "isomap", 2.0), ("3000", "ikd", 9.0)]
    rows, times = [], []
    for size, method, seconds in [*sizes, ("3000", "isomap", 6.0)]:
        neighbors, landmarks = ("5", "") if method == "isomap" else ("", sentences.LANDMARKS)
        cells = {"data_cell": size, "method_cell": method}
        rows.append(cells | {"method": method, "data.n_samples": size, "n_ok": "1"})
        rows[-1] |= {"method.n_neighbors": neighbors, "method.landmarks": landmarks}
        times.append(cells | {"cpu_seconds": str(seconds)})
    write_summary(tmp_path, sentences.SPEED, rows)
    write_summary(tmp_path, sentences.SPEED, times, sentences.TIMINGS)
    text = sentences.show("ikd_time", tmp_path)
    assert "With 1000 points `IKD()` takes 4.0 to 4.0 times" in text
    assert "With 3000 points `IKD()` takes 1.5 to 1.5 times" in text
    row = {"data_cell": "d", "method_cell": "m", "method": "mvu", "data.n_samples": "900"}
    row |= {"n_ok": "1", "fit.duality_gap_mean": "0.005"}
    write_summary(tmp_path, sentences.SCALING, [row, row | {"data.n_samples": "1000", "n_ok": "0"}])
    times = [{"data_cell": "d", "method_cell": "m", "cpu_seconds": "120"}]
    write_summary(tmp_path, sentences.SCALING, times, sentences.TIMINGS)
    text = "With 900 points a fit takes 2 CPU minutes, and the proven gap is 0.50 %."
    assert sentences.show("mvu_time", tmp_path) == text


def test_sentences_of_pages_are_there_and_true_of_the_record():
    files = [*(ROOT / "docs/papers").glob("*.md"), ROOT / "docs/which_method.md"]
    pages = [page.read_text(encoding="utf-8") for page in files]
    named = re.findall(r"\{found\} sentence (\w+)", "\n".join(pages))
    texts = {name: sentences.show(name) for name in named}
    # What the words around the numbers say
    numbers = {name: [float(n) for n in re.findall(r"\d\.\d+", t)] for name, t in texts.items()}
    assert sorted(texts) == [
        *("components", "ikd_time", "mvu_time", "placement", "prior", "qpcr", "stopped")
    ]
    # Slower than Isomap with 1000 points, and less so with 3000; MVU's gap is below 1 %
    few_low, few_high, many_low, many_high = numbers["ikd_time"]
    assert many_low < many_high < few_low < few_high
    assert numbers["mvu_time"][0] < 1
    assert "60 or 120 s" in texts["stopped"]
    assert numbers["prior"][0] > numbers["prior"][1] > numbers["prior"][2]
    # Of placements ours keeps the most neighbors, and t-SNE more; PCA keeps distances best
    trust, distances = (numbers["placement"][start::2] for start in (0, 1))
    ours, references, aligned, published, tsne, pca = trust
    assert tsne > ours > max(references, aligned, published, pca)
    ours, references, aligned, published, _, pca = distances
    assert pca > aligned > max(ours, references, published)
    counts = re.findall(r"\| the (\d+) .* \| (\d+) \|", texts["components"])
    assert len(counts) == 2
    assert all(int(count) < int(n_classes) for n_classes, count in counts)


def test_default_ikd_keeps_neighbors_but_not_the_place_of_groups():
    page = (ROOT / "docs/papers/ikd.md").read_text(encoding="utf-8")
    assert "it keeps neighbors but may\n  place the groups wrongly" in page
    rows = sentences._rows("selection", ROOT, **{"data.model": "clusters"})
    neighbors, r2 = (
        {row["method_cell"]: float(row[f"{metric}_mean"]) for row in rows}
        for metric in ("latent_neighbors_k12", "r2_affine")
    )
    default = "ikd@n_components=2"
    assert neighbors[default] == max(neighbors.values())
    assert r2[default] < r2["pca@n_components=2"]


def test_pages_name_studies_that_were_not_run_completely(tmp_path):
    plan = "study,cpu_hours,cells,archived\nall_run,1,4,4\nin_part,1,4,1\nnone,1,4,0\nother,1,4,0\n"
    (tmp_path / "results/archive").mkdir(parents=True)
    (tmp_path / sentences.PLAN).write_text(plan)
    page = tmp_path / "docs/papers/ikd.md"
    page.parent.mkdir(parents=True)
    page.write_text("`in_part` and `all_run`, again `in_part`, `none`, `IKD`; other")
    text = sentences.incomplete("papers/ikd", tmp_path)
    assert "size: `in_part` (1 of 4 cells), `none` (not run). This" in text
    page.write_text("`all_run`")
    text = sentences.incomplete("papers/ikd", tmp_path)
    assert text.startswith("All studies named on this page were")


def test_pages_of_results_say_which_studies_were_not_run():
    names = ("papers/ikd", "papers/lolagp", "papers/mvu", "papers/parametric", "questions")
    for name in names:
        text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        # A note that is typed does not change with the record
        assert "yet run" not in text, name
        assert text.count(f"{{found}} incomplete {name}\n") == 1, name


def test_placement_is_the_mean_over_datasets(tmp_path):
    keys = ("data_cell", "method", "best_of", "trustworthiness_k12_mean", "between_spearman_mean")
    rows = [
        (cell, m, "", t, "0.5") for m in sentences.PLACED for cell, t in (("a", "1"), ("b", "0.5"))
    ]
    rows.append(("a", "tsne", "tsne", "0", "0"))  # another setting
    summary = [dict(zip(keys, row, strict=True)) for row in rows]
    write_summary(tmp_path, sentences.PLACEMENT, summary)
    text = sentences.show("placement", tmp_path)
    assert "| t-SNE | 0.750 | 0.500 |" in text
    assert "Means over 2 datasets" in text
