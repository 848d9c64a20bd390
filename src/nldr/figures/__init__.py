"""Figure functions: from a study's tables and embeddings to a Matplotlib figure.

A figure function is ``draw(results: StudyResults, **params) -> Figure``; a study names it by its
import path. `results` is everything that a figure of the study is drawn from;
:func:`nldr.figures.curves.curves` has an example that makes it by hand.
"""
