"""toolchain/README.md lists the steps of the compiler, all of them and in their order."""

import re
from pathlib import Path

TOOLCHAIN = Path(__file__).resolve().parents[2] / "toolchain"


def test_the_table_has_the_steps_of_the_pipeline() -> None:
    pipeline = (TOOLCHAIN / "opsmith/pipeline.py").read_text(encoding="utf-8")
    readme = (TOOLCHAIN / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| step | what holds after it |\n|---|---|\n")[2].partition("\n\n")[0]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    before, _, rewrites = pipeline.partition("def rewritten(")
    in_order = before.replace("graph = rewritten(", rewrites)
    steps = list(dict.fromkeys(re.findall(r'done\("(\w+)", ', in_order)))
    assert len(steps) > 10
    # Rows are streamed within the step that plans memory.
    assert listed == [*steps[:-1], "stream_rows", steps[-1]]
