"""Unfolding with edges that may shrink: low-rank interior-point method."""
