"""OpenCL: how kernels are built for a device, and what is kept of what its driver built."""

import hashlib
import os
import random
import re
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from opsmith.home import RUNTIMES
from tests.commands import said
from tests.conftest import NO_PACKAGES, ROOT
from tests.gpu.conftest import SANITIZERS, Run, lines_of
from tests.gpu.two_kernels import CXXFLAGS, compiled, sums

pytestmark = pytest.mark.slow
KHR_DOT, ARM_DOT = "-cl-std=CL3.0 -DOPSMITH_KHR_DOT=1", "-cl-std=CL1.2 -DOPSMITH_ARM_DOT=1"
KHR = "cl_khr_integer_dot_product"
ARM = "cl_arm_integer_dot_product_accumulate_int8"
EXACT = " -cl-fp32-correctly-rounded-divide-sqrt -DOPSMITH_EXACT_DIVISION=1"


@pytest.mark.few(2)
@pytest.mark.parametrize(("variables", "options"), [
    ({"SHIM_EXTENSIONS": "cl_khr_fp64"}, f"-cl-std=CL1.2{EXACT}"),
    ({"SHIM_EXTENSIONS": f"{ARM} {KHR}"}, f"{KHR_DOT}{EXACT}"),
    ({"SHIM_EXTENSIONS": ARM}, f"{ARM_DOT}{EXACT}"),
    ({"SHIM_EXTENSIONS": KHR, "SHIM_VERSION": "OpenCL 2.1"}, f"-cl-std=CL1.2{EXACT}"),
    ({"SHIM_EXTENSIONS": "", "SHIM_ROUNDS": "1"}, "-cl-std=CL1.2"),
], ids=["plain", "khr", "arm", "old", "inexact"])  # fmt: skip
def test_kernels_are_built_for_what_the_device_has(
    cached: Run, shim: str, variables: dict[str, str], options: str
) -> None:
    done = cached(OPSMITH_OPENCL=shim, **variables)
    assert lines_of(done, "options") == [f"options {options}"]


@pytest.mark.parametrize(("options", "called"), [
    ("-cl-std=CL1.2", "mul"),
    (KHR_DOT, "dot_4x8packed_ss_int"),
    (ARM_DOT, "arm_dot_acc"),
], ids=["none", "khr", "arm"])  # fmt: skip
def test_dot_products_are_those_of_the_device(tmp_path: Path, options: str, called: str) -> None:
    if shutil.which("clang-15") is None:
        pytest.skip(f"{NO_PACKAGES}: no clang-15")
    texts = [(RUNTIMES / name).read_text() for name in ("gpu/prelude.cl", "core/dot.cl")]
    texts += ["__kernel void k(__global int* x) { x[0] = dot4(x[1], x[2], x[3]); }"]
    (tmp_path / "k.cl").write_text("\n".join(texts))
    command = ["clang-15", *options.split(), "-target", "spir64", "-O1", "-S", "-emit-llvm"]
    command += ["-Xclang", "-finclude-default-header", "-Wall", "-Werror", "-Wno-unused-function"]
    told = said([*command, str(tmp_path / "k.cl"), "-o", "-"])
    calls = re.findall(r"call.*@_Z\d+(\w*dot\w*?)(?:Dv4|jj)", told)
    calls = calls or re.findall("mul", told)
    assert {*calls} == {called}


def test_constants_of_the_header_are_in_single_precision_where_there_is_double(
    tmp_path: Path,
) -> None:
    if shutil.which("clang-15") is None:
        pytest.skip(f"{NO_PACKAGES}: no clang-15")
    names = re.findall(r"#define (M_\w+) ", (RUNTIMES / "gpu/prelude.cl").read_text())
    assert len(names) == 13
    kernel = f"__kernel void k(__global float* x) {{ x[0] = {' + '.join(names)} + x[1]; }}\n"
    (tmp_path / "k.cl").write_text(f'#include "{ROOT}/runtimes/gpu/prelude.cl"\n{kernel}')
    command = "clang-15 -cl-std=CL1.2 -target spir64 -O1 -S -emit-llvm -o - -Xclang"
    told = said([*command.split(), "-finclude-default-header", str(tmp_path / "k.cl")])
    assert "fadd float" in told
    assert "double" not in told


def entry(folder: Path) -> Path:
    """Path of the only file in the cache."""
    (found,) = (folder / "cache" / "opsmith").iterdir()
    return found


def test_kernels_are_built_once(cached: Run, shim: str, tmp_path: Path) -> None:
    known = partial(cached, OPSMITH_OPENCL=shim)
    cold, warm = known(), known()
    assert lines_of(cold, "call clCreateProgramWithSource")
    assert not lines_of(warm, "call clCreateProgramWithSource")
    assert f"gpu: kernels are those of {entry(tmp_path)}\n" in warm.stderr


def test_another_driver_builds_again(cached: Run, shim: str) -> None:
    for version in ("1.0", "1.1"):
        done = cached(OPSMITH_OPENCL=shim, SHIM_DRIVER=version)
        assert lines_of(done, "call clCreateProgramWithSource")


