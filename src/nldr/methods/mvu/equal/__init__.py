"""Unfolding that keeps all lengths: augmented Lagrangian and dual."""
