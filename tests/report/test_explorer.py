"""The explorer's page and blocks: an index of every cloud, and numbers where it says."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from reports import read_column

from nldr.report import explorer
from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Card, Look, Report
from nldr.report.templating import environment


@pytest.fixture
def cloud(rng):
    """Return twenty images with an embedding, one of five dimensions, and one that failed."""
    errors = {"trustworthiness": rng.uniform(size=20), "distortion": rng.normal(size=20)}
    errors["trustworthiness"][3], errors["distortion"][4] = np.nan, -np.inf
    scores = {"trustworthiness_k12": 0.9914849, "r2": float("nan")}
    Z = rng.normal(size=(20, 2))
    good = Embedding("pca", "pca@n=2", "PCA <2>", 1, "ok", "", Z, scores, errors)
    wide = replace(good, method_cell="pca@n=12", Z=rng.normal(size=(20, 12)), errors={})
    late = {"status": "timeout", "message": "<b>late</b>", "Z": None, "scores": {}, "errors": {}}
    failed = replace(good, method_cell="pca@n=0", **late)
    images = rng.integers(0, 255, (20, 8, 8), np.uint8)
    latent, labels, embeddings = rng.normal(size=(20, 1)), np.arange(20) % 3, [good, wide, failed]
    return Cloud(
        *("digits", "digits@a", "Digits", 0, 20, 64, None, latent, labels, images, embeddings),
        left_out=7,
    )


def report_of(*clouds, cards=None):
    looks = {"pca": Look("#000000", "v", True)}
    return Report("1", "smoke", "today", {}, [], [], cards or [], list(clouds), looks)


def index_of(report):
    result = dict(explorer.blocks(report))
    return json.loads(result.pop("explorer")), result


def test_index_describes_every_block(cloud):
    index, result = index_of(report_of(cloud, replace(cloud, cell="digits@b")))
    named = [entry["block"] for entry in index["clouds"] + index["sheets"]]
    assert sorted(named) == sorted(result)
    (first, second), (sheet,) = index["clouds"], index["sheets"]
    assert (first["cell"], second["cell"], first["leftOut"]) == ("digits@a", "digits@b", 7)
    # Both have the same images, which are kept once
    assert first["sheet"] == second["sheet"] == 0
    assert (sheet["n"], sheet["width"]) == (20, 8)


def test_every_column_lies_inside_its_block(cloud):
    index, result = index_of(report_of(cloud))
    (described,) = index["clouds"]
    good, wide, failed = described["embeddings"]
    assert (len(good["axes"]), len(wide["axes"]), wide["dimensions"]) == (2, 10, 12)
    parts = [
        *described["latent"],
        described["labels"],
        described["images"],
        *good["axes"],
        *wide["axes"],
        *good["errors"].values(),
    ]
    sizes = {"u12": 30, "u8": 20, "i8": 20}
    ends = sorted((part["at"], part["at"] + sizes[part["as"]]) for part in parts)
    assert all(end == start for (_, end), (start, _) in pairwise(ends))
    assert ends[-1][1] == len(result["cloud-0"])
    assert "axes" not in failed
    assert failed["message"] == "<b>late</b>"


def test_numbers_of_an_embedding(cloud):
    index, result = index_of(report_of(cloud))
    good = index["clouds"][0]["embeddings"][0]
    assert good["scores"] == {"trustworthiness_k12": 0.9914849}  # a NaN is no score
    loss, stretch = good["errors"]["trustworthiness"], good["errors"]["distortion"]
    block = result["cloud-0"]
    assert block[loss["at"] + 3] == 255
    assert block[stretch["at"] + 4] == 0
    assert (stretch["low"], stretch["high"], loss["low"]) == (-3, 3, 0)
    losses = cloud.embeddings[0].errors["trustworthiness"]
    assert loss["mean"] == pytest.approx(np.nanmean(losses), rel=1e-7)


def test_panel_and_table_round_a_score_alike(cloud):
    """The panel shows 1 − mean error, the table the score: three digits of the same number."""
    score = 0.9914849  # .991; from four digits it would be .992
    losses = np.full(20, 1 - score)
    shown = replace(cloud.embeddings[0], errors={"trustworthiness": losses})
    index, _ = index_of(report_of(replace(cloud, embeddings=[shown])))
    described = index["clouds"][0]["embeddings"][0]
    panel, table = 1 - described["errors"]["trustworthiness"]["mean"], *described["scores"].values()
    assert f"{panel:.3f}" == f"{table:.3f}" == "0.991"


def test_titles_of_metrics_come_from_their_cards(cloud):
    card = Card("metric", "trustworthiness_k12", "Trust of 12", "", "", "", "")
    expected = {"r2": "r2", "trustworthiness_k12": "trustworthiness (k = 12)"}
    assert index_of(report_of(cloud))[0]["metrics"] == expected
    rows = replace(cloud.embeddings[0], scores={"trustworthiness_k12@rows=test": 1.0})
    tested = report_of(replace(cloud, embeddings=[rows]), cards=[card])
    assert [*index_of(tested)[0]["metrics"].values()] == ["Trust of 12, rows = test"]
    titled = index_of(report_of(cloud, cards=[card]))[0]["metrics"]
    assert titled["trustworthiness_k12"] == "Trust of 12"


def test_page_tells_what_was_left_out_and_needs_clouds(cloud):
    ((route, html),) = explorer.pages(report_of(cloud), environment())
    assert route == "explorer"
    assert "3 of 10 embeddings" in html
    ((_, html),) = explorer.pages(report_of(replace(cloud, left_out=0)), environment())
    assert "embeddings: first trials" not in html
    assert list(explorer.pages(report_of(), environment())) == []
    assert list(explorer.blocks(report_of())) == []


@pytest.mark.parametrize(
    ("scale", "record", "told"),
    [("quick", True, True), ("paper", True, False), ("quick", False, False)],
)
def test_page_tells_embeddings_of_this_machine_from_the_record(cloud, scale, record, told):
    facts = {"Studies": "1"} if record else {}
    report = replace(report_of(cloud), scale=scale, record=facts)
    ((_, page),) = explorer.pages(report, environment())
    assert ("This machine made these embeddings, at scale <em>quick</em>" in page) == told


def test_ellipses_have_the_covariances_of_their_points(cloud):
    # Axes of lengths 2 and 1, the longer one at 30 degrees; and one along each coordinate
    turn = np.radians(30)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    covariances = np.tile(np.diag([1.0, 0.25]), (20, 1, 1))
    covariances[0] = rotation @ np.diag([4.0, 1.0]) @ rotation.T
    covariances[1] = np.diag([0.25, 1.0])
    good = replace(cloud.embeddings[0], covariances=covariances)
    index, result = index_of(report_of(replace(cloud, embeddings=[good])))
    parts = index["clouds"][0]["embeddings"][0]["ellipses"]
    first, second, angle = (read_column(part, result["cloud-0"]) for part in parts)
    axes = np.array([np.cos(angle), np.sin(angle)]).T
    across = np.array([-axes[:, 1], axes[:, 0]]).T
    drawn = (first**2)[:, None, None] * axes[:, :, None] * axes[:, None]
    drawn += (second**2)[:, None, None] * across[:, :, None] * across[:, None]
    np.testing.assert_allclose(drawn, covariances, atol=0.05)


def test_features_are_numbers_or_categories(cloud):
    columns = {"size": np.linspace(0, 1, 20), "shape": np.array(["cube", "ball"] * 10)}
    index, result = index_of(report_of(replace(cloud, columns=columns)))
    size, shape = index["clouds"][0]["columns"]
    assert (size["as"], "classes" in size) == ("u8", False)
    codes = read_column(shape, result["cloud-0"])
    assert [shape["classes"][code] for code in codes] == columns["shape"].tolist()
