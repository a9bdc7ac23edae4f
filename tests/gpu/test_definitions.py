"""Tests of the names that an author's file defines, which two inclusions would define twice, and
may need.
"""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from opsmith.board.runtime import runtime_of
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES
from opsmith.testing.checkout import ROOT
from runtimes.gpu.definitions import defined_macros, defined_names, lasting_macros
from runtimes.gpu.inclusion import text_and_includes
from runtimes.gpu.neighbours import LOUD, QUIET, check_directives, check_macros, poisoned
from runtimes.gpu.openvino.source import parameters, source_problems
from runtimes.gpu.preprocessor import in_single_precision
from tests.conftest import NO_PACKAGES
from tests.gpu.layer_mistakes import READING

FILE = """\
#define LIMIT(x) limited(x)
typedef struct { int low, high; } Bounds;
struct Pair {
  int one;
};
__constant int ONE[1] = {1};
enum Side { LEFT, RIGHT = 3 };
/* a comment (with a call) { */
static int limited(int x, Bounds b) {
  return x < b.low ? b.low : x;
}
NOINLINE __attribute__((overloadable)) int again(const T x,
                                                 Bounds b) {
  if (x) return limited(x, b);
}
#ifdef chosen
void chosen(const Params p) {}
#endif
void gpu(const Params p, const In in) { // again
}
"""


def compiled(folder: Path, lines: list[str]) -> subprocess.CompletedProcess[str]:
    """Result of the build's check of kernels.cl with the given lines."""
    source = folder / "kernels.cl"
    source.write_text("\n".join([*lines, ""]), encoding="utf-8")
    (check,) = (each for each in runtime_of(RUNTIMES / "gpu").readers if not each.makes)
    command = check.filled(source=str(source), folder=str(RUNTIMES / "gpu"))
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_a_file_defines_at_its_scope() -> None:
    names = {"limited", "again", "gpu", "ONE", "Bounds", "Pair", "Side", "LEFT", "RIGHT"}
    assert {*defined_names(FILE)} == names
    assert defined_macros(FILE) == ["LIMIT"]


def test_a_line_ends_and_begins_as_for_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "more.cl").write_bytes(b"")
    (tmp_path / "gpu.cl").write_bytes(b'int z;\r\f#\vinclude\f"more.cl"\r\n\v#\fdefine\vA 1\r')
    text, needed = text_and_includes(tmp_path / "gpu.cl")
    assert (needed, text.split("\n")[:2]) == ([tmp_path / "more.cl"], ["int z;", ""])
    assert defined_macros(text) == ["A"]


@pytest.mark.parametrize("line", [
    '/* */ #include "more.cl"', '/* a\n b */ # /* c\n d */ include /* e */ "more.cl" // f',
    '%:include "more.cl"', '#inc\\\nlude "more.cl"', '\t#\tinclude\t"more.cl"\t',
    '??=inc??/\nlude "more.cl"', """char c = '"'; // /*\n#include "more.cl"\n//*/""",
    """don't /* this\n#include "more.cl"\n//*/""",
])  # fmt: skip
def test_what_includes_a_file_for_the_compiler_includes_it_here(line: str, tmp_path: Path) -> None:
    (tmp_path / "more.cl").write_bytes(b"")
    (tmp_path / "gpu.cl").write_text(f"int a;\n{line}\nint z;", encoding="utf-8")
    text, needed = text_and_includes(tmp_path / "gpu.cl")
    assert needed == [tmp_path / "more.cl"]
    assert "more.cl" not in text
    lines = text.split("\n")
    assert (lines[0], lines[-1], len(lines)) == ("int a;", "int z;", line.count("\n") + 3)


@pytest.mark.parametrize(
    "line", ['/* #include "more.cl" */', '// \\\n#include "more.cl"', '"#include" "more.cl"']
)
def test_what_includes_nothing_stays(line: str, tmp_path: Path) -> None:
    (tmp_path / "gpu.cl").write_text(line, encoding="utf-8")
    assert text_and_includes(tmp_path / "gpu.cl") == (line, [])


