"""Placement of the unfolded components of disconnected data."""
