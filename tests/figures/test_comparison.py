"""Our means, the published numbers and their differences, and which of these are in color."""

import pytest
from sheets import words

from nldr.figures.comparison import FAR, comparison
from nldr.figures.style import find_note


def colored(figure):
    return [text.get_text() for text in figure.texts if text.get_color() == FAR]


@pytest.fixture
def draw(make_study):
    """Return a function that draws three trials of PCA, all .5, and of t-SNE: .6, .7 and .8."""

    def drawn(published=None, **params):
        study = make_study(
            methods={"pca": "PCA", "tsne": "t-SNE"}, sizes=(10,), published=published
        )
        study.table["r2_affine"] = [0.5, 0.5, 0.5, 0.6, 0.7, 0.8]
        return comparison(study, **params)

    return drawn


def test_differences_are_ours_minus_published_and_in_color_beyond_the_tolerance(
    draw, make_published
):
    theirs = make_published(sizes=(10,), values={"r2_affine": 0.52}).assign(sd=None)
    figure = draw(theirs)
    assert words(figure, "ours")[:2] == ["0.500", "0.700"]
    assert words(figure, "published") == ["0.520", "0.520"]
    assert words(figure, "difference") == colored(figure) == ["−0.020", "+0.180"]
    figure = draw(theirs, tolerance=0.05)
    assert colored(figure) == ["+0.180"]
    note = find_note(figure)
    assert "1 of 2 published numbers are reproduced within 0.05; the others" in note


def test_sampling_errors_are_taken_into_account(draw, make_published):
    # Standard error of the difference of means over 4 and 3 trials: .1 √(1/4 + 1/3) = .0764
    theirs = make_published(sizes=(10,), values={"r2_affine": 0.0}).assign(sd=0.1)
    for off, expected in ((0.152, []), (0.153, ["−0.153"] * 2), (-0.153, ["+0.153"] * 2)):
        theirs["value"] = [0.5 + off, 0.7 + off]
        assert colored(draw(theirs, published_trials=4)) == expected


def test_failures_are_marked_and_not_met(make_study, make_published):
    theirs = make_published(methods=("ikd",), sizes=(10,), values={"r2_affine": 0.5})
    study = make_study(
        sizes=(10,), published=theirs, status=lambda m, s, t: "timeout" if m == "ikd" else "ok"
    )
    figure = comparison(study)
    assert words(figure, "ours").count("✕") == 2
    assert "0 of 1 published numbers are reproduced" in find_note(figure)


def test_several_methods_are_below_their_dataset(make_study):
    def names(methods):
        figure = comparison(make_study(datasets=("gp", "big_roll"), sizes=(10,), methods=methods))
        lines = [text for text in figure.texts if text.get_position()[0] == left(figure)]
        return [(text.get_text(), text.get_weight() == "bold") for text in lines[2:]]

    assert names({"pca": "PCA"}) == [("gp", False), ("big roll", False)]
    both = [("PCA", False), ("IKD", False)]
    expected = [("gp", True), *both, ("big roll", True), *both]
    assert names({"pca": "PCA", "ikd": "IKD"}) == expected


def left(figure):
    """Return the position of the title, which is that of all names."""
    return figure.texts[0].get_position()[0]
