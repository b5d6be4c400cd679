"""Write the shell completions that a wheel installs below share/, from `hoplab completion`; `--check` only compares."""

import subprocess
import sys
from pathlib import Path

SHARE = Path(__file__).parents[2] / "packaging" / "hoplab.data" / "data" / "share"
FILES = {
    "bash": "bash-completion/completions/hoplab",
    "zsh": "zsh/site-functions/_hoplab",
    "fish": "fish/vendor_completions.d/hoplab.fish",
}


def main() -> None:
    """Write the files, or compare them."""
    for shell, name in FILES.items():
        command = [sys.executable, "-m", "hoplab", "completion", shell]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        file = SHARE / name
        if "--check" not in sys.argv[1:]:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text:
            sys.exit(f"{file.name} differs from the command line: run `make docs-generated`")


if __name__ == "__main__":
    main()
