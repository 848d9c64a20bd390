"""Code as data: import paths, signatures and fingerprints."""
