"""Columns, categories and published counts of the tabular datasets."""

import gzip

import numpy as np
import pytest
from originals import need, write_bank

from nldr.datasets import tables
from nldr.datasets.tables import (
    BANK_CATEGORIES,
    BANK_NUMBERS,
    STAGES,
    bank,
    letter,
    qpcr,
    read_table,
)

RNG = np.random.default_rng
QPCR, LETTER = "guo_qpcr/guo_qpcr.csv", "letter/letter-recognition.data"
BANK = "bank/bank-additional-full.csv.gz"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in (QPCR, LETTER, BANK):
        (tmp_path / name).parent.mkdir()
    monkeypatch.setattr(tables, "fetch", tmp_path.joinpath)
    return tmp_path


def test_qpcr(folder):
    values = RNG(0).normal(size=(11, 48)).round(6)
    stages = ["2", *STAGES]
    lines = [",".join(["", *(f"gene{i}" for i in range(48))])]
    lines += [",".join([s, *map(str, v)]) for s, v in zip(stages, values, strict=True)]
    (folder / QPCR).write_text("\n".join(lines))
    data = qpcr()
    np.testing.assert_array_equal(data.X, values)
    assert data.y.dtype == np.int64
    assert data.y.tolist() == [1, *range(10)]
    (folder / QPCR).write_text("\n".join([*lines, "3" + lines[1][1:]]))
    with pytest.raises(
        ValueError, match="row 12 of the data has an unknown label '3', expected one of 1, 2"
    ):
        qpcr()


def test_qpcr_as_published():
    need("guo_qpcr")
    data = qpcr()
    assert data.X.shape == (437, 48)
    assert np.bincount(data.y).tolist() == [9, 19, 23, 43, 75, 60, 49, 44, 96, 19]
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(data.X.std(axis=0, ddof=1), 1, atol=2e-3)
    assert (data.X.min().round(2), data.X.max().round(2)) == (-4.42, 4.49)


def test_letter(folder):
    values = RNG(0).integers(0, 16, (26 * 4, 16))
    names = "ZYXWVUTSRQPONMLKJIHGFEDCBA" * 4
    lines = [",".join([c, *map(str, v)]) for c, v in zip(names, values, strict=True)]
    (folder / LETTER).write_text("\n".join(lines) + "\n")
    data = letter(n_samples=104, rng=RNG(0))
    np.testing.assert_array_equal(data.X, values)
    assert data.X.dtype == np.float64
    assert data.y.tolist() == 4 * list(range(25, -1, -1))
    part = letter(n_samples=52, rng=RNG(0))
    assert np.bincount(part.y).tolist() == [2] * 26
    rows = [np.flatnonzero((values == x).all(axis=1)).item() for x in part.X]
    np.testing.assert_array_equal(data.y[rows], part.y)
    (folder / LETTER).write_text("A" + 16 * ",x")
    with pytest.raises(
        ValueError, match=r"letter-recognition.data contains a value that is not a number"
    ):
        letter(n_samples=1, rng=RNG(0))


LETTER_COUNTS = """789 766 736 805 768 775 773 734 755 747 739 761 792 783 753 803 783 758 748 796
813 764 752 787 786 734"""


def test_letter_as_published():
    need("letter")
    data = letter(n_samples=20_000, rng=RNG(0))
    assert data.X.shape == (20_000, 16)
    assert set(np.unique(data.X)) == set(range(16))
    assert np.bincount(data.y).tolist() == [int(n) for n in LETTER_COUNTS.split()]
    assert len(np.unique(np.column_stack([data.y, data.X]), axis=0)) == 20_000 - 1332


