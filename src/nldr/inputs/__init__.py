"""Data as users have them: arrays, frames, sparse matrices and files, checked with plain messages.

Everything here raises :class:`InputError`, whose message names the column, the row and a remedy.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["align", "words_on_order", "words_on_position"],
        "errors": ["InputError"],
        "files": ["coordinates_of", "read", "read_map"],
        "images": ["read_images"],
        "labels": ["Labels", "as_labels", "check_classes"],
        "matrix": ["Matrix", "as_matrix", "dense"],
    },
)
