"""Command line as ``python -m nldr``."""

import sys

from nldr.cli import main

if __name__ == "__main__":
    sys.exit(main())
