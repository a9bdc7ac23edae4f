"""Programs that run in another Python, which may have packages that this one lacks."""

import json
import subprocess

from opsmith.errors import ToolchainError

QUANTIZER = "ai-edge-quantizer"
TENSORFLOW = "tensorflow"
_INSTALL = {QUANTIZER: "ai-edge-quantizer==0.10.0", TENSORFLOW: "tensorflow-cpu==2.21.0"}
# Installable names: the package itself comes first, then packages that include it.
_NAMES = {
    QUANTIZER: (QUANTIZER, "ai-edge-litert", "numpy"),
    TENSORFLOW: (TENSORFLOW, "tensorflow-cpu", "tf-nightly", "keras", "numpy"),
}
_BRING = {QUANTIZER: 1, TENSORFLOW: 3}  # number of first names of which one is enough
# A separate Python without GPUs, which add in no fixed order.
_APART = (
    *("env", "-u", "PYTHONPATH", "-u", "PYTHONSAFEPATH", "-u", "PYTHONHOME"),
    *("CUDA_VISIBLE_DEVICES=", "TF_CPP_MIN_LOG_LEVEL=2", "KERAS_BACKEND=tensorflow"),
)
_ASK = """\
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""
_SECONDS = 60


def command_of(python: str, *arguments: str) -> list[str]:
    """Command by which interpreter `python` runs a program, Opsmith not on its import path."""
    return [*_APART, python, *arguments]


def versions(python: str, package: str) -> dict[str, str]:
    """Versions that the interpreter `python` has of a package and of packages that affect its
    output.

    Raises MDL050 where the interpreter does not run, or lacks the package.
    """
    names = _NAMES[package]
    command = command_of(python, "-c", _ASK, *names)
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
        found = {str(name): str(version) for name, version in json.loads(done.stdout).items()}
    except (OSError, ValueError, AttributeError, subprocess.SubprocessError) as error:
        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        what, fix = f"it does not run as Python: {why}", "name a Python 3"
        raise ToolchainError.of("MDL050", what, where=python, fix=fix) from error
    if not any(name in found for name in names[: _BRING[package]]):
        fix = f"{python} -m pip install {_INSTALL[package]}; or python=FILE, one that has it"
        what = f"this Python has no {package}"
        raise ToolchainError.of("MDL050", what, where=python, fix=fix)
    return found
