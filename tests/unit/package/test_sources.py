"""Sources move into a package: what they include, the bytes they read and their namespace."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsmith.package.sources import Origins, places, rewritten

BUILD = Path("build/host-reference/kws")
ORIGINS = Origins(
    "kws",
    BUILD,
    (
        BUILD,
        *map(Path, (".", "build/bindings", "build/bindings@1", "ops", "/x/ops", "/y/nn")),
    ),
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


def test_every_file_has_a_place_of_its_own() -> None:
    public = [BUILD / "model.h", Path("./runtimes/core/model_abi.h")]
    files = [file if file.is_absolute() else Path("x") / ".." / file for file in WHERE]
    assert places(ORIGINS, public, files) == WHERE


@pytest.mark.parametrize(
    ("file", "line", "moved"),
    [
        (BUILD / "model.cc", '#include "model.h"', '#include "kws/kws.h"'),
        (BUILD / "model.h", "#include <stdint.h>", "#include <stdint.h>"),
        (BUILD / "model.cc", '# include "../kws/nodes.h"', '# include "nodes.h"'),
        (Path("ops/add/i8/dsp.h"), '#include "own.h"', '#include "ops/add/i8/own.h"'),
        (Path("ops/add/i8/dsp.h"), "#include <own.h>", "#include <own.h>"),
        (Path("ops/add/i8/dsp.h"), '#include "add.op.h"', '#include "bindings/add.op.h"'),
        (
            Path("build/bindings@1/vendor/add.op.h"),
            "#include <add.op.h>",
            '#include "bindings/add.op.h"',
        ),
        (
            Path("/x/ops/gain/reference.h"),
            '#include "gain/reference.h"',
            '#include "ops_2/gain/reference.h"',
        ),
        (
            BUILD / "weights.cc",
            f'  .incbin "{BUILD}/weights.bin", 0, 4',
            '  .incbin "kws_weights.bin", 0, 4',
        ),
        (BUILD / "weights.cc", '  .incbin "other.bin"', '  .incbin "other.bin"'),
        (BUILD / "nodes_0.cc", '#line 7 "ops/add/op.py"\nint x;', "int x;"),
        (BUILD / "model.h", "namespace opsmith::add {", "namespace kws::opsmith::add {"),
        (BUILD / "model.h", "::opsmith::add::x", "::kws::opsmith::add::x"),
        (BUILD / "model.h", "opsmith::add::x", "opsmith::add::x"),
        (BUILD / "model.h", "other::opsmith::x", "other::opsmith::x"),
        (BUILD / "model.h", "namespace opsmith_nn {", "namespace opsmith_nn {"),
        (Path("/y/nn/nn.h"), "namespace opsmith {", "namespace opsmith {"),
    ],
)
def test_what_it_names_is_where_the_package_has_it(file: Path, line: str, moved: str) -> None:
    assert rewritten(f"{line}\n", file, ORIGINS, WHERE) == f"{moved}\n"
