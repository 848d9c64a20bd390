"""What the doctor notices, and what it recommends."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from PIL import Image
from sklearn.datasets import load_digits, load_wine

import nldr
from nldr.cli import main
from nldr.comparison.neighbors import two_nearest
from nldr.comparison.tables import table_of

X = np.random.default_rng(0).normal(size=(100, 4))


def titles(findings, kind="mended"):
    return {finding.title for finding in findings if finding.kind == kind}


def changed(**columns):
    return pd.DataFrame(X, columns=list("abcd")).assign(**columns)


def with_gap(frame):
    frame = frame.copy()
    frame.iloc[3, 1] = np.nan
    return frame


CASES = {
    "nothing": (X, set(), ()),
    "constant": (changed(c=1.0), {"constant columns"}, ("columns",)),
    "empty": (changed(c=np.nan), {"empty columns"}, ("columns",)),
    "rounding": (changed(c=1 + 1e-16 * X[:, 0].round()), {"constant columns"}, ("columns",)),
    "repeated": (changed(e=X[:, 0]), {"repeated columns"}, ("columns",)),
    "row numbers": (changed(id=range(100)), {"column of row numbers"}, ("columns",)),
    "ids": (changed(cell_id=7 * np.arange(100)), {"column of row numbers"}, ("columns",)),
    "missing": (with_gap(changed()), {"missing values"}, ("fill",)),
    "scales": (
        changed(e=1000 * X[:, 0] + X[:, 1]),
        {"different scales", "one column dominates"},
        ("scale",),
    ),
    "parts": (np.concatenate([X, X + 50]), {"separate parts"}, ()),
    "order": (np.sort(X, axis=0), {"sorted rows"}, ()),
}


@pytest.mark.parametrize("case", CASES)
def test_findings_and_steps(case):
    data, expected, kinds = CASES[case]
    findings = nldr.doctor(data)
    assert expected <= titles(findings) <= expected | {"separate parts", "sorted rows"}
    assert findings.preparation.kinds == kinds


def test_counts_are_scaled_and_logged(rng):
    depth = rng.lognormal(size=(80, 1))
    counts = rng.poisson(depth * np.exp(1.5 * rng.normal(size=(80, 30))))
    dense, sparse = nldr.doctor(counts), nldr.doctor(sp.csr_array(counts))
    assert dense.preparation.kinds == ("totals", "log")
    assert sparse.preparation.kinds == ("totals", "log", "components")
    prepared = dense.preparation.apply(counts.astype(float))
    totals = np.expm1(prepared).sum(axis=1)
    assert np.ptp(totals[counts.sum(axis=1) > 0]) < 1e-6 * totals.max()
    # A row with a missing value is scaled as the others are
    lacking = counts.astype(float)
    lacking[0, 0] = np.nan
    points = nldr.doctor(lacking).preparation.apply(lacking)
    assert points[0].max() < points[1:].max()


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_low_counts_and_even_ones_are_logged(store, rng):
    low = rng.poisson(rng.gamma(0.3, 1, (300, 100)))
    assert "log" in nldr.doctor(store(low)).preparation.kinds
    even = rng.negative_binomial(2, 0.1, (300, 50))
    assert nldr.doctor(even).preparation.kinds == ("log",)
    deep = rng.poisson(rng.gamma(0.3, 1, (300, 100)) * rng.lognormal(size=(300, 1)))
    assert "unequal totals" in titles(nldr.doctor(store(deep)))


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_ratings_and_indicators_are_no_counts(store, rng):
    shares = [0.1, 0.1, 0.2, 0.3, 0.3]
    ratings = rng.choice(np.arange(1, 6), size=(300, 60), p=shares) * (rng.random((300, 60)) < 0.1)
    answers = rng.integers(0, 5, (300, 60))
    indicators = np.hstack([np.eye(9)[rng.integers(0, 9, 300)] for _ in range(3)])
    for X in (ratings, answers, indicators):
        assert "counts" not in titles(nldr.doctor(store(X)))


def test_measurements_in_whole_numbers_are_no_counts(rng):
    columns = [rng.integers(18, 90, 80), rng.integers(9, 220, 80) * 1000, rng.integers(0, 5, 80)]
    people = np.column_stack([*columns, rng.integers(1950, 2020, 80)])
    assert nldr.doctor(people).preparation.kinds == ("scale",)


def test_shares_get_square_roots(rng):
    shares = rng.dirichlet(np.ones(5), size=60)
    assert nldr.doctor(shares).preparation.kinds == ("root",)
    # The sums of the rows hardly differ because the time is large
    times = 1.7e9 + 1e5 * rng.random((60, 1))
    assert nldr.doctor(np.hstack([times, shares])).preparation.kinds == ("scale",)


def test_pixels_are_left_alone():
    findings = nldr.doctor(load_digits().data)
    assert "scale" not in findings.preparation.kinds
    assert "different scales" in titles(findings, "fine")


@pytest.mark.parametrize("n_images", [60, 300])
def test_pixels_of_images_are_never_scaled(n_images, tmp_path):
    """In few images, pixels at the border hardly vary, which is no scale of their own."""
    digits = load_digits()
    for i in np.random.default_rng(0).permutation(len(digits.images))[:n_images]:
        (tmp_path / str(digits.target[i] % 2)).mkdir(exist_ok=True)
        pixels = (15 * digits.images[i]).astype(np.uint8)
        Image.fromarray(pixels).save(tmp_path / str(digits.target[i] % 2) / f"{i}.png")
    findings = nldr.doctor(tmp_path)
    assert findings.preparation.kinds == ("columns",)
    assert "one unit" in titles(findings, "fine")
    points = findings.preparation.apply(table_of(tmp_path).matrix.values)
    assert points.max() == 240


def test_rows_to_look_at():
    strange = np.concatenate([X, X[:1], X[1:2] + 1e-9, [[90.0, 90, 90, 90]]])
    findings = {finding.title: finding for finding in nldr.doctor(strange)}
    assert findings["repeated rows"].text == "1 row(s) are equal to an earlier one: rows 100"
    assert "rows 1, 101" in findings["nearly repeated rows"].text
    assert "rows 102" in findings["outliers"].text
    frame = pd.DataFrame(strange, index=[f"s{i}" for i in range(103)])
    findings = {finding.title: finding for finding in nldr.doctor(frame)}
    assert findings["repeated rows"].text.endswith("one: rows s100")
    assert "rows s102:" in findings["outliers"].text


def test_few_rows_have_no_more_dimensions_than_columns():
    few = np.random.default_rng(0).normal(size=(30, 600))
    (text,) = (f.text for f in nldr.doctor(few) if f.title == "intrinsic dimension")
    assert text == "about 29.0 (maximum likelihood) or 29.0 (two nearest neighbors)"


def test_copies_are_not_called_nearly_equal():
    """Distances of equal rows from dot products are not zero in many columns."""
    wide = np.random.default_rng(0).normal(size=(120, 30))
    findings = {f.title: f for f in nldr.doctor(np.concatenate([wide, wide]))}
    assert findings["repeated rows"].text.startswith("120 row(s) are equal to an earlier one")
    assert "nearly repeated rows" not in findings


def test_rows_of_a_random_part_have_their_own_numbers():
    points = np.random.default_rng(0).normal(size=(5600, 3))
    points[5595:] *= 1e4
    (text,) = (f.text for f in nldr.doctor(points) if f.title == "outliers")
    part, rows = re.fullmatch(r"in a random part of (\d+) rows: rows ([\d, ]+): .*", text).groups()
    assert part == "5000"
    assert {int(row) for row in rows.split(", ")} <= {*range(5595, 5600)}


def test_codes_of_missing_values():
    coded = changed(c=np.where(X[:, 0] > 1, -999, X[:, 1]))
    (finding,) = [f for f in nldr.doctor(coded) if "codes" in f.title]
    assert "-999 in 'c'" in finding.text
    assert not [f for f in nldr.doctor(changed(c=np.arange(100.0))) if "codes" in f.title]


def test_dimension_of_a_plane(rng):
    plane = rng.uniform(size=(500, 2)) @ rng.normal(size=(2, 6))
    (finding,) = [f for f in nldr.doctor(plane) if f.title == "intrinsic dimension"]
    assert finding.kind == "fine"
    assert two_nearest(np.ones((10, 2))) == 0
    # Rows that are all there twice have no two nearest neighbors
    findings = {f.title: f for f in nldr.doctor(np.repeat(rng.normal(size=(60, 9)), 2, axis=0))}
    assert findings["intrinsic dimension"].kind == "look"
    assert "two nearest" not in findings["intrinsic dimension"].text


def test_data_as_they_are():
    wine = load_wine().data
    from nldr.comparison.examination import examine

    findings = examine(table_of(wine), prepare=False)
    assert findings.preparation.kinds == ()
    assert "different scales" in titles(findings, "look")
    # A repeated column stays; what no method takes is mended, and said to be
    repeated = np.column_stack([np.full(178, np.nan), wine, wine[:, 0]])
    repeated[3, 1] = np.nan
    findings = examine(table_of(repeated), prepare=False)
    assert findings.preparation.apply(repeated).shape == (178, 14)
    assert titles(findings) - {"sorted rows"} == {"empty columns", "missing values"}


def test_narrow_sparse_data_keep_all_their_columns(rng):
    halves = sp.csr_array(rng.poisson(1, size=(40, 2)) / 2)
    points = nldr.doctor(halves).preparation.apply(halves)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.linalg.norm(halves.toarray(), axis=1))


def test_categories_without_variation_are_not_weighted():
    frame = changed(e=X[:, 0] ** 2, color="red", size=np.where(X[:, 1] > 0, "a=b", "c"))
    findings = nldr.doctor(frame, categories=["color", "size"])
    assert next(f.text for f in findings if f.title == "categories").startswith("size: ")
    findings = nldr.doctor(frame.drop(columns="size"), categories=["color"])
    assert titles(findings) == {"constant columns"}


def test_outliers_beside_each_other():
    clump = np.concatenate([X, 60 + X[:4] / 10])
    (finding,) = [f for f in nldr.doctor(clump) if f.title == "outliers"]
    assert finding.text.startswith("rows 100, 101, 102, 103: ")


def test_missing_categories_are_counted_once(tmp_path):
    colors = np.array(["red", "blue", "green", "NA"])[np.arange(100) % 4]
    changed(color=colors).to_csv(tmp_path / "a.csv", index=False)
    findings = {f.title: f for f in nldr.doctor(tmp_path / "a.csv", categories=["color"])}
    assert findings["missing values"].text == (
        "25 entries (5 %) in 25 row(s), 25 of them in column 'color'"
    )
    assert "'color' (25 rows); in a file, NA, None, null and empty entries count as missing" in (
        findings["missing categories"].text
    )
    # Of a frame, text is a category
    assert "missing values" not in titles(nldr.doctor(changed(color=colors), categories=["color"]))


def test_missing_entries_are_no_equal_values(tmp_path):
    changed(color=np.where(X[:, 0] > 0, "red", "None")).to_csv(tmp_path / "a.csv", index=False)
    findings = {f.title: f.text for f in nldr.doctor(tmp_path / "a.csv", categories=["color"])}
    assert findings["constant columns"] == "no two different values in color=red"
    assert findings["missing categories"].startswith("'color' (")


def test_a_forgotten_label_is_seen():
    wine = load_wine(as_frame=True)
    texts = {f.title: f.text for f in nldr.doctor(wine.frame)}
    expected = "'target' has 3 different values, whole numbers"
    assert texts["classes among the numbers"] == expected
    frame = changed(smoker=X[:, 0] > 0, target=X[:, 1] > 0)
    texts = {f.title: f.text for f in nldr.doctor(frame)}
    assert texts["classes among the numbers"].startswith("'target' has 2 different values")
    # Many columns of few values are ratings or pixels
    for data in (load_digits().data, wine.data):
        assert "classes among the numbers" not in titles(nldr.doctor(data), "look")


def test_repeated_ids_are_seen():
    frame = changed(patient_id=np.arange(100) // 2, grid=X[:, 0] > 0)
    texts = {f.title: f.text for f in nldr.doctor(frame)}
    assert texts["ids among the numbers"].startswith("'patient_id' helps to decide")
    assert "ids among the numbers" not in titles(nldr.doctor(frame, drop=["patient_id"]), "look")


def test_columns_are_named_as_for_compare(tmp_path):
    frame = changed(kind=np.repeat(["u", "v"], 50), day="monday", color=["red", "blue"] * 50)
    frame.to_csv(tmp_path / "X.csv", index=False)
    for data in (frame, tmp_path / "X.csv"):
        findings = nldr.doctor(data, label="kind", drop=["day"], categories=["color"])
        assert str(findings).startswith("100 rows, 5 columns\n")
        assert "by 'kind': the label changes at 1 of 99 rows" in str(findings)
    # A frame may have a column of the name of an attribute of AnnData
    assert nldr.doctor(changed(obs=1.0), drop=["obs"]).n_columns == 4


def test_columns_whose_names_have_commas_are_quoted_on_the_command_line(tmp_path, capsys):
    frame = changed(**{"kind, a": ["x", "y"] * 50, "kind, b": ["x", "y"] * 50})
    frame.to_csv(tmp_path / "a.csv", index=False)
    command = ["doctor", str(tmp_path / "a.csv")]
    assert main(command) == 2
    # The remedies of the message can be pasted
    message = capsys.readouterr().err
    options = shlex.split(re.search(r"--categories (.*)\), or leave it", message)[1])
    both = shlex.split(message.rpartition(": ")[2])
    assert main([*command, "--categories", *options, "--drop", 'a,"kind, b"']) == 0
    assert capsys.readouterr().out.startswith("100 rows, 4 columns\n")
    assert main([*command, "--categories", *both]) == 0


@pytest.mark.parametrize("numbers", [range(100), 7919 * np.arange(100) % 100_003])
def test_ids_under_any_name_are_seen(numbers):
    frame = changed(patient=numbers)
    texts = {f.title: f.text for f in nldr.doctor(frame)}
    assert texts["perhaps ids among the numbers"].startswith(
        "every row has another whole number in 'patient'"
    )
    frame.loc[3, "patient"] = frame.loc[4, "patient"]
    assert "perhaps ids among the numbers" not in titles(nldr.doctor(frame), "look")
