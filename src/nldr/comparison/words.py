"""The recommendation of a comparison, in sentences that name the aim."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nldr.comparison.ranking import RANDOM
from nldr.inputs.errors import listed

if TYPE_CHECKING:
    import pandas as pd

# Aims that one score decides: title, score, what the score is, and what to know about it
AIMS = {
    "distances": (
        "global distances",
        "continuity",
        "continuity",
        "The evidence is weak: in the study selection, where the true distances are known, the map "
        "that continuity picks is often clearly worse than the best. The rank correlation with the "
        "distances in the data picks even worse maps, since it favors linear methods if the data "
        "lie on a curved surface.",
    ),
    "labels": (
        "separation of the labels",
        "labels",
        "share of neighbors with the same label",
        "Labels show what you already know, not whether the map is faithful.",
    ),
    "new_points": (
        "new points",
        "new_points",
        "share of a new point's neighbors that stay its neighbors once it is placed",
        "",
    ),
}
LEGEND = {
    "neighborhoods": "neighb.: mean of trustworthiness and continuity",
    "behind": "behind: difference from the best",
    "distances": "dist.: rank correlation of distances",
    "labels": "labels: share of neighbors with the same label",
    "new_points": "new p.: share of neighbors kept when new points are placed",
    "stability": "stable: share of neighbors kept between two draws",
    "untrusted": "untrusted: share of points with large errors, by the bound of the best map",
    "seconds": "s/fit: CPU seconds",
}
EQUAL = {"tie": "practically equal", "slightly worse": "only slightly worse"}
NOTABLE = 0.02  # difference of two scores that is worth a word
WIDTH = 92  # of a line in a terminal
GOOD = 0.5  # share of the way from random coordinates to a perfect map that is acceptable


def number(value: float) -> str:
    """Return a score for a sentence.

    Examples
    --------
    >>> number(0.9449), number(0.0031), number(-0.4)
    ('0.94', '0.003', '−0.40')
    """
    places = 3 if 0 < abs(value) < 0.0995 else 2
    return f"{value:.{places}f}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share in percent, as text.

    Examples
    --------
    >>> percent(0.083), percent(0.004), percent(0.0), percent(float("nan"))
    ('8 %', '< 1 %', '0 %', '–')
    """
    if not np.isfinite(share):
        return "–"
    return "< 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def beside(shares: Mapping[str, float]) -> str:
    """Return shares of other maps, in parentheses.

    Examples
    --------
    >>> beside({"PCA": 0.5, "random coordinates": 1.0}), beside({})
    (' (PCA 50 %, random coordinates 100 %)', '')
    """
    texts = [f"{title} {percent(share)}" for title, share in shares.items()]
    return f" ({', '.join(texts)})" if texts else ""


def name_of(row: pd.Series) -> str:
    """Return a method with its setting: "t-SNE (perplexity 30)"."""
    return f"{row.name} ({row['setting']})" if row["setting"] else str(row.name)


def recommendations(table: pd.DataFrame, untrusted: dict[str, float]) -> dict[str, str]:
    """Return a recommendation for each aim.

    ``table`` is that of :func:`nldr.comparison.ranking.rank`, and ``untrusted`` has the share of
    points that should not be trusted, by key of the method. The aims are ``neighborhoods``,
    ``distances``, ``labels`` if there are classes, ``new_points`` and ``speed``.
    """
    random = table.loc[RANDOM]
    real = table.drop(index=RANDOM)
    texts = {"neighborhoods": _neighborhoods(real, random, untrusted)}
    best = real.iloc[0]
    for aim, (title, score, words, remark) in AIMS.items():
        if score not in real:
            continue
        if np.isfinite(real[score]).any():
            texts[aim] = f"For {title} take {_best_by(score, words, real, random)} {remark}".strip()
        else:
            texts[aim] = (
                f"For {title} no method can be recommended: no draw of the rows has a score."
            )
    close = real[real["neighborhoods"] > best["neighborhoods"] - NOTABLE]
    fast = close.loc[close["seconds"].idxmin()]
    if fast.name == best.name:
        texts["speed"] = (
            f"For speed take {best.name} as well: it takes {best['seconds']:.2g} s per draw, and "
            f"no faster method is within {NOTABLE} of its score for neighborhoods."
        )
    else:
        texts["speed"] = (
            f"For speed take {name_of(fast)}: it takes {fast['seconds']:.2g} s per draw and is "
            f"within {NOTABLE} of the best score for neighborhoods; {best.name} takes "
            f"{best['seconds']:.2g} s."
        )
    return texts