def test_bank(folder):
    rows = [
        {"age": "30", "euribor3m": "4.857", "job": '"services"', "y": '"no"'},
        {"age": "45", "euribor3m": "1.5", "cons.conf.idx": "-36.4", "job": '"admin."', "y": '"no"'},
        {"age": "40", "nr.employed": "5191", "loan": '"no"', "y": '"yes"'},
    ]
    write_bank(folder / BANK, rows)
    data = bank(n_samples=3, rng=RNG(0))
    # Ten numbers, three jobs, two values of loan, one value of each other category.
    assert data.X.shape == (3, 10 + 3 + 2 + 8)
    # Every column from its smallest value, which is 0 but for the age and the index, to its largest
    numbers = {
        (0, "euribor3m"): 1.0,
        (1, "age"): 1.0,
        (1, "euribor3m"): 1.5 / 4.857,
        (0, "cons.conf.idx"): 1.0,
        (2, "cons.conf.idx"): 1.0,
        (2, "age"): 10 / 15,
        (2, "nr.employed"): 1.0,
    }
    expected = np.zeros((3, 10))
    for (row, name), value in numbers.items():
        expected[row, BANK_NUMBERS.index(name)] = value
    np.testing.assert_allclose(data.X[:, :10], expected, atol=1e-15)
    np.testing.assert_array_equal(data.X[:, 10:13], [[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    loan = 13 + BANK_CATEGORIES.index("loan") - 1
    np.testing.assert_array_equal(data.X[:, loan : loan + 2], [[0, 1], [0, 1], [1, 0]])
    # A category with a single value is a constant column.
    assert (np.delete(data.X[:, 13:], [loan - 13, loan - 12], axis=1) == 0).all()
    assert data.y.tolist() == [0, 0, 1]
    # The scale is that of all clients, whichever are chosen.
    part = bank(n_samples=2, rng=RNG(0))
    assert all((x == data.X).all(axis=1).any() for x in part.X)


def test_bank_missing_column_raises(folder):
    write_bank(folder / BANK, [{"y": '"no"'}])
    text = gzip.decompress((folder / BANK).read_bytes()).replace(b'"age"', b'"Age"')
    (folder / BANK).write_bytes(gzip.compress(text))
    with pytest.raises(ValueError, match=r"bank-additional-full.csv.gz lacks the column\(s\) age$"):
        bank(n_samples=1, rng=RNG(0))


def test_bank_as_published():
    need("bank")
    data = bank(n_samples=41_188, rng=RNG(0))
    assert data.X.shape == (41_188, 63)
    assert np.bincount(data.y).tolist() == [36_548, 4_640]
    assert (data.X.min(axis=0) == 0).all()
    np.testing.assert_allclose(data.X.max(axis=0), 1, rtol=1e-12)
    # First client: 56 years (17 to 98), a call of 261 s (0 to 4918), the first call (of 1 to 56),
    # not called before (999 days), housemaid (fourth of twelve jobs), married.
    np.testing.assert_allclose(data.X[0, :4], [39 / 81, 261 / 4918, 0, 1], rtol=1e-12)
    assert np.flatnonzero(data.X[0, 10:22]).tolist() == [3]
    assert np.flatnonzero(data.X[0, 22:26]).tolist() == [1]
    # Each client has one value per category, and every value occurs.
    assert (data.X[:, 10:].sum(axis=1) == 10).all()
    assert (data.X[:, 10:].sum(axis=0) > 0).all()


def test_read_table_bad_content_raises(tmp_path):
    path = tmp_path / "a.csv"
    for content, message in (
        (b"a,b\n1,2\n", "a.csv should have 3 columns, but has 2"),
        (b"a,b,c\n1,2,3\n1,2,3,4\n", "a.csv is not a valid table: .* line 3"),
        (b"", "a.csv is not a valid table: No columns"),
        (b"\xff\xfe\xff", "a.csv is not a valid table: 'utf-8' codec"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_table(path, n_columns=3, header=0)
    broken = tmp_path / "a.csv.gz"
    broken.write_bytes(gzip.compress(RNG(0).bytes(500))[:-20])
    with pytest.raises(ValueError, match=r"a.csv.gz is not a valid table: "):
        read_table(broken, n_columns=3, header=0)
