"""Scripts of this folder start a cluster: they are run by hand (``python tests/cluster/...``)."""

collect_ignore_glob = ["*.py"]