@pytest.mark.parametrize(("line", "said"), [
    ("#include <more.cl>", "includes <more.cl>"),
    ("#include MORE", "includes MORE"),
    ('#include_next "more.cl"', 'includes include_next "more.cl"'),
    ('#include "more.h"', "'more.h', which is not called NAME.cl"),
    ('#include "test_more.cl"', "'test_more.cl', which is not called NAME.cl"),
    ('#include ".hidden/more.cl"', "'.hidden/more.cl', which is not called NAME.cl"),
    ('#include "."', "includes '.', which is not beside it"),
    (f'#include "{300 * "x"}.cl"', "which is not beside it and not in runtimes/"),
    ('#include "runtimes/cmsis/dsp.h"', "which is not beside it and not in runtimes/"),
])  # fmt: skip
def test_a_file_that_builds_do_not_look_at_cannot_be_included(
    line: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / ".hidden").mkdir()
    for name in ("more.cl", "more.h", "test_more.cl", ".hidden/more.cl"):
        (tmp_path / name).touch()
    (tmp_path / "gpu.cl").write_text(line, encoding="utf-8")
    with pytest.raises(ToolchainError, match=f"KRN025.*{re.escape(said)}"):
        text_and_includes(tmp_path / "gpu.cl")


@pytest.mark.parametrize(("data", "said"), [
    (b"// \xe9", "byte 3 of it"),
    (b"// \0", "byte 3 of it"),
    (b"/**/ /*/ #define A", "a comment goes on beyond its end"),
])  # fmt: skip
def test_a_file_that_is_no_text_is_named(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "gpu.cl").write_bytes(data)
    with pytest.raises(ToolchainError, match=f"KRN025: .*/gpu.cl cannot be read: {said}"):
        text_and_includes(tmp_path / "gpu.cl")


@pytest.mark.parametrize(("line", "said"), READING)
def test_whatever_may_read_another_file_is_refused(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "gpu.cl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(ToolchainError, match=f"KRN033: .*gpu.cl says {said}, by which"):
        check_directives([tmp_path / "gpu.cl"])
    kept = """#line of asm\n"asm" '#embed' // #embed\n_Pragma("unroll")\nint asm_ = __asmx;\n"""
    (tmp_path / "gpu.cl").write_text(kept.replace("#line of asm", "/* asm */"), encoding="utf-8")
    check_directives([tmp_path / "gpu.cl", RUNTIMES / "core/dot.cl"])


@pytest.mark.parametrize("pieces", ["as, m", "__as, m__", "__has_, include", "_Prag, ma"])
def test_no_word_of_pieces_reads_another_file(pieces: str, tmp_path: Path) -> None:
    if shutil.which("clang-15") is None:
        pytest.skip(f"{NO_PACKAGES}: no clang-15")
    (tmp_path / "gpu.cl").write_text("#define CAT(a, b) a##b\n", encoding="utf-8")
    lines = [*poisoned([tmp_path / "gpu.cl"]), "#define CAT(a, b) a##b"]
    for line in ("void f();", f"CAT({pieces})"):
        done = compiled(tmp_path, [*lines, line])
        assert ("poisoned identifier" in done.stderr) == ("CAT" in line), done.stderr
        assert (done.returncode != 0) == ("CAT" in line)
    assert not poisoned([RUNTIMES / "core/dot.cl"])


LONG = 20_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "local " * LONG, "kernel " * LONG, "kernel void a( " * LONG, "a(b\n" * LONG,
        "__attribute__((" * LONG, "constant a " * LONG, "constant a\n" * LONG,
        "typedef a\n" * LONG, "typedef a[\n" * LONG, "typedef {\n" * LONG, f"enum{' ' * LONG}x",
        "enum {\n" * LONG, f"0x{'f' * LONG}", f"a{' ' * LONG}(", "\n" * LONG, "\\ " * LONG,
        "void f(const X" + " " * LONG, "a b(x)\n" * LONG, "/*" * LONG, "\"\\" * LONG, "#" * LONG,
    ],
    ids=lambda text: text[:20].strip(),
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    defined_names(text)
    in_single_precision(text)
    [*source_problems(text)]
    parameters(text, "x")
    assert time.process_time() - began < 2


