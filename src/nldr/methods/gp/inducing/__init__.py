"""Inducing points: kernel SE + linear + white, collapsed bound, and its maximization."""
