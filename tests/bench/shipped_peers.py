"""Writes the peer's figures that report.html shows: `python -m tests.bench.shipped_peers`.

toolchain/opsmith/report/peers.toml has those of whole models, by the digests of their files.
"""

import sys
import tomllib
from collections.abc import Iterator

from opsmith.report.peers import TABLE, TITLES
from tests.bench.peers import SHIPPED

HEAD = """\
# What other software needs for models, by the SHA-256 of their files, core and figure.
# Written by `.venv/bin/python -m tests.bench.shipped_peers`.
"""


def main() -> int:
    """Write peers.toml; returns 0."""
    TABLE.write_text(text(), encoding="utf-8")
    return 0


def text() -> str:
    """The content of peers.toml."""
    return "\n".join([HEAD.rstrip(), *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    for file in SHIPPED:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        for name, model in content["models"].items():
            yield from ("", f"[{model['sha256']}]  # {name}")
            yield from (f'title = "{content["title"]}"', f'date = "{content["date"]}"')
            for core in (key for key, value in model.items() if isinstance(value, dict)):
                figures = (each for each in TITLES if each in model[core])
                yield from (f"{core}.{each} = {model[core][each]}" for each in figures)


if __name__ == "__main__":
    sys.exit(main())
