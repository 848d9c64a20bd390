"""Tests, intervals and rankings that claims and figures share."""
