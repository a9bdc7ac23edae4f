"""Sources move into a package: what they include, the bytes they read and their namespace."""

from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.contract.assertion_form import HEADER
from opsmith.contract.assertions import asserted, with_lines_back
from opsmith.discover.discover import load_op
from opsmith.home import HOME
from opsmith.keywords import LONGEST_NAME, package_name
from opsmith.op.typed import typed
from opsmith.package.sources import Origins, faces, places, rewritten, with_alias

BUILD = Path("build/host-reference/kws")
ORIGINS = Origins(
    "kws",
    BUILD,
    (BUILD, *map(Path, (".", "build/bindings", "build/bindings@1", "ops", "/x/ops", "/y/nn"))),
    Path("build"),
    {"nn": Path("/y/nn")},
)
WHERE = {
    BUILD / "model.h": "include/kws/kws.h",
    Path("runtimes/core/model_abi.h"): "include/kws/opsmith/model_abi.h",
    BUILD / "nodes.h": "src/nodes.h",
    BUILD / "model_c.cc": "src/kws_c.cc",
    BUILD / "weights.bin": "src/kws_weights.bin",
    BUILD / "gpu/kernels.cl": "src/gpu/kernels.cl",
    Path("build/bindings/add.op.h"): "src/bindings/add.op.h",
    Path("build/bindings@1/vendor/add.op.h"): "src/bindings/vendor/add.op.h",
    Path("ops/add/i8/dsp.h"): "src/ops/add/i8/dsp.h",
    Path("ops/add/i8/own.h"): "src/ops/add/i8/own.h",
    Path("runtimes/core/walk.h"): "src/runtimes/core/walk.h",
    Path("/x/ops/gain/reference.h"): "src/ops_2/gain/reference.h",
    Path("/y/nn/nn.h"): "src/nn/nn.h",
    Path("/z/elsewhere.h"): "src/z/elsewhere.h",
}

OF_TWO = replace(ORIGINS, name="kws_vad", models=("kws", "vad"))


def test_every_file_has_a_place_of_its_own() -> None:
    public = [BUILD / "model.h", Path("./runtimes/core/model_abi.h")]
    files = [file if file.is_absolute() else Path("x") / ".." / file for file in WHERE]
    assert places(ORIGINS, public, files) == WHERE


@pytest.mark.parametrize(("file", "line", "moved"), [
    (BUILD / "model.cc", '#include "model.h"', '#include "kws/kws.h"'),
    (BUILD / "model.h", "#include <stdint.h>", "#include <stdint.h>"),
    (BUILD / "model.cc", '# include "../kws/nodes.h"', '# include "nodes.h"'),
    (Path("ops/add/i8/dsp.h"), '#include "own.h"', '#include "ops/add/i8/own.h"'),
    (Path("ops/add/i8/dsp.h"), "#include <own.h>", "#include <own.h>"),
    (Path("ops/add/i8/dsp.h"), '#include "add.op.h"', '#include "bindings/add.op.h"'),
    (Path("build/bindings@1/vendor/add.op.h"), "#include <add.op.h>",
     '#include "bindings/add.op.h"'),
    (Path("/x/ops/gain/reference.h"), '#include "gain/reference.h"',
     '#include "ops_2/gain/reference.h"'),
    (BUILD / "weights.cc", f'  .incbin "{BUILD}/weights.bin", 0, 4',
     '  .incbin "kws_weights.bin", 0, 4'),
    (BUILD / "weights.cc", '  .incbin "other.bin"', '  .incbin "other.bin"'),
    (BUILD / "nodes_add.cc", '#line 7 "ops/add/op.py"\nint x;', "int x;"),
    (Path("build/bindings/add.op.h"), 'static_assert(sizeof(A) == 8, "the layout in weights.bin");'
     "\nint x;", "int x;"),
    (Path("ops/add/i8/dsp.h"), 'static_assert(offsetof(A, x) == 4, "");\nint x;', "int x;"),
    (Path("/y/nn/nn.h"), *["static_assert(offsetof(A, x) == 4);\n"] * 2),
    (BUILD / "model.h", "namespace opsmith::add {", "namespace kws::opsmith::add {"),
    (BUILD / "model.h", "::opsmith::add::x", "::kws::opsmith::add::x"),
    (BUILD / "model.h", "opsmith::add::x", "opsmith::add::x"),
    (BUILD / "model.h", "other::opsmith::x", "other::opsmith::x"),
    (BUILD / "model.h", "namespace opsmith_nn {", "namespace opsmith_nn {"),
    (Path("/y/nn/nn.h"), "namespace opsmith {", "namespace opsmith {"),
])  # fmt: skip
def test_what_it_names_is_where_the_package_has_it(file: Path, line: str, moved: str) -> None:
    assert rewritten(f"{line}\n", file, ORIGINS, WHERE) == f"{moved}\n"


