"""Maximum variance unfolding and its variants for disconnected data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "aligned": ["AlignedDisjointMVU"],
        "disjoint": ["DisjointMVU"],
        "landmark": ["LandmarkMVU"],
        "largest": ["LargestComponentMVU"],
        "mvu": ["MVU"],
        "published": ["PublishedDisjointMVU"],
    },
)
