"""Checks of a user's own method, dataset or metric: ``nldr test mine``."""
