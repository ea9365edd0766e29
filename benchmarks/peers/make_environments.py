"""Makes the environments of the tools that `holdfast bench peers` compares.

    python benchmarks/peers/make_environments.py [--folder DIR] [ENVIRONMENT …]

Run it in an environment that has Holdfast and pip. Each tool of tools.toml gets an environment of
its own, since their pins conflict: in the folder `peers/environments` of the home folder
(`HOLDFAST_HOME`), or in DIR. Without names, all are made. One that is whole is left as it is, but
that of Holdfast is made current. One that fails does not stop the others; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from holdfast.bench.peers.tools import Tool, checkout, environments_folder, python_of, read_tools

MADE = "made.txt"  # the requirements; written last, so that a folder without it is not whole


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the environments of the compared tools.")
    parser.add_argument("--folder", type=Path, help="where; by default in the home folder")
    parser.add_argument("environments", nargs="*", help="which; by default all")
    arguments = parser.parse_args()
    tools = {tool.environment: tool for tool in read_tools()}
    for name in arguments.environments:
        if name not in tools:
            parser.error(f"no environment is called {name!r}; there is: {', '.join(tools)}")
    failed = [
        name
        for name in arguments.environments or tools
        if not make(tools[name], environments_folder(arguments.folder))
    ]
    if failed:
        print(f"not made: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def make(tool: Tool, environments: Path) -> bool:
    """Whether the tool's environment is there now."""
    folder = environments / tool.environment
    wanted = "\n".join(tool.requirements)
    is_own = "." in tool.requirements
    made = folder / MADE
    if made.exists() and made.read_text(encoding="utf-8") == wanted and not is_own:
        print(f"{folder}: is there")
        return True
    if not is_own:
        shutil.rmtree(folder, ignore_errors=True)
    requirements = [str(checkout()) if part == "." else part for part in tool.requirements]
    try:
        if not made.exists():
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        # The environment holds the tool and nothing else: pip itself is this environment's.
        pip: list[str | Path] = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python_of(tool, environments),
        ]
        subprocess.run([*pip, "install", "--quiet", "--no-compile", *requirements], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return False
    made.write_text(wanted, encoding="utf-8")
    print(f"{folder}: made")
    return True


if __name__ == "__main__":
    sys.exit(main())
