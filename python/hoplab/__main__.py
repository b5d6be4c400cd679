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
        from hoplab.base.terminal import reserve_standard_descriptors  # noqa: PLC0415
        from hoplab.cli import dispatch  # noqa: PLC0415 (loading it is part of what Ctrl-C may interrupt)

        reserve_standard_descriptors()

        code = dispatch(sys.argv[1:])
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("hoplab: interrupted\n")
        code = INTERRUPTED
    if code == INTERRUPTED:  # files are closed and threads have ended: taking the interpreter down only takes time
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
