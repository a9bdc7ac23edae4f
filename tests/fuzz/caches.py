"""Damaged files of the GPU cache, and folders of others: what a program then gives its driver.

python -m tests.fuzz.caches --count=10000 --seed=1
"""

import atexit
import hashlib
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.damage import LIMITS, damaged, misplace
from tests.fuzz.trials import command
from tests.gpu.conftest import SANITIZERS
from tests.gpu.two_kernels import CXXFLAGS, HERE, compiled

KEY = bytes(32)
CONTENT = b"a driver's binary" * 40
WORDS = (b"OPSMCL01", b"OPSMCL02", KEY, (1 << 40).to_bytes(8, "little"))


def trial(chance: Random, folder: Path) -> str:
    """'read' for an entry as it was written, else 'built again'."""
    place = folder / "opsmith"
    place.mkdir(mode=0o700)
    file = place / KEY.hex()
    file.write_bytes(intact := _entry(CONTENT))
    file.chmod(0o600)
    if chance.random() < 0.7:
        file.write_bytes(damaged(chance, intact, WORDS))
    if chance.random() < 0.2:
        chance.choice((file, place)).chmod(chance.choice((0o700, 0o720, 0o702, 0o777, 0o1777)))
    if chance.random() < 0.1 and os.geteuid() == 0:
        os.chown(chance.choice((file, place)), 65534, 65534)
    misplace(chance, folder, 0.15)
    ours = _is_ours(place) and _is_ours(file) and file.is_file() and not place.is_symlink()
    good = ours and not file.is_symlink() and file.stat().st_size < 1 << 20
    expected = len(CONTENT) if good and file.read_bytes() == intact else 0
    told = _ask(folder)
    assert told == expected, f"{told} bytes, and {expected} were expected"
    again = _ask(folder)  # what was built again is read, where anything may be
    assert again in (expected, len("rebuilt"), 0)
    return "read" if told else f"built again, {'kept' if again else 'not kept'}"


def _entry(content: bytes) -> bytes:
    digest = hashlib.sha256(KEY + content).digest()
    return b"OPSMCL02" + len(content).to_bytes(8, "little") + digest + content


def _is_ours(path: Path) -> bool:
    found = path.lstat() if os.path.lexists(path) else None
    return found is not None and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _ask(folder: Path) -> int:
    """Number of bytes that the program takes from the cache; -1 where it ends without an answer."""
    program = _program()
    assert program.stdin
    assert program.stdout
    program.stdin.write(f"{folder}\n")
    program.stdin.flush()
    return int(program.stdout.readline() or -1)


@cache
def _program() -> subprocess.Popen[str]:
    made = Path(tempfile.mkdtemp(prefix="opsmith-fuzz-"), "probe")
    compiled(HERE / "cache_probe.cc", made, *CXXFLAGS, *SANITIZERS)
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    program = subprocess.Popen([made, "read"], stdin=pipe, stdout=pipe, stderr=null, text=True)
    made.unlink()
    made.parent.rmdir()
    atexit.register(program.kill)
    return program


if __name__ == "__main__":
    sys.exit(command("caches", trial, LIMITS, sys.argv[1:]))
