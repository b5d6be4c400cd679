"""The program `hoplab`, also as ``python -m hoplab``.

Imports little by itself, so that Ctrl-C is answered in words from the first moment on.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line of this process, and exit with its code."""
    try:
        from hoplab.cli import dispatch  # noqa: PLC0415 (loading it is part of what Ctrl-C may interrupt)

        code = dispatch(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("hoplab: interrupted\n")
        code = INTERRUPTED
    if code == INTERRUPTED:  # files are closed and threads have ended: taking the interpreter down only takes time
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