@pytest.mark.slow
def test_what_is_asserted_of_registrations_stays_out() -> None:
    found = load_op(HOME / "ops" / "prelu")
    each = [typed(found.op, variant) for variant in found.op.variants]
    kernels = [(op, op.kernels[-1]) for op in each]
    asserted_here = "\n".join([f'#include "{HEADER}"', "", *asserted(found, kernels), ""])
    numbered = with_lines_back(f"{asserted_here}\nint x;", "nodes_add.cc")
    assert numbered.count("static_assert") == len(kernels) > 1
    assert rewritten(numbered, BUILD / "nodes_add.cc", ORIGINS, WHERE) == "\nint x;"
    assert Path(HEADER) not in places(ORIGINS, [], [Path(HEADER), Path("runtimes/core/walk.h")])


@pytest.mark.parametrize(("line", "moved"), [
    ("namespace opsmith::add {", "namespace kws_vad::opsmith::add {"),
    ("namespace opsmith_models {", "namespace kws_vad::opsmith_models {"),
    ("using namespace opsmith_models;", "using namespace kws_vad::opsmith_models;"),
    ("::opsmith_models::add_0(x);", "::kws_vad::opsmith_models::add_0(x);"),
    ('asm("opsmith_models.y0_bias");', 'asm("kws_vad.y0_bias");'),
    ("  constant opsmith_models.y0_bias, 4, 0, 8", "  constant kws_vad.y0_bias, 4, 0, 8"),
    ("namespace kws {", "namespace kws {"),
])  # fmt: skip
def test_what_several_models_share_is_in_the_namespace_of_the_package(
    line: str, moved: str
) -> None:
    assert rewritten(f"{line}\n", BUILD / "nodes_add.cc", OF_TWO, {}) == f"{moved}\n"


def test_each_of_several_models_has_the_headers_that_it_has_alone() -> None:
    alone = [place for name in ("tiny", "tiny_c") for place in faces([name]).values()]
    both = faces(["tiny", "tiny_c"])  # one is called like the other's header for C
    assert [*both.values()] == alone
    assert len({Path(emitted).stem for emitted in both}) == len(both)
    public = [BUILD / each for each in ("kws.h", "kws.c_api.h", "model_abi.h")]
    assert [*places(OF_TWO, public, []).values()] == [
        "include/kws/kws.h",
        "include/kws/kws_c.h",
        "include/kws_vad/opsmith/model_abi.h",
    ]


def test_a_model_of_several_finds_opsmith_in_the_package() -> None:
    header = "#pragma once\n\nnamespace kws {\n\nvoid invoke();\n}\n"
    alias = "namespace kws {\n\nnamespace opsmith = ::kws_vad::opsmith;\n\nvoid"
    assert alias in with_alias(header, "kws", "kws_vad")


def test_a_package_is_called_like_its_models() -> None:
    assert package_name(["kws"]) == "kws"
    assert package_name(["kws", "vad"]) == "kws_vad"
    assert package_name(["int8", "t"]) == "model_int8_t"


def test_names_of_packages_that_are_cut_differ() -> None:
    long = "k" * LONGEST_NAME
    found = {package_name([long, second]) for second in ("a", "b")} | {package_name([long])}
    assert len(found) == 3
    assert {len(name) for name in found} == {LONGEST_NAME}
