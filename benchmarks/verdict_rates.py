"""Error rates of verdicts, by simulation of papers whose truth is known.

    python benchmarks/verdict_rates.py [papers per scenario]

writes docs/found/rates.json, which the site shows as a table. Each paper has ten claims, from one
setting with one rival to twelve with four.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nldr.claims.findings import DELTA, Effect, Finding, Setting, Statement
from nldr.claims.stopping import STEPS, needs_trials
from nldr.claims.verdicts import ClaimJudgment, Verdict, judge
from nldr.statistics.location import locate
from nldr.statistics.outcomes import Outcome
from nldr.statistics.ranking import correct

FILE = Path(__file__).parents[1] / "docs/found/rates.json"
PAPERS = 1000
Noise = Literal["normal", "skewed", "failing", "collapsing"]
SIZES = ((1, 1), (1, 3), (2, 2), (3, 1), (4, 8), (6, 2), (7, 4), (12, 1), (12, 4), (21, 2))
TRUTHS = np.array([0, 0.5, -0.5, 2, -2, 5, -5, 10]) * DELTA  # differences from the hardest rival
SD = 1.5 * DELTA  # typical s.d. of the difference of a trial; each setting has its own
SHARED = 0.5  # share of the variance that all rivals of a trial have in common
FAILING = 0.02  # share of the runs that fail, or whose score collapses
COLLAPSE = 30.0  # s.d. by which it does
WORDS = Statement("it", "holds", "does not hold")


@dataclass(frozen=True)
class Scenario:
    """Number of trials and noise of a simulated paper."""

    trials: int | None  # None for the stopping rule
    # Distribution of the differences: normal, exponential, normal with 1 run in 50 that has no
    # score, or with 1 in 50 whose score collapses
    noise: Noise
    # Whether the settings of a claim agree, so that it holds or fails in all of them
    consistent: bool = False


@dataclass(frozen=True)
class Truth:
    """A claim of a simulated paper: its true differences, of shape (n_settings, n_rivals)."""

    differences: NDArray
    sd: NDArray

    @property
    def decisive(self) -> NDArray:
        """True difference from the hardest rival in each setting."""
        return self.differences.min(axis=1)


class Rates(NamedTuple):
    """Shares of what was simulated."""

    wrong_verdicts: float  # of the verdicts that are decided
    # Mean share of false statements among the settings that are told to be better, worse or tied
    false_settings: float
    decided: float  # of all verdicts
    # The same under the former rule: all comparisons must hold, corrected by Holm's procedure
    former_wrong: float
    former_decided: float
    mean_trials: float  # of a setting


def simulate(scenario: Scenario, n_papers: int, rng: np.random.Generator) -> Rates:
    """Return the error rates of verdicts on simulated papers of ten claims each."""
    wrong = decided = former_wrong = former_decided = 0
    false_shares, trials = [], []
    for _ in range(n_papers):
        truths = {str(i): _draw_truth(m, r, scenario, rng) for i, (m, r) in enumerate(SIZES)}
        findings, judged, used = _run(truths, scenario, rng)
        trials += used
        told = false = 0
        for name, truth in truths.items():
            judgment = judged[name]
            is_told = [outcome is not Outcome.UNCLEAR for outcome in judgment.outcomes]
            told += sum(is_told)
            pairs = zip(judgment.outcomes, truth.decisive, strict=True)
            false += sum(_is_false(outcome, difference) for outcome, difference in pairs)
            if judgment.verdict is not Verdict.OPEN:
                decided += 1
                wrong += _is_wrong(judgment.verdict, truth.decisive)
        false_shares.append(false / max(told, 1))
        for name, holds in _former_verdicts(findings):
            former_decided += 1
            former_wrong += holds != bool((truths[name].decisive > 0).all())
    n_claims = n_papers * len(SIZES)
    return Rates(
        wrong_verdicts=wrong / max(decided, 1),
        false_settings=float(np.mean(false_shares)),
        decided=decided / n_claims,
        former_wrong=former_wrong / max(former_decided, 1),
        former_decided=former_decided / n_claims,
        mean_trials=float(np.mean(trials)),
    )


def _draw_truth(m: int, n_rivals: int, scenario: Scenario, rng: np.random.Generator) -> Truth:
    """Return the true differences of a claim: one rival is the hardest, others lie behind."""
    hardest = rng.choice(TRUTHS, (1 if scenario.consistent else m, 1))
    behind = 5 * DELTA * np.abs(rng.normal(size=(m, n_rivals)))
    behind[:, 0] = 0.0
    return Truth(hardest + behind, SD * rng.lognormal(0, 0.7, (m, 1)))


def _run(
    truths: dict[str, Truth], scenario: Scenario, rng: np.random.Generator
) -> tuple[dict[str, Finding], dict[str, ClaimJudgment], list[int]]:
    """Return findings, judgments and numbers of trials of a paper."""
    steps: Sequence[int] = (scenario.trials,) if scenario.trials else STEPS
    values = {name: _draw(truth, scenario.noise, steps[-1], rng) for name, truth in truths.items()}
    n_trials: dict[str, int] = {}
    growing = [*truths]
    for step in steps:
        # Trials are added to the claims that need more, as `nldr claim all` does.
        n_trials |= dict.fromkeys(growing, step)
        findings = {name: _finding(values[name][..., : n_trials[name]]) for name in truths}
        judged = {k: j for k, j in judge({k: [f] for k, f in findings.items()}).items() if j}
        growing = [name for name in growing if needs_trials(judged[name])]
        if not growing:
            break
    return findings, judged, [n_trials[name] for name in truths]


def _draw(truth: Truth, noise: Noise, n: int, rng: np.random.Generator) -> NDArray:
    """Return differences of shape (n_settings, n_rivals, n_trials); NaN where a run failed."""
    m, n_rivals = truth.differences.shape

    def unit(*shape: int) -> NDArray:
        return rng.exponential(size=shape) - 1 if noise == "skewed" else rng.normal(size=shape)

    common, single = unit(m, 1, n), unit(m, n_rivals, n)
    error = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * single
    fails = rng.random(error.shape) < FAILING
    if noise == "collapsing":
        # The score of the rival collapses; the mean is still the true one
        error = error + COLLAPSE * (fails - FAILING)
    values = truth.differences[..., np.newaxis] + truth.sd[..., np.newaxis] * error
    return np.where(fails, np.nan, values) if noise == "failing" else values


def _finding(values: NDArray) -> Finding:
    settings = []
    for index, rivals in enumerate(values):
        comparisons = [
            Effect(
                label=str(rival),
                name=str(rival),
                estimate=locate(differences[np.isfinite(differences)]),
                bound=0.0,
                above=True,
                delta=DELTA,
            )
            for rival, differences in enumerate(rivals)
        ]
        settings.append(Setting(str(index), tuple(comparisons)))
    return Finding(settings=tuple(settings), words=WORDS)


def _is_false(outcome: Outcome, truth: float) -> bool:
    """Return whether a statement about a setting is false."""
    if outcome is Outcome.TIE:
        return abs(truth) >= DELTA
    return (outcome is Outcome.BETTER and truth <= 0) or (outcome is Outcome.WORSE and truth >= 0)


def _is_wrong(verdict: Verdict, truths: NDArray) -> bool:
    """Return whether a verdict is wrong, whether small differences are called ties or not."""
    m = len(truths)
    n_better, n_clearly = (truths > 0).sum(), (truths > DELTA).sum()
    n_equal = (np.abs(truths) <= DELTA).sum()
    right = {
        Verdict.HOLDS: n_better == m,
        Verdict.MOST: 2 * n_better > m,
        Verdict.TIE: 2 * n_equal > m,
        Verdict.FEW: 2 * n_clearly <= m,
        Verdict.FAILS: n_clearly == 0,
    }
    return not right[verdict]


def _former_verdicts(findings: dict[str, Finding]) -> Iterator[tuple[str, bool]]:
    """Yield the claims that the former rule decides: all comparisons hold, or one does not."""
    p_values, supports = [], []
    for finding in findings.values():
        sides = np.array([c.sides for s in finding.settings for c in s.comparisons])
        better, worse = sides[:, 0], np.sort(sides[:, 1])
        supports.append(bool((better < 0.5).all()))
        fails = (worse * len(worse) / np.arange(1, len(worse) + 1)).min()
        p_values.append(min(1.0, 2 * (better.max() if supports[-1] else fails)))
    for name, p, holds in zip(findings, correct(p_values), supports, strict=True):
        if p <= 0.05:
            yield name, holds


def scenarios() -> list[Scenario]:
    """Return the scenarios of the published table."""
    noises: tuple[Noise, ...] = ("normal", "skewed", "failing", "collapsing")
    plain = [Scenario(trials, noise) for noise in noises for trials in (2, 3, 5, 10, 50, None)]
    return [*plain, *(replace(s, consistent=True) for s in plain if s.noise == "normal")]


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