def test_a_damaged_entry_is_replaced(cached: Run, tmp_path: Path) -> None:
    assert cached().stdout == sums()
    file = entry(tmp_path)
    whole = file.read_bytes()
    bit = whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:]
    for damaged in (bit, whole[:-1], whole + b"x", whole[:20], whole[:48], b""):
        file.write_bytes(damaged)
        told = lines_of(cached(), "gpu: [GPU006]")
        assert told == [f"gpu: [GPU006] {file} is damaged and is built again"]
        assert entry(tmp_path) == file
    assert "kernels are those of" in cached().stderr


def test_an_entry_that_is_no_file_is_neither_opened_nor_replaced(
    cached: Run, tmp_path: Path
) -> None:
    assert cached().stdout == sums()
    file = entry(tmp_path)
    (tmp_path / "other").write_bytes(file.read_bytes())
    to_zero, to_other = (
        lambda path, to=to: path.symlink_to(to) for to in ("/dev/zero", tmp_path / "other")
    )
    for make in (os.mkfifo, os.mkdir, to_zero, to_other):
        file.rmdir() if file.is_dir() else file.unlink()
        make(file)
        kind = os.lstat(file).st_mode
        (told,) = lines_of(cached(), "warning")
        assert told.startswith(f"warning [GPU006] {file} is no regular file")
        assert os.lstat(entry(tmp_path)).st_mode == kind


def others_may_write(file: Path) -> None:
    file.chmod(0o620)


def of_nobody(file: Path) -> None:
    os.chown(file, 65534, 65534)


CHANGES = [others_may_write, *([of_nobody] if os.geteuid() == 0 else [])]


@pytest.mark.parametrize("change", CHANGES)
def test_an_entry_of_others_is_not_read(
    cached: Run, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    assert cached().stdout == sums()
    file = entry(tmp_path)
    change(file)
    (told,) = lines_of(cached(), "gpu: [GPU010]")
    assert told == f"gpu: [GPU010] {file} may be another user's and is built again"
    assert file.stat().st_uid == os.geteuid()
    assert file.stat().st_mode & 0o077 == 0
    assert "kernels are those of" in cached().stderr


@pytest.mark.parametrize("change", [*CHANGES, lambda path: path.rename(path.parent / "moved")])
def test_in_a_folder_of_others_nothing_is_read_or_written(
    cached: Run, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    assert cached().stdout == sums()
    folder = tmp_path / "cache" / "opsmith"
    change(folder)
    if not folder.exists():
        folder.symlink_to("moved")
    (entry,) = folder.iterdir()
    entry.write_bytes(b"theirs")
    (told,) = lines_of(cached(), "warning", "gpu: kernels are")
    assert told.startswith(f"warning [GPU011] {folder} is no folder that you alone may write")
    assert [each.read_bytes() for each in folder.iterdir()] == [b"theirs"]


def test_digests_are_those_of_sha_256(tmp_path: Path) -> None:
    text = "".join(random.Random(0).choices("abcxyz0189", k=300))
    compiled(ROOT / "tests/gpu/cache_probe.cc", tmp_path / "probe", *CXXFLAGS, *SANITIZERS)
    told = said([tmp_path / "probe"], input=text)
    assert told.split() == [
        hashlib.sha256(text[:size].encode()).hexdigest() for size in range(len(text) + 1)
    ]


def test_a_binary_that_the_driver_refuses_is_replaced(cached: Run, tmp_path: Path) -> None:
    assert cached().stdout == sums()
    file = entry(tmp_path)
    whole = file.read_bytes()
    content = b"no program of any driver"
    digest = hashlib.sha256(bytes.fromhex(file.name) + content).digest()
    file.write_bytes(whole[:8] + len(content).to_bytes(8, "little") + digest + content)
    (told,) = lines_of(cached(), "gpu: [GPU006]")
    assert told.startswith(f"gpu: [GPU006] the driver refuses {file}, which is built again")
    assert "kernels are those of" in cached().stderr


def test_a_cache_that_cannot_be_written_is_no_error(cached: Run, tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"")
    done = cached()
    assert done.returncode == 0
    assert done.stdout == sums()
    assert f"gpu: {tmp_path}/cache/opsmith/" in done.stderr
    assert "cannot be written" in done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


def test_entries_that_nobody_reads_are_removed(cached: Run, tmp_path: Path) -> None:
    assert cached().stdout == sums()
    file, day = entry(tmp_path), 24 * 3600
    old, recent, other = (file.with_name(name) for name in ("0" * 16, "1" * 16, "notes"))
    for path, days in ((old, 61), (recent, 59), (other, 61), (file, 61)):
        path.touch()
        os.utime(path, 2 * (time.time() - days * day,))
    assert cached().stdout == sums()  # which reads the entry
    assert time.time() - file.stat().st_mtime < day
    file.unlink()
    assert cached().stdout == sums()
    assert {*file.parent.iterdir()} == {file, recent, other}


def test_without_a_home_nothing_is_kept(bare: Run, driver: None) -> None:
    for _ in range(2):
        done = bare(OPSMITH_DEVICE="opencl")
        assert done.stdout == sums()
        assert "kernels are those of" not in done.stderr
