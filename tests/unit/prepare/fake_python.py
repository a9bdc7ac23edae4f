"""A Python that has what makes a .tflite, and makes what a test says."""

import shlex
import sys
from pathlib import Path

# Its versions, then what its programs do: `out` is the model that they write, `said` what they say.
_PROGRAM = """\
import json, pathlib, shutil, sys
arguments = sys.argv[1:]
if arguments[0] == "-c":
    print(json.dumps({versions}))
    raise SystemExit
with open({calls}, "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
print({said}, file=sys.stderr)
place = 3 if arguments[0].endswith(("quantizer.py", "tensorflow_lite.py")) else 0
if {made} and not {status}:
    shutil.copyfile({made}, arguments[place])
raise SystemExit({status})
"""


def fake_python(
    folder: Path,
    made: Path | None = None,
    *,
    versions: dict[str, str] | None = None,
    status: int = 0,
    said: str = "",
) -> Path:
    """Program for `python=` that reports the given versions, and records calls as lines of
    calls.jsonl.
    """
    folder.mkdir(parents=True, exist_ok=True)
    has = {"ai-edge-quantizer": "0.10.0", "tensorflow": "2.21.0"} if versions is None else versions
    text = _PROGRAM.format(
        versions=has,
        calls=repr(str(folder / "calls.jsonl")),
        said=repr(said),
        made=repr(str(made)) if made else None,
        status=status,
    )
    (folder / "fake.py").write_text(text, encoding="utf-8")
    python = folder / "python3"
    words = shlex.join([sys.executable, str(folder / "fake.py")])
    python.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return python