def _neighborhoods(real: pd.DataFrame, random: pd.Series, untrusted: dict[str, float]) -> str:
    best, pca = real.iloc[0], real[real["key"] == "pca"].iloc[0]
    references = f"random coordinates {_pair(random)}"
    if best["key"] != "pca":
        references = f"PCA {_pair(pca)}, {references}"
    sentences = [
        f"For local neighborhoods take {name_of(best)}: trustworthiness "
        f"{number(best['trustworthiness'])} and continuity {number(best['continuity'])} "
        f"({references})."
    ]
    reached = (best["neighborhoods"] - random["neighborhoods"]) / (1 - random["neighborhoods"])
    if reached < GOOD:
        sentences.append("No method keeps the neighborhoods well in two dimensions.")
    if rival := _rival(real, best):
        sentences.append(rival)
    share = untrusted.get(str(best["key"]), float("nan"))
    if np.isfinite(share):
        part = percent(share).replace("<", "Less than")
        titles = {"PCA": pca["key"], RANDOM: random["key"]}
        shares = {title: untrusted[key] for title, key in titles.items() if key in untrusted}
        others = beside({title: s for title, s in shares.items() if title != best.name})
        sentences.append(
            f"{part} of the points of the {best.name} map should not be trusted{others}."
            if share
            else f"No point of the {best.name} map has neighbors that should not be trusted."
        )
    return " ".join(sentences)


def _pair(row: pd.Series) -> str:
    return f"{number(row['trustworthiness'])} and {number(row['continuity'])}"


def _rival(real: pd.DataFrame, best: pd.Series) -> str:
    """Return a sentence on the method to think of besides the best one."""
    others = real.iloc[1:]
    if not len(others):
        return ""
    pools = (
        others[others["outcome"].isin(EQUAL)],
        others[others["outcome"] == "unclear"],
        others[others["distances"] > best["distances"] + NOTABLE],
        others.iloc[:1],
    )
    # A tie that has more to offer, else what may be one, else what keeps distances, else the next
    pool = next(pool for pool in pools if len(pool))
    # Unknown where all rows of a draw are equal
    rival = pool.loc[pool["distances"].fillna(-1).idxmax()]
    gains = []
    if rival["distances"] > best["distances"] + NOTABLE:
        gains.append(
            f"keeps the distances in the data better ({_against(rival, best, 'distances')})"
        )
    if rival["stability"] > best["stability"] + NOTABLE:
        gains.append(f"changes less from draw to draw ({_against(rival, best, 'stability')})")
    reason = f" but {' and '.join(gains)}" if gains else ""
    if rival["outcome"] in EQUAL:
        return f"{name_of(rival)} is {EQUAL[rival['outcome']]}{',' if reason else ''}{reason}."
    half = (rival["behind_high"] - rival["behind_low"]) / 2
    gap = f"{rival['behind']:.3f} ± {half:.3f} behind"
    if rival["outcome"] == "unclear":
        # The interval is that of one comparison, the outcome takes all of them into account
        among = " among so many methods" if rival["behind_low"] > 0 else ""
        gap += f", which may be chance{among}" + ("," if reason else "")
    return f"{name_of(rival)} is {gap}{reason}."


def _against(rival: pd.Series, best: pd.Series, score: str) -> str:
    return f"{number(rival[score])} vs. {number(best[score])}"


def _best_by(score: str, words: str, real: pd.DataFrame, random: pd.Series) -> str:
    """Return the method with the highest score, and the score beside its references."""
    top = real.loc[real[score].idxmax()]
    pca = real[real["key"] == "pca"].iloc[0]
    references = [] if top["key"] == "pca" else [f"PCA {number(pca[score])}"]
    references.append(f"random coordinates {number(random[score])}")
    text = f"{name_of(top)}: {words} {number(top[score])} ({', '.join(references)})."
    close = real[real[score] > top[score] - NOTABLE].index.drop(top.name)
    if not len(close):
        return text
    return f"{text} Within {NOTABLE} of it, so hardly worse: {listed(close)}."


def wrapped(text: str) -> str:
    """Return text in lines for a terminal."""
    return textwrap.fill(text, WIDTH)


def cpu_seconds(value: float) -> str:
    """Return the time of a fit.

    Examples
    --------
    >>> cpu_seconds(0.3512), cpu_seconds(0.002), cpu_seconds(float("nan"))
    ('0.35', '< 0.01', '–')
    """
    if not np.isfinite(value):
        return "–"
    return "< 0.01" if value < 0.005 else f"{value:.2f}"


def shown_table(table: pd.DataFrame) -> str:
    """Return the table of a comparison for the terminal."""
    columns: dict[str, Any] = {
        "setting": "setting",
        "neighborhoods": "neighb.",
        "behind": "behind",
        "outcome": "",
        "distances": "dist.",
        "labels": "labels",
        "new_points": "new p.",
        "stability": "stable",
        "untrusted": "untrusted",
        "seconds": "s/fit",
    }
    columns = {key: title for key, title in columns.items() if key in table}
    shown = table[list(columns)].rename(columns=columns)
    formats = {"untrusted": percent, "s/fit": cpu_seconds}
    shown = shown.rename_axis(None)
    text = shown.to_string(float_format="{:.3f}".format, formatters=formats, na_rep="–")
    legend = "; ".join(words for key, words in LEGEND.items() if key in columns)
    return f"{text}\n{wrapped(f'({legend})')}"
