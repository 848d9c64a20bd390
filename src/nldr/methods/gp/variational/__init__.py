"""Latent points or inducing values with a posterior, and bounds over observed entries."""
