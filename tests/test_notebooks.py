"""The notebooks run from a clean state."""

import pytest
from conftest import ROOT, load

DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.mark.recipe
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(DOCS.parent / "src"))
    module = load(DOCS / "notebook.py")
    result = module.run(path, tmp_path)

    # No warning that readers would have to explain to themselves.
    outputs = [output for cell in result.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("name") == "stderr"]

    # Each has a picture with a description, a table, and numbers that its text speaks of.
    page = module.to_markdown(result, tmp_path, path.stem)
    pictures = list(tmp_path.glob("*.png"))
    assert pictures
    assert page.count("![") == len(pictures)
    assert "![]" not in page
    assert "<table" in page
    assert {
        "choose_a_method": "For local neighborhoods take t-SNE",
        "my_method": "place ",
        "reproduce_a_figure": "reproduced",
        "when_mvu": "proven to be within",
    }[path.stem] in page
