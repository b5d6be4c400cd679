"""``python -m hoplab_validation.bench`` is ``hoplab bench``."""

import sys

from hoplab.cli import dispatch

if __name__ == "__main__":
    sys.exit(dispatch(["bench", *sys.argv[1:]]))
