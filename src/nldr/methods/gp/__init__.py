"""Gaussian-process latent variable models."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bayesian_gplvm": ["BayesianGPLVM"],
        "discrete_gplvm": ["DiscreteGPLVM"],
        "gplvm": ["GPLVM"],
        "lolagp": ["LolaGP"],
    },
)
