"""Figures of a study: functions from its tables and embeddings to a Matplotlib figure."""
