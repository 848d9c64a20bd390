"""Distribution of the features at latent points, and the interface of all models."""
