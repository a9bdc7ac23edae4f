"""OpenCL: sums are right by every way of memory, and each thing that can be wrong is one error."""

from pathlib import Path

import pytest

from runtimes.gpu import simulator
from tests.gpu.conftest import NO_DRIVER, Run, error, lines_of
from tests.gpu.two_kernels import sums

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("arguments", "variables", "arena"), [
    ((), {}, "the host's"),
    (("unaligned",), {}, "copied to and from the host's"),
    ((), {"OPSMITH_GPU_APART": "1"}, "copied to and from the host's"),
], ids=["shared", "copied", "apart"])  # fmt: skip
def test_sums_are_right(
    opencl: Run, arguments: tuple[str, ...], variables: dict[str, str], arena: str
) -> None:
    done = opencl(*arguments, **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout == sums()
    assert f"gpu: the arena is {arena}\n" in done.stderr


def test_each_launch_is_timed(opencl: Run) -> None:
    done = opencl("profile")
    assert done.stdout.splitlines()[1::2] == ["timed 1"] * 3
    assert done.stdout.replace("timed 1\n", "") == sums()


def test_times_go_to_a_file(opencl: Run, tmp_path: Path) -> None:
    file = tmp_path / "times"
    assert opencl(OPSMITH_GPU_TIMES=str(file)).returncode == 0
    lines = [line.split() for line in file.read_text("utf-8").splitlines()]
    assert [node for _, node in lines] == 3 * ["products", "sums"]
    assert all(int(ns) > 0 for ns, _ in lines)
    for name in ("/nowhere/times", "/dev/full"):
        said = error(opencl(OPSMITH_GPU_TIMES=name), "GPU009")
        assert f"{name} cannot be written: No s" in said  # such file, or space


def test_a_segment_blocks_once(opencl: Run, shim: str) -> None:
    done = opencl(OPSMITH_OPENCL=shim, SHIM_DISCRETE="1")
    products = ["write 16+100 blocks=0", "call clEnqueueNDRangeKernel", "read 128+400 blocks=0"]
    added = ["write 128+400 blocks=0", "call clEnqueueNDRangeKernel", "read 528+8 blocks=0"]
    wait = ["call clFinish"]
    constants = ["write 0+8 blocks=0", "write 32+10 blocks=0", *wait]
    told = lines_of(done, "write", "read", "call clEnqueue", "call clFinish")
    assert told == [*constants, *3 * (products + wait + added + wait)]


def test_the_host_holds_shared_memory_while_no_segment_runs(opencl: Run, shim: str) -> None:
    done = opencl(OPSMITH_OPENCL=shim)
    told = lines_of(done, "write", "read", "map", "unmap", "call clEnqueue", "call clFinish")
    taken = ["map 0+640 flags=3 blocks=0", "call clFinish"]
    constants = ["write 0+8 blocks=0", "write 32+10 blocks=0", "call clFinish"]
    segment = ["unmap", "call clEnqueueNDRangeKernel", *taken]
    assert told == [*taken, *constants, *6 * segment]


def test_a_program_of_floats_says_where_the_least_are_zero(opencl: Run, shim: str) -> None:
    flushes = {"OPSMITH_OPENCL": shim, "SHIM_FLUSHES": "1"}
    said = "takes floats below 1.2e-38 as 0: two_kernels may give other bytes\n"
    assert said in opencl("floats", **flushes).stderr
    assert said not in opencl(**flushes).stderr
    assert said not in opencl("floats").stderr


def test_a_program_without_opencl(run: Run) -> None:
    done = run("no_source", OPSMITH_DEVICE="opencl")
    assert "two_kernels was built without OpenCL" in error(done, "GPU003")
    assert "no CUDA driver" in error(run("no_source"), "GPU001", NO_DRIVER)


def test_a_folder_that_pocl_cannot_write_is_told(opencl: Run, tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    nothing = {"OCL_ICD_VENDORS": str(tmp_path / "vendors")}
    (tmp_path / "file").touch()
    done = opencl(POCL_CACHE_DIR=str(tmp_path / "file" / "x"), **nothing)
    assert "let POCL_CACHE_DIR name one" in error(done, "GPU002", NO_DRIVER)
    done = opencl(POCL_CACHE_DIR=str(tmp_path / "a" / "b"), **nothing)
    assert "POCL_CACHE_DIR" not in error(done, "GPU002", NO_DRIVER)


def test_no_library(run: Run) -> None:
    told = error(run(OPSMITH_DEVICE="opencl", OPSMITH_OPENCL="/no/lib.so"), "GPU001", NO_DRIVER)
    assert "/no/lib.so" in told
    assert "let OPSMITH_OPENCL name" in told


def test_a_library_that_is_none(run: Run) -> None:
    done = run(OPSMITH_DEVICE="opencl", OPSMITH_OPENCL="libm.so.6")
    assert "libm.so.6 has no clGetPlatformIDs" in error(done, "GPU001", NO_DRIVER)


def test_no_platform(opencl: Run, tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    done = opencl(OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert "OpenCL has no platform" in error(done, "GPU002", NO_DRIVER)


def test_no_device_of_version_1_2(opencl: Run, shim: str) -> None:
    for version in ("OpenCL 1.1 old", "nonsense"):
        told = error(opencl(OPSMITH_OPENCL=shim, SHIM_VERSION=version), "GPU002", NO_DRIVER)
        assert "OpenCL has no device of version 1.2 with a compiler; there is " in told
        assert f"({version})" in told
    for version in ("OpenCL 1.2 x", "OpenCL 3.0"):
        assert opencl(OPSMITH_OPENCL=shim, SHIM_VERSION=version).stdout == sums()


def test_a_gpu_comes_before_a_cpu(run: Run, opencl: Run, shim: str) -> None:
    variables = {"OPSMITH_OPENCL": shim, "SHIM_GPU": "1"}
    told = error(opencl(**variables), "GPU009")
    assert "Graphics of the shim cannot make its context: CL_DEVICE_NOT_AVAILABLE (-2)" in told
    told = error(run(OPSMITH_DEVICE="opencl:Voodoo", **variables), "GPU003")
    cpu = told.split("there is ")[1].split(" (OpenCL")[0]
    assert run(OPSMITH_DEVICE=f"opencl:{cpu}", **variables).stdout == sums()


def test_no_device_of_that_name(run: Run, opencl: Run) -> None:
    told = error(opencl(OPSMITH_DEVICE="opencl:Voodoo"), "GPU003")
    assert "no usable OpenCL device has 'Voodoo' in its name; there is " in told
    name = told.split("there is ")[1].split(" (OpenCL")[0].split(", ")[0]
    assert run(OPSMITH_DEVICE=f"opencl:{name[2:9]}").stdout == sums()


@pytest.mark.parametrize("given", ["vulkan", "open", "openclx", "cud:", ":x"])
def test_no_such_kind_of_device(run: Run, given: str) -> None:
    assert "names neither opencl nor cuda" in error(run(OPSMITH_DEVICE=given), "GPU003")


def test_too_little_memory(opencl: Run) -> None:
    told = error(opencl("huge"), "GPU004")
    assert "and the arena needs 1125899906842624" in told


def test_kernels_that_do_not_compile(opencl: Run) -> None:
    told = error(opencl("broken"), "GPU005")
    assert "ops/relu/gpu.cl:7:" in told
    assert "undeclared" in told


def test_a_kernel_that_is_missing(opencl: Run) -> None:
    assert "the kernels of two_kernels have no sum_1" in error(opencl("no_kernel"), "GPU008")


def test_an_application_may_report_errors_itself(opencl: Run) -> None:
    done = opencl("handled")
    assert (done.returncode, done.stdout) == (70, "told GPU008\n")
    assert "error [" not in done.stderr


def test_groups_that_are_too_large(opencl: Run) -> None:
    assert "runs sum_0 in groups of at most" in error(opencl("large_groups"), "GPU008")


MEMORY = "has too little memory for"
DISCRETE = {"SHIM_DISCRETE": "1"}


@pytest.mark.parametrize(("call", "variables", "code", "what"), [
    ("clCreateCommandQueue:1", {}, "GPU004", f"{MEMORY} its queue"),
    ("clCreateBuffer:1", {}, "GPU004", f"{MEMORY} the arena"),
    ("clCreateBuffer:2", {}, "GPU004", f"{MEMORY} the constants"),
    ("clEnqueueMapBuffer:1", {}, "GPU007", "failed at the arena"),
    ("clEnqueueWriteBuffer:2", {}, "GPU004", f"{MEMORY} the constants"),
    ("clCreateKernel:2", {}, "GPU004", f"{MEMORY} sum_0"),
    ("clGetKernelWorkGroupInfo:1", {}, "GPU004", f"{MEMORY} multiply_0"),
    ("clSetKernelArg:4", {}, "GPU004", f"{MEMORY} multiply_0"),
    ("clEnqueueUnmapMemObject:2", {}, "GPU007", "failed at upload: CL_OUT_OF_RESOURCES (-5)"),
    ("clEnqueueWriteBuffer:4", DISCRETE, "GPU007", "failed at upload: CL_OUT_OF_RESOURCES"),
    ("clEnqueueNDRangeKernel:2", {}, "GPU007", "failed at sums: CL_OUT_OF_RESOURCES (-5)"),
    ("clEnqueueNDRangeKernel:3", {}, "GPU007", "failed at products: CL_OUT_OF_RESOURCES (-5)"),
    ("clEnqueueMapBuffer:3", {}, "GPU007", "failed at download: CL_OUT_OF_RESOURCES (-5)"),
    ("clEnqueueReadBuffer:1", DISCRETE, "GPU007", "failed at download: CL_OUT_OF_RESOURCES"),
    ("clEnqueueNDRangeKernel:2", {"SHIM_STATUS": "-4"}, "GPU004", f"{MEMORY} sums"),
    ("clFinish:4", {}, "GPU007", "failed at the end of a segment: CL_OUT_OF_RESOURCES (-5)"),
    ("clGetEventInfo:2", {}, "GPU007", "failed at the end of a segment: CL_EXEC_STATUS_ERROR"),
    ("clGetEventInfo:2", DISCRETE, "GPU007", "failed at the end of a segment: CL_EXEC_STATUS"),
    ("clGetDeviceInfo:1", {}, "GPU009", "cannot make its description: CL_DEVICE_NOT_AVAILABLE"),
])  # fmt: skip
def test_a_call_that_fails_is_one_error(
    opencl: Run, shim: str, call: str, variables: dict[str, str], code: str, what: str
) -> None:
    done = opencl(OPSMITH_OPENCL=shim, SHIM_FAIL=call, **variables)
    assert what in error(done, code)
    assert sums().startswith(done.stdout)


@pytest.mark.parametrize(("call", "code", "what"), [
    ("clCreateCommandQueue:2", "GPU004", f"{MEMORY} its queue"),
    ("clGetEventProfilingInfo:2", "GPU007", "failed at a time"),
    ("clGetEventProfilingInfo:0", "GPU009", "a launch ended before it began"),
])  # fmt: skip
def test_a_time_that_fails_is_one_error(
    opencl: Run, shim: str, call: str, code: str, what: str
) -> None:
    late = {} if call[-1] != "0" else {"SHIM_BACKWARDS": "1"}
    assert what in error(opencl("profile", OPSMITH_OPENCL=shim, SHIM_FAIL=call, **late), code)


@pytest.mark.parametrize(
    ("fault", "told"),
    [("", ""), ("overruns", "Invalid write of size 4"), ("unwritten", "Uninitialized value")],
)
def test_oclgrind_sees_faults_of_tensors_apart(run: Run, fault: str, told: str) -> None:
    if absent := simulator.absent():
        pytest.skip(absent)
    variables = {"OPSMITH_OPENCL": str(simulator.library()), "OPSMITH_DEVICE": "opencl"}
    checks = {"OPSMITH_GPU_APART": "1", "OCLGRIND_UNINITIALIZED": "1", "OCLGRIND_DATA_RACES": "1"}
    done = run(fault, **variables, **checks)
    said = [line for line in done.stderr.splitlines() if not line.startswith("gpu: ")]
    assert told in "".join(said[:2]) if fault else not said
    assert fault or done.stdout == sums()
