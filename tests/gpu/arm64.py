"""PoCL for aarch64, below a folder of its own, so that GPU programs of Linux boards run here under
qemu-aarch64: `python -m tests.gpu.arm64` fetches it, once, and computes a kernel by it.

Its packages are Debian 12's. They are unpacked, not installed: with a second architecture, apt
would remove this machine's compilers.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from opsmith.board.manifest import load_board

ROOT = Path(__file__).resolve().parents[2]
BOARD = load_board("raspberry_pi_5", [ROOT / "boards"])
# Without what the cross compiler's C library has, and without headers that PoCL does not read.
PACKAGES = """
    ocl-icd-libopencl1 libpocl2 libpocl2-common libclang-cpp15 libllvm15 libhwloc15 libudev1
    libstdc++6 libgcc-s1 libedit2 libbsd0 libmd0 libtinfo6 libffi8 libxml2 libicu72 liblzma5 libz3-4
    zlib1g
""".split()
LIBRARIES = ("usr/lib/aarch64-linux-gnu", "lib/aarch64-linux-gnu")
APT = """\
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::State "{0}/state";
Dir::State::status "{0}/status";
Dir::Cache "{0}/cache";
"""
PROBE = Path(__file__).with_name("opencl_probe.c")


def place() -> Path:
    """Folder of PoCL for aarch64, of which each user has one."""
    return Path.home() / ".cache" / "opsmith" / "pocl-arm64"  # tests see no XDG_CACHE_HOME


def fetched() -> Path | None:
    """Folder of PoCL for aarch64 if it is complete, else None."""
    return place() if place().is_dir() else None


def fetch() -> Path:
    """Folder of PoCL for aarch64, filled where it is incomplete. Raises CalledProcessError where
    apt fails.
    """
    if place().is_dir():
        return place()
    place().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place().parent, prefix="fetching-") as temporary:
        work = Path(temporary)
        _download(work)
        root = work / "root"
        for package in sorted((work / "packages").glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        root.replace(place())
    return place()


def variables(root: Path, kernels: Path) -> Mapping[str, str]:
    """Environment in which an emulated program finds the loader and PoCL; PoCL keeps what it
    compiles in `kernels`.
    """
    driver = root / LIBRARIES[0] / "libpocl.so.2"
    return {
        "QEMU_SET_ENV": f"LD_LIBRARY_PATH={':'.join(str(root / each) for each in LIBRARIES)}",
        "OCL_ICD_VENDORS": str(driver),
        "POCL_CACHE_DIR": str(kernels),
    }


def _download(work: Path) -> None:
    """Download the packages, with apt's state and cache in the folder; apt checks signatures."""
    for name in ("state/lists/partial", "cache/archives/partial", "packages"):
        (work / name).mkdir(parents=True)
    (work / "status").touch()
    (work / "apt.conf").write_text(APT.format(work), encoding="utf-8")
    environ = {**os.environ, "APT_CONFIG": str(work / "apt.conf")}
    for command in (["update"], ["download", *PACKAGES]):
        apt = ["apt-get", "-qq", "-o", "Acquire::Retries=3", *command]
        subprocess.run(apt, cwd=work / "packages", env=environ, check=True)


def main() -> int:
    """Fetch the packages if absent and run a kernel; print its output, and both times."""
    begin = time.monotonic()
    root = fetch()
    size = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file()) >> 20
    print(f"{root}: {size} MB, {time.monotonic() - begin:.1f} s")
    with tempfile.TemporaryDirectory() as temporary:
        for what in ("compiled", "from PoCL's cache"):
            begin = time.monotonic()
            said = probe(root, Path(temporary))
            print(f"{said}, {what}: {time.monotonic() - begin:.1f} s", flush=True)
    return 0


def probe(root: Path, folder: Path) -> str:
    """Output of the program that computes a kernel; program and kernels are kept in the folder."""
    program, kernels = folder / "probe", folder / "kernels"
    kernels.mkdir(exist_ok=True)
    compiler, emulator = f"{BOARD.core.architecture.tools}gcc", BOARD.emulator
    subprocess.run([compiler, "-O1", PROBE, "-o", program], check=True)
    before = [emulator.find() or emulator.program, *emulator.options] if emulator else []
    environ = {**os.environ, **variables(root, kernels)}
    done = subprocess.run(
        [*before, program], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
