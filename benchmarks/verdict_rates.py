"""Error rates of verdicts: writes docs/found/rates.json, which the site shows as a table.

    python benchmarks/verdict_rates.py [papers per scenario]

Each paper has ten claims, from one setting with one rival to twelve with four.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

from nldr.claims.rates import scenarios, simulate

FILE = Path(__file__).parents[1] / "docs/found/rates.json"
PAPERS = 1000


def main() -> None:
    """Simulate all scenarios and write their rates."""
    n_papers = int(sys.argv[1]) if len(sys.argv) > 1 else PAPERS
    rows = []
    for scenario in scenarios():
        rates = simulate(scenario, n_papers, np.random.default_rng(0))
        rows.append(asdict(scenario) | rates._asdict())
        print(rows[-1], flush=True)
    FILE.write_text(json.dumps({"papers": n_papers, "rows": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
