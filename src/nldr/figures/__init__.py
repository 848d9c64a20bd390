"""Figure functions: from a study's tables and embeddings to a Matplotlib figure."""