def test_extensions_of_the_device_decide_nothing(tmp_path: Path) -> None:
    file = tmp_path / "gpu.cl"
    kept = "// #ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    kept += "#ifdef cl_khr_byte_addressable_store\n#endif\ncl_mem_fence_flags f;\n"
    kept += "#define cl_relu_cl\n#define FENCE(x) barrier((cl_mem_fence_flags)(x))\n"
    file.write_text(kept, encoding="utf-8")
    kept += '#pragma unroll 4\n#pragma OPENCL  FP_CONTRACT\\\n OFF\n_Pragma("nounroll")\n'
    file.write_text(kept, encoding="utf-8")
    check_directives([file])
    for line in (
        "#ifdef %s",
        "#if 0\n#elif A && def\\\nined(%s)",
        "%%: /**/ define HAS defined %s",
    ):
        named = ("cl_khr_fp64", "__opencl_c_int64", "__OPENCL_VERSION__", "FP_FAST_FMAF", "DBL_MAX")
        for name in named:
            file.write_text(kept + line % name, encoding="utf-8")
            with pytest.raises(ToolchainError, match=f"KRN031.*depends on {name}, in which"):
                check_directives([file])
    for line in (
        "# pragma OPENCL FP_CONTRACT /* */ %s",
        'void f() { _Pragma("STDC FP_CONTRACT %s") }',
    ):
        file.write_text(kept + line % "ON", encoding="utf-8")
        with pytest.raises(ToolchainError, match=r"KRN031.*has #pragma \w+ FP_CONTRACT ON, which"):
            check_directives([file])


def test_macros_of_opencl_stay_for_the_kernels_after_a_file(tmp_path: Path) -> None:
    file = tmp_path / "gpu.cl"
    text = "#ifndef FLT_MAX\n#define FLT_MAX 0x1.fffffep127f\n#define OWN 1\n#endif\n"
    assert defined_macros(text) == ["OWN"]  # which the emitter undefines
    file.write_text(text, encoding="utf-8")
    check_directives([file])
    own = "#ifndef FLT_STEP\n#define FLT_STEP 3.0f\n#endif\n#define M_SCALE_F 2.0f\n"
    assert defined_macros(own) == ["FLT_STEP", "M_SCALE_F"]  # as its names sound, OpenCL has none
    for line in ("#define INFINITY 1e30f", "#undef FLT_MAX"):
        file.write_text(text + line, encoding="utf-8")
        with pytest.raises(
            ToolchainError, match=r"KRN031.*changes the macro (INFINITY|FLT_MAX) of"
        ):
            check_directives([file])


def test_files_of_helpers_with_one_guard_have_one_content(tmp_path: Path) -> None:
    """Files with one include guard are equal: else the second would be left out of a program."""
    prelude, first, second = (tmp_path / name for name in ("prelude.cl", "a.cl", "b.cl"))
    prelude.touch()
    guard = "#ifndef COMMON\n#define COMMON\nfloat scaled(float x) { return x * %s; }\n#endif\n"
    for file in (first, second):
        file.write_text(guard % "2.0f", encoding="utf-8")
    check_macros([prelude, first, second])
    second.write_text(guard % "3.0f", encoding="utf-8")
    with pytest.raises(ToolchainError, match=r"KRN030.*b.cl defines the macro COMMON, as .*a.cl"):
        check_macros([prelude, first, second])


