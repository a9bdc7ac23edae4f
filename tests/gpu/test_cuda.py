"""CUDA: the calls of the driver, their order and arguments, on a stand-in without a device; and
what each thing that can be wrong is called.
"""

import os
import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from opsmith.home import RUNTIMES
from runtimes.gpu.simulator import find_ptxas
from tests.conftest import NO_PTXAS
from tests.gpu.conftest import NO_DRIVER, Run, error
from tests.gpu.two_kernels import HERE, compiled, make_ptx, sums

pytestmark = pytest.mark.slow

OPEN = """\
cuInit
cuDeviceGetCount
cuDeviceGet 0
cuDeviceGetName 0
cuDevicePrimaryCtxRetain 0
cuCtxSetCurrent
cuStreamCreate 1
gpu: two_kernels runs on Stand-in A
cuMemAlloc_v2 640
cuMemHostRegister_v2 640
cuMemHostGetDevicePointer_v2
cuMemAlloc_v2 64
cuMemcpyHtoD_v2 m1+0 8
cuMemcpyHtoD_v2 m1+32 10
cuModuleLoadDataEx 6
"""
MULTIPLY = "cuLaunchKernel multiply_0 2 1 1 64 1 1 0 m0+16 m0+128 m1+32\n"
SUM = "cuLaunchKernel sum_0 2 1 1 64 1 1 0 m0+128 m0+528\n"
# The copies of each segment around its launch.
PRODUCTS = f"cuMemcpyHtoDAsync_v2 m0+16 100\n{MULTIPLY}cuMemcpyDtoHAsync_v2 m0+128 400\n"
SUMS = f"cuMemcpyHtoDAsync_v2 m0+128 400\n{SUM}cuMemcpyDtoHAsync_v2 m0+528 8\n"
WAIT = "cuStreamSynchronize\n"
# Calls that fail while the second segment is recorded.
WITHOUT_GRAPHS = (
    "cuStreamBeginCapture_v2=801@2", "cuMemcpyHtoDAsync_v2=900@2", "cuLaunchKernel=900@2",
    "cuMemcpyDtoHAsync_v2=900@2", "cuStreamEndCapture=901@2", "cuGraphInstantiateWithFlags=801@2",
)  # fmt: skip
NO_GRAPH = "cuStreamBeginCapture_v2=801@2,"  # of the second segment
# Calls that fail, and the error's code and what it says.
FAILURES = {
    "cuInit=100": ("GPU002", "CUDA finds no device: CUDA_ERROR_100"),
    "cuDeviceGetCount=3": ("GPU002", "CUDA finds no device: CUDA_ERROR_3"),
    "cuDeviceGet=101@1,cuDeviceGetName=101@1": ("GPU002", "CUDA finds no device"),
    "cuDevicePrimaryCtxRetain=999": ("GPU009", "cannot make its context: CUDA_ERROR_999"),
    "cuCtxSetCurrent=709@1": ("GPU009", "cannot make its context: CUDA_ERROR_709"),
    "cuStreamCreate=999": ("GPU009", "Stand-in A cannot make its stream: CUDA_ERROR_999"),
    "cuMemAlloc_v2=2@1": ("GPU004", "of 4096 bytes, has too little memory for the arena"),
    "cuMemAlloc_v2=2@2": ("GPU004", "of 4096 bytes, has too little memory for the constants"),
    "cuMemAlloc_v2=2,cuDeviceTotalMem_v2=3": ("GPU004", "too little memory for the arena"),
    "cuMemcpyHtoD_v2=719@2": ("GPU009", "cannot make a copy of the constants: CUDA_ERROR_719"),
    "cuModuleLoadDataEx=218": (
        "GPU005",
        "cannot build the kernels of two_kernels: CUDA_ERROR_218\nptxas error: line 7\n",
    ),
    "cuModuleLoadDataEx=2": ("GPU004", "too little memory for the kernels"),
    "cuModuleGetFunction=719": ("GPU009", "cannot make multiply_0: CUDA_ERROR_719"),
    "cuFuncGetAttribute=719@2": ("GPU009", "cannot make sum_0: CUDA_ERROR_719"),
    "cuCtxSetCurrent=709@3": ("GPU007", "failed at the start of a segment: CUDA_ERROR_709"),
    "cuGraphLaunch=719@3": ("GPU007", "failed at the graph of a segment: CUDA_ERROR_719"),
    "cuStreamSynchronize=719@4": ("GPU007", "failed at the end of a segment: CUDA_ERROR_719"),
    "cuGraphLaunch=719,cuGetErrorName=1": ("GPU007", "failed at the graph of a segment: unknown"),
    NO_GRAPH + "cuMemcpyHtoDAsync_v2=719@2": ("GPU007", "failed at upload: CUDA_ERROR_719"),
    NO_GRAPH + "cuLaunchKernel=719@2": ("GPU007", "failed at sums: CUDA_ERROR_719"),
    NO_GRAPH + "cuMemcpyDtoHAsync_v2=719@2": ("GPU007", "failed at download: CUDA_ERROR_719"),
    NO_GRAPH + "cuStreamSynchronize=719@2": ("GPU007", "failed at the end of a segment"),
}
FAILURES_OF_EVENTS = {  # of `profile`
    "cuEventCreate=2@2": ("GPU007", "failed at an event: CUDA_ERROR_2"),
    "cuEventRecord=719@1": ("GPU007", "failed at an event: CUDA_ERROR_719"),
    "cuEventRecord=719@4": ("GPU007", "failed at an event: CUDA_ERROR_719"),
    "cuLaunchKernel=719@4": ("GPU007", "failed at sums: CUDA_ERROR_719"),  # two are recorded
    "cuStreamSynchronize=719@1": ("GPU007", "failed at the end of a segment: CUDA_ERROR_719"),
    "cuEventElapsedTime=719": ("GPU007", "failed at a time: CUDA_ERROR_719"),
}
# Calls that fail, and the device that runs the program nevertheless.
HARMLESS = {
    "cuDeviceGet=101": "Stand-in B",
    "cuDeviceGetName=101": "Stand-in B",
    "cuMemHostGetDevicePointer_v2=801": "Stand-in A",
    "cuGraphDestroy=719": "Stand-in A",
    "cuEventDestroy_v2=719": "Stand-in A",
}


