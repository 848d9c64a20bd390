"""The options of Snakemake that the documentation lists end as it says."""

import pytest

FINE = """
    -n; --jobs 2; --forcerun figure; --until table; --omit-from figure; --allowed-rules figure;
    --summary; --detailed-summary; --dag; --rulegraph; --filegraph; --list-rules;
    --list-target-rules; --lint; --report file.html; --retries 2; --resources mem_mb=8000;
    --max-threads 1; --set-threads embed=2; --printshellcmds; --verbose; --scheduler ilp;
    --wait-for-files; --latency-wait 30; --touch; --unlock; --nolock; --rerun-incomplete;
    --keep-incomplete; --rerun-triggers code; --list-changes code; --batch all=1/2;
    --profile none; --containerize; --quiet; --notemp; --benchmark-extended; --delete-all-output
"""
REFUSED = "--executor slurm"
OPTIONS = [option.strip() for option in f"{FINE}; {REFUSED}".split(";")]


@pytest.mark.recipe
def test_options_end_as_the_page_says(copy):
    for option in OPTIONS:
        (copy.path / "results/smoke/figures/gallery.png").unlink(missing_ok=True)
        command = ("gallery", "--cores", "2", *option.split(), "--config", "scale=smoke")
        output = copy.snakemake(*command, fails=option == REFUSED)
        assert "Traceback" not in output, option
    # Trials outlive --delete-all-output.
    assert [*copy.path.glob("results/embeddings/**/*.npz")]