def test_constants_are_in_single_precision_on_every_device() -> None:
    """Constants are in single precision also on devices with doubles, so that results are equal."""
    doubles = "0.1 1. .5 1e5 1.5E-3 0x1p-3 0X.8P1 0x1.8p+2 -2.0 1.0/3.0 (1.0,2.) .5L 1e5l"
    singles = (
        "0.1f 1.f .5f 1e5f 1.5E-3f 0x1p-3f 0X.8P1f 0x1.8p+2f -2.0f 1.0f/3.0f (1.0f,2.f) .5f 1e5f"
    )
    assert in_single_precision(doubles) == singles
    split = "1.\\\n5f 1.5\\\nf"  # one constant, of which the lines are no end
    assert in_single_precision(split) == split
    kept = "0.1f 1.0F .5h 12 0x1e5 0x1p3f 5u v.s01 v1.x a1e5 p->e1 \"0.1\" '.5' // 0.1\n/* 0.1\n */"
    assert in_single_precision(kept) == kept
    assert (
        in_single_precision('"0.1\\\n 0.1", .1 // 1.\\\n 1.') == '"0.1\\\n 0.1", .1f // 1.\\\n 1.'
    )


@pytest.mark.parametrize(("imported", "line", "said"), [
    (True, "double y = x[0]; x[0] = y;", "use of type 'double' requires cl_khr_fp64 support"),
    (True, "half y = x[0]; x[0] = y;", "'__private half' is not allowed"),
    (True, "x[0] = vload_half(0, (__global half*)x);", ""),  # which every device has
    (False, "double y = x[0]; x[0] = y;", "use of type 'double' requires cl_khr_fp64 support"),
    (False, "x[0] *= 0.1;", "double precision constant requires cl_khr_fp64"),
    (False, 'printf("%f", x[0]);', ""),
    (False, "atom_add((__global ulong*)x, 1);", "may lack cl_khr_int64_base_atomics"),
    (True, "x[0] = sub_group_reduce_add(x[1]);", "may lack cl_khr_subgroups"),
    (True, "atom_add((__global uint*)x, 1);", ""),
])  # fmt: skip
def test_each_build_plays_a_device_that_lacks_extensions(
    imported: bool, line: str, said: str, tmp_path: Path
) -> None:
    if shutil.which("clang-15") is None:
        pytest.skip(f"{NO_PACKAGES}: no clang-15")
    lines = ['#line 1 "my_op/gpu.cl"', "__kernel void k(__global float* x) {", line, "}"]
    if imported:
        enabled = [f"#pragma OPENCL EXTENSION cl_khr_fp{bits} : enable" for bits in (16, 64)]
        lines = [*QUIET, *enabled, *lines, *LOUD]
    done = compiled(tmp_path, lines)
    assert (done.returncode != 0) == bool(said), done.stderr
    assert not said or re.search(rf"^my_op/gpu.cl:2:\d+: error: .*{said}", done.stderr, re.M)


@pytest.mark.slow
def test_no_two_shared_files_define_a_name_and_no_kernel_a_macro_of_theirs() -> None:
    """Shared files and kernels define distinct names, since a model's program may include all in
    one file.
    """
    found = [file for top in ("ops", "runtimes") for file in (ROOT / top).rglob("*.cl")]
    texts = {file.resolve(): text_and_includes(file) for file in found}
    shared = {file for _, needed in texts.values() for file in needed}
    owners: dict[str, Path] = {}
    for file in sorted(shared):
        for name in (*defined_names(texts[file][0]), *lasting_macros(texts[file][0])):
            assert owners.setdefault(name, file) == file, name
    assert len(owners) > 100
    for file in texts.keys() - shared:
        assert not owners.keys() & set(defined_macros(texts[file][0])), file


@pytest.mark.slow
def test_no_kernel_needs_double_precision() -> None:
    """No kernel needs doubles, which GPUs may lack: devices that have doubles do not notice."""
    for top in ("ops", "runtimes"):
        for file in (ROOT / top).rglob("*.cl"):
            code = re.sub(r"//[^\n]*", "", file.read_text("utf-8"))
            assert not re.search(r"\bdouble\d*\b|\bcl_khr_fp64\b", code), file
            assert not re.search(r"(?<![\w.])\d+\.\d*(e[-+]?\d+)?(?![\w.])", code), file