def recorded(function: str, launches: str) -> str:
    """Calls of the driver that make a segment's graph."""
    made = "cuStreamEndCapture\ncuGraphInstantiateWithFlags\ncuGraphDestroy\n"
    found = f"cuModuleGetFunction {function}\ncuFuncGetAttribute 0\n"
    return f"{found}cuStreamBeginCapture_v2 1\n{launches}{made}"


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a stand-in libcuda.so.1."""
    folder = tmp_path_factory.mktemp("cuda")
    flags = ("-std=c++17", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")
    compiled(HERE / "cuda_stand_in.cc", folder / "libcuda.so.1", *flags, compiler="g++")
    return folder


@pytest.fixture
def cuda(run: Run, stand_in: Path) -> Run:
    """Runner of the program on the stand-in for the CUDA driver."""
    return partial(run, LD_LIBRARY_PATH=str(stand_in))


def calls(done: subprocess.CompletedProcess[str]) -> str:
    """Log of the stand-in and the program after a run that gave the right sums."""
    assert done.returncode == 0, done.stderr
    assert done.stdout == sums()
    return done.stderr


def test_segments_are_replayed_as_graphs(cuda: Run) -> None:
    replayed = f"cuCtxSetCurrent\ncuGraphLaunch\n{WAIT}"
    told = OPEN + recorded("multiply_0", PRODUCTS) + recorded("sum_0", SUMS) + 6 * replayed
    assert calls(cuda()) == told


def test_a_program_with_a_kernel_that_copies_is_copied_for_by_it(cuda: Run) -> None:
    """Where a program has a kernel that copies, as the emitter's have, the kernel copies in place
    of the driver: pinned memory of the host has an address on the device.
    """
    told = calls(cuda(STAND_IN_COPIES="1"))
    copy = "cuLaunchKernel opsmith_copy 1 1 1 128 1 1 0"
    products = f"{copy} m0+16 nowhere 100\n{MULTIPLY}{copy} nowhere m0+128 400\n"
    added = f"{copy} m0+128 nowhere 400\n{SUM}{copy} nowhere m0+528 8\n"
    assert recorded("multiply_0", products) + recorded("sum_0", added) in told
    assert "Async" not in told


def test_copies_of_memory_that_cannot_be_pinned_are_not_in_graphs(cuda: Run) -> None:
    told = calls(cuda(STAND_IN_FAIL="cuMemHostRegister_v2=801"))
    assert "gpu: the host's arena cannot be pinned: CUDA_ERROR_801\n" in told
    assert recorded("multiply_0", MULTIPLY) + recorded("sum_0", SUM) in told
    products = PRODUCTS.replace(MULTIPLY, "cuGraphLaunch\n")
    added = SUMS.replace(SUM, "cuGraphLaunch\n")
    runs = f"cuCtxSetCurrent\n{products}{WAIT}cuCtxSetCurrent\n{added}{WAIT}"
    assert told.endswith(3 * runs)


@pytest.mark.parametrize("call", WITHOUT_GRAPHS)
def test_without_a_graph_kernels_are_launched_one_by_one(cuda: Run, call: str) -> None:
    told = calls(cuda(STAND_IN_FAIL=call))
    status = call.split("=")[1].split("@")[0]
    reason = f"the driver records no graph: CUDA_ERROR_{status}"
    assert f"gpu: segment 1 is launched kernel by kernel: {reason}\n" in told
    runs = f"cuCtxSetCurrent\ncuGraphLaunch\n{WAIT}cuCtxSetCurrent\n{SUMS}{WAIT}"
    assert told.endswith(3 * runs)


def test_each_launch_is_timed(cuda: Run) -> None:
    done = cuda("profile")
    assert done.stdout.splitlines()[1::2] == ["timed 1"] * 3
    assert done.stdout.replace("timed 1\n", "") == sums()
    timed = f"cuEventRecord\n{MULTIPLY}cuEventRecord\n{WAIT}cuEventElapsedTime\n"
    assert done.stderr.count(timed) == 3
    assert done.stderr.count("cuEventCreate\n") == done.stderr.count("cuEventDestroy_v2\n") == 12


def test_no_driver(run: Run, tmp_path: Path) -> None:
    (tmp_path / "libcuda.so.1").write_bytes(b"")  # so that no other is found
    done = run(OPSMITH_DEVICE="cuda", LD_LIBRARY_PATH=str(tmp_path))
    assert "no CUDA driver: " in error(done, "GPU001", NO_DRIVER)


def test_a_driver_that_is_too_old(run: Run, tmp_path: Path) -> None:
    compiled(Path(os.devnull), tmp_path / "libcuda.so.1", "-x", "c", "-shared")
    done = run(OPSMITH_DEVICE="cuda", LD_LIBRARY_PATH=str(tmp_path))
    assert "libcuda.so.1 has no cuInit\n" in error(done, "GPU001", NO_DRIVER)


def test_a_program_without_ptx(cuda: Run) -> None:
    told = error(cuda("no_ptx", OPSMITH_DEVICE="cuda"), "GPU003")
    assert "two_kernels was built without CUDA\n" in told


@pytest.mark.parametrize(
    "variables",
    [{"STAND_IN_NO_DEVICE": "1"}, {"STAND_IN_FAIL": "cuInit=100"}],
    ids=["none", "cuInit"],
)
def test_no_device(cuda: Run, variables: dict[str, str]) -> None:
    done = cuda(OPSMITH_DEVICE="cuda", **variables)
    assert "CUDA finds no device" in error(done, "GPU002", NO_DRIVER)


def test_opencl_is_next(cuda: Run, driver: None) -> None:
    told = calls(cuda(STAND_IN_FAIL="cuInit=100"))
    assert "gpu: not CUDA: CUDA finds no device: CUDA_ERROR_100\n" in told


def test_a_driver_without_a_device_is_told_of_unless_opencl_is_meant(
    cuda: Run, driver: None
) -> None:
    broken = {"STAND_IN_FAIL": "cuInit=803", "OPSMITH_GPU_LOG": "0"}
    told = cuda(**broken).stderr
    assert "warning [GPU002] CUDA finds no device: CUDA_ERROR_803: two_kernels runs on Op" in told
    assert "warning" not in cuda(OPSMITH_DEVICE="opencl", **broken).stderr


def test_neither_kind_of_device(cuda: Run) -> None:
    done = cuda(STAND_IN_FAIL="cuInit=100", OPSMITH_OPENCL="/no/lib.so")
    told = error(done, "GPU001", NO_DRIVER)
    assert "CUDA finds no device: CUDA_ERROR_100; and no OpenCL library: /no/lib.so" in told


def test_a_device_is_named(cuda: Run) -> None:
    assert "runs on Stand-in B\n" in calls(cuda(OPSMITH_DEVICE="cuda:in B"))
    told = error(cuda(OPSMITH_DEVICE="cuda:in C"), "GPU003")
    assert "no CUDA device has 'in C' in its name; there is Stand-in A, Stand-in B\n" in told


def test_a_kernel_that_is_missing(cuda: Run) -> None:
    assert "the kernels of two_kernels have no sum_1" in error(cuda("no_kernel"), "GPU008")


def test_groups_that_are_too_large(cuda: Run) -> None:
    told = error(cuda("large_groups"), "GPU008")
    assert "runs sum_0 in groups of at most 1024 work-items, not 1048576" in told


@pytest.mark.parametrize("fails", [*FAILURES, *FAILURES_OF_EVENTS])
def test_a_call_that_fails_is_one_error(cuda: Run, fails: str) -> None:
    """A failing call is one error, also the second call, when the first has loaded the program."""
    code, what = (FAILURES | FAILURES_OF_EVENTS)[fails]
    arguments = ("profile",) if fails in FAILURES_OF_EVENTS else ()
    done = cuda(*arguments, OPSMITH_DEVICE="cuda", STAND_IN_FAIL=fails)
    told = error(done, code, NO_DRIVER if code == "GPU002" else 70)
    assert what in told
    assert sums().startswith(done.stdout.replace("timed 1\n", ""))


@pytest.mark.parametrize(("fails", "device"), HARMLESS.items())
def test_a_call_that_the_program_can_do_without(cuda: Run, fails: str, device: str) -> None:
    done = cuda("profile", OPSMITH_DEVICE="cuda", STAND_IN_FAIL=fails)
    assert (done.returncode, done.stdout.replace("timed 1\n", "")) == (0, sums())
    assert f"runs on {device}\n" in done.stderr


def test_each_call_of_the_driver_fails_in_a_test() -> None:
    text = (RUNTIMES / "gpu" / "cuda_api.h").read_text(encoding="utf-8")
    known = set(re.findall(r"F\((cu\w+),", text))
    tested = {*FAILURES, *FAILURES_OF_EVENTS, *HARMLESS, *WITHOUT_GRAPHS, "cuMemHostRegister_v2"}
    assert known == {name for each in tested for name in re.findall(r"cu\w+", each)}


def test_ptx_is_assembled(tmp_path: Path) -> None:
    """NVIDIA's assembler accepts the PTX that clang makes of kernels, with the parameters that they
    have.
    """
    ptxas = find_ptxas()
    ptx = make_ptx(tmp_path)
    if ptxas is None or ptx is None:
        pytest.skip(NO_PTXAS)
    for name, count in (("multiply_0", 3), ("sum_0", 2)):
        (given,) = re.findall(rf"\.visible \.entry {name}\((.*?)\)", ptx, re.DOTALL)
        assert re.findall(r"\.param \.(u\d+)", given) == count * ["u64", "u32"]
    for core in ("sm_87", "sm_90"):
        command = [ptxas, f"-arch={core}", "-v", str(tmp_path / "kernels.ptx"), "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "256 bytes smem" in done.stderr
