"""`profile` attributes every instruction to its node, and says what its figures are."""

import ctypes
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.cores import CORES
from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.refusals import refusal
from tests.system import counted
from tests.system.on_a_pty import a_board_with
from tests.system.project import convolutions

pytestmark = [pytest.mark.system, pytest.mark.qemu]
DIGITS = "model=tests/models/digits_int8.tflite"

# invoke() calls add_0 for two nodes, which calls a helper, then a loop.
PROGRAM = f"""
function main
bl _ZN1m6invokeEv
bl _ZN1m6invokeEv
{counted.EXIT}
function _ZN1m6invokeEv
push {{r4, lr}}
movs r4, #3
bl _ZN1m5add_0Ev
bl helper
movs r4, #5
bl _ZN1m5add_0Ev
bl _ZN1m6loop_0Ev
nop
pop {{r4, pc}}
function _ZN1m5add_0Ev
push {{lr}}
1: bl helper
subs r4, #1
bne 1b
pop {{pc}}
function helper
adds r0, #1
bx lr
function _ZN1m6loop_0Ev
movs r4, #100
1: subs r4, #1
bne 1b
bx lr
"""

# The program fails unless its handler ran while invoke() did.
INTERRUPTED = f"""
function main
ldr r0, =0xe000e010
ldr r1, =25000
str r1, [r0, #4]
movs r1, #7
str r1, [r0]
ldr r6, =0x20000000
movs r5, #0
str r5, [r6]
bl _ZN1m6invokeEv
ldr r0, [r6]
cbnz r0, 1f
b .
1: {counted.EXIT}
function _ZN1m6invokeEv
mov r7, lr
bl _ZN1m6loop_0Ev
bx r7
function _ZN1m6loop_0Ev
ldr r4, =3000000
1: subs r4, #1
bne 1b
bx lr
function SysTick_Handler
ldr r0, [r6]
adds r0, #1
str r0, [r6]
bx lr
"""


@pytest.fixture(scope="module", autouse=True)
def plugin() -> Path:
    return counted.plugin()


def test_every_instruction_belongs_to_the_node_that_called(tmp_path: Path) -> None:
    elf = counted.program(tmp_path, PROGRAM)
    counts = counted.count(elf, ["add_0", None, "add_0", "loop_0"]).counts()
    # push 3, movs 1, bl 3; then push 2, 3 x (bl 3, adds 1, bx 3, subs 1, bne 1), 2 taken 2, pop 4
    first = (3 + 2 + 3 * 5, 7 + 2 + 3 * 9 + 4 + 4)
    # bl 3, adds 1, bx 3, movs 1, bl 3; then the same with 5
    second = (5 + 2 + 5 * 5, 11 + 2 + 5 * 9 + 8 + 4)
    # bl 3; movs 1, 100 x (subs 1, bne 1), 99 taken 2, bx 3
    third = (1 + 2 + 200, 3 + 1 + 200 + 198 + 3)
    assert counts == [first, second, third, (2, 6)]  # nop 1, pop of two 3 + 2


def test_another_function_of_the_model_is_counted_as_a_whole(tmp_path: Path) -> None:
    elf = counted.program(tmp_path, PROGRAM)
    # of its last call: push 2, 5 x (bl 3, adds 1, bx 3, subs 1, bne 1), 4 taken 2, pop 4
    expected = (1 + 5 * 5 + 1, 2 + 5 * 9 + 8 + 4)
    assert counted.count(elf, [], function="add_0").counts() == [expected]


def test_a_cortex_m7_pays_for_branches_that_it_did_not_expect(tmp_path: Path) -> None:
    text = "function main\nbl _ZN1m6invokeEv\n" + counted.EXIT
    text += "\nfunction _ZN1m6invokeEv\nmov r7, lr\nbl _ZN1m6loop_0Ev\nbx r7"
    text += "\nfunction _ZN1m6loop_0Ev\nmovs r4, #100\n1: subs r4, #1\nbne 1b\nbx lr"
    elf = counted.program(tmp_path, text)
    # mov and bl; movs, 100 x (subs and bne), bx lr; unexpected: two jumps, the last bne, bx lr
    expected = (2 + 1 + 200 + 1, 1 + 1 + 100 + 1 + 4 * 6)
    assert counted.count(elf, ["loop_0"], "cortex-m7").counts()[0] == expected


def test_a_last_function_may_return_for_invoke(tmp_path: Path) -> None:
    tail = "function main\nbl _ZN1m6invokeEv\n" + counted.EXIT
    tail += "\nfunction _ZN1m6invokeEv\nb _ZN1m6last_0Ev\nfunction _ZN1m6last_0Ev\nnop\nbx lr"
    elf = counted.program(tmp_path, tail)
    assert counted.count(elf, ["last_0"]).counts() == [(3, 7), (0, 0)]


@pytest.mark.parametrize(
    "instances", [["loop_0", "add_0", "add_0"], ["add_0", "add_0", "loop_0", "loop_0"]]
)
def test_calls_that_are_not_those_of_the_report_are_no_counts(
    tmp_path: Path, instances: list[str]
) -> None:
    counter = counted.count(counted.program(tmp_path, PROGRAM), instances)
    assert refusal(counter.counts).problems[0].code == "RIG017"


def test_a_function_that_is_not_there_is_named(tmp_path: Path) -> None:
    elf = counted.program(tmp_path, PROGRAM)
    with pytest.raises(ToolchainError, match="m::gone_0") as raised:
        counted.count(elf, ["gone_0"])
    assert raised.value.problems[0].code == "RIG017"


def test_folders_may_have_commas_and_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "a, b"
    folder.mkdir()
    counts = counted.count(counted.program(folder, PROGRAM), ["add_0", "add_0", "loop_0"]).counts()
    assert [instructions for instructions, _ in counts] == [20, 32, 203, 2]


def test_interrupts_are_not_counted(tmp_path: Path) -> None:
    elf = counted.program(tmp_path, INTERRUPTED)
    times, taken = 3_000_000, 2
    expected = (2 + 2 + 2 * times, 4 + 2 + times * (2 + taken) - taken + 3)
    assert counted.count(elf, ["loop_0"]).counts() == [expected, (1, 3)]


class Pipeline(ctypes.Structure):
    _fields_ = (
        ("cycles", ctypes.c_uint32),
        ("ready", ctypes.c_uint32 * 64),
        ("units", ctypes.c_uint8),
        ("bank", ctypes.c_uint8),
        ("open", ctypes.c_bool),
    )


class Context(ctypes.Structure):
    _fields_ = (("loaded", ctypes.c_uint8), ("conditional", ctypes.c_uint8), ("pipeline", Pipeline))


class Cost(ctypes.Structure):
    _fields_ = (("cycles", ctypes.c_uint8), ("refill", ctypes.c_int))


@pytest.fixture(scope="module")
def timings(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Shared library of the plugin's timing.c."""
    library = tmp_path_factory.mktemp("timing") / "timing.so"
    sources = CORES["cortex-m4"].architecture.timing
    flags = ["-std=c11", f"-I{ROOT / 'toolchain'}", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, *sources], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.find_core.restype = ctypes.c_void_p
    loaded.find_core.argtypes = [ctypes.c_char_p]
    loaded.instruction_cost.restype = Cost
    half = ctypes.c_uint16
    loaded.instruction_cost.argtypes = [ctypes.c_void_p, ctypes.POINTER(Context), half, half]
    return loaded


def costs(timings: Any, folder: Path, core: str, text: str) -> str:
    """Text of the cycles of each instruction: r where a refill is added, ? where a taken or wrongly
    predicted branch may add one, * where a target unlike the last one does.
    """
    source, made = folder / "code.s", folder / "code.o"
    lines = "\n".join(f" {line.strip()}" for line in text.split(";"))
    source.write_text(f".syntax unified\n.thumb\n.text\nx:\n{lines}\n.align 1\n", encoding="ascii")
    flags = ["-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"]
    if core == "cortex-m55":
        flags = ["-march=armv8.1-m.main+dsp+mve.fp", "-mfloat-abi=hard"]
    subprocess.run(["arm-none-eabi-as", *flags, "-o", made, source], check=True)
    raw = folder / "code.bin"
    subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", "-j", ".text", made, raw], check=True)
    data, context, found = raw.read_bytes(), Context(), []
    halves = iter(int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2))
    for first in halves:
        second = next(halves) if first >> 11 >= 0x1D else 0
        cost = timings.instruction_cost(timings.find_core(core.encode()), context, first, second)
        found.append(f"{cost.cycles}{('', 'r', '?', '?', '*')[cost.refill]}")
    return " ".join(found)


@pytest.mark.parametrize(("text", "expected"), [
    ("ldr r0,[r1]; ldr r2,[r3]; ldr.w r4,[r3,#4]; add r0,r1", "2 1 1 1"),
    ("ldr r0,[r1]; ldr r2,[r0]; nop; ldr r2,[r1]", "2 2 1 2"),  # the address waits
    ("ldrb r0,[r1]; ldrsh r2,[r3,r0]; ldrh.w r8,[r9],#2; ldrb r1,[r8,r2,lsl #1]", "2 2 1 2"),
    ("ldr r1,[r2]; ldr r3,[r11]; ldr r4,[pc,#8]", "2 1 1"),  # r1 is not r11
    ("str r0,[r1]; str r0,[r1,r2]; ldr r0,[r1]; str r0,[r3,#20]", "1 2 2 1"),
    ("ldr r0,[r1]; str r1,[r3,r2]; ldr r0,[sp,#4]; strb.w r0,[r1,r2]", "2 1 2 1"),
    ("ldrd r0,r1,[r2]; strd r0,r1,[r2],#8; ldrex r0,[r1]; ldr pc,[sp],#4", "3 3 2 2r"),
    ("ldm r0,{r1-r3}; stm r0!,{r1,r2}; push {r4,lr}; pop {r4,pc}", "4 3 3 3r"),
    ("ldmia.w r0!,{r1,r9}; stmdb sp!,{r4-r10,lr}; ldmia.w sp!,{r4-r10,pc}", "3 9 9r"),
    ("b x; bl x; bx lr; blx r3; beq x; bne.w x; cbz r0,1f; nop; 1:", "1r 1r 1r 1r 1? 1? 1? 1"),
    ("mov pc,lr; mov r0,pc; tbb [pc,r0]; pld [r0]; it eq; bxeq lr; bx lr", "1r 1 2r 1 1 1? 1r"),
    ("itt ne; ldrne r0,[r1]; popne {pc}; pop {pc}", "1 2 2? 2r"),
    ("sdiv r0,r1,r2; udiv r0,r1,r2", "8 8"),
    ("vldr s0,[r0]; vstr s0,[r0]; vldm r0,{s0-s3}; vpush {d8-d9}; vldr d0,[r0]", "2 2 5 5 3"),
    ("vmla.f32 s0,s1,s2; vfma.f32 s0,s1,s2; vfnms.f32 s0,s1,s2; vnmls.f32 s0,s1,s2", "3 3 3 3"),
    ("vdiv.f32 s0,s1,s2; vsqrt.f32 s0,s1; vadd.f32 s0,s1,s2; vmul.f32 s0,s1,s2", "14 14 1 1"),
    ("vmov s0,r0; vmov r0,r1,d0; vcvt.s32.f32 s0,s1; vmrs r0,fpscr", "1 2 1 1"),
    ("mul r0,r1,r2; smlad r0,r1,r2,r3; smmulr r0,r1,r2; smulbb r0,r1,r2", "1 1 1 1"),
    ("mla r0,r1,r2,r3; smull r0,r1,r2,r3; umlal r0,r1,r2,r3; smlal r0,r1,r2,r3", "1 1 1 1"),
    ("ssat r0,#8,r1,asr #3; sxtb16 r0,r1,ror #8; pkhbt r0,r1,r2,lsl #16; qadd r0,r1,r2", "1 1 1 1"),
])  # fmt: skip
def test_instructions_take_what_arm_says(
    timings: Any, tmp_path: Path, text: str, expected: str
) -> None:
    assert costs(timings, tmp_path, "cortex-m4", text) == expected


def test_a_cortex_m3_multiplies_more_slowly(timings: Any, tmp_path: Path) -> None:
    text = "mul r0,r1,r2; mla r0,r1,r2,r3; smull r0,r1,r2,r3; umlal r0,r1,r2,r3; ldr r0,[r1]"
    assert costs(timings, tmp_path, "cortex-m3", text) == "1 2 5 7 2"


@pytest.mark.parametrize(("text", "expected"), [
    ("ldr r0,[r1]; ldr r2,[r3]; ldrsb r2,[r3,r0]; str r0,[r1,r2]; ldr r0,[pc,#8]", "2 2 2 2 2"),
    ("ldm r0!,{r1-r3}; stm r0!,{r1,r2}; push {r4,lr}; pop {r4}; pop {r4,pc}", "4 3 3 2 3r"),
    ("b x; bl x; bx lr; blx r3; beq x; mov pc,lr; mov r0,pc", "1r 2r 1r 1r 1? 1r 1"),
    ("muls r0,r1; adds r0,r1,r2; uxtb r0,r1; nop; mrs r0,primask; dsb", "1 1 1 1 3 3"),
])  # fmt: skip
def test_a_cortex_m0plus_has_two_stages(
    timings: Any, tmp_path: Path, text: str, expected: str
) -> None:
    assert costs(timings, tmp_path, "cortex-m0plus", text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("add r0,r1,r2; add r3,r4,r5; add r6,r0,r3; add r7,r6,r1", "1 0 1 1"),  # pairs, results
    ("add r0,r1,r2; add r3,r4,r5; add r6,r1,r2; add r7,r1,r2", "1 0 1 0"),
    ("ldr r0,[r2]; ldr r1,[r2,#4]; ldr r3,[r2,#8]; ldr r4,[r2,#16]", "1 0 1 1"),  # banks
    ("ldr r0,[r2]; add r1,r0,r3; ldrsb r4,[r2,#4]; add r1,r4,r3", "1 1 0 2"),  # load to use
    ("add r0,r1,r2; ldr r3,[r0]; ldr r4,[r1],#4; ldr r5,[r1]", "1 2 0 1"),  # addresses early
    ("smlad r0,r1,r2,r0; smlad r0,r3,r4,r0; smlad r0,r5,r6,r0", "1 1 1"),  # sums late
    ("smlad r0,r1,r2,r0; ldr r5,[r6]; smlad r3,r1,r2,r3; ldr r4,[r7]", "1 0 1 0"),
    ("mul r0,r1,r2; add r3,r0,r1; smmul r0,r1,r2; ssat r4,#8,r0,asr #3", "1 2 0 3"),
    ("add r4,r5,r6; sxtb16 r0,r1; sxtb16 r2,r3; add r5,r6,r7", "1 1 1 0"),  # SIMD goes first
    ("add r0,r1,r2,lsl #3; add r3,r4,r5,lsl #2; str r3,[r1]; str r0,[r2]", "1 1 0 1"),
    ("ldm r0,{r1-r5}; push {r4,lr}; ldrd r0,r1,[r2]; nop; sdiv r0,r1,r2", "3 1 1 1 7"),
    ("subs r0,#1; bne x; cbz r0,1f; nop; 1: bl x; b x; bx lr; pop {pc}", "1 0? 1? 0 1 1 1* 1*"),
    ("cmp r0,#0; it eq; addeq r1,r2; nop; bx lr", "1 0 1 0 1*"),
    ("vadd.f32 s0,s1,s2; vmul.f32 s3,s4,s5; vadd.f32 s6,s0,s1; vldr s7,[r0]", "1 1 2 0"),
    ("vmla.f32 s0,s1,s2; vmla.f32 s3,s4,s5; vadd.f64 d4,d5,d6; vdiv.f32 s0,s1,s2", "1 3 3 1"),
    ("vmov s0,r1; vadd.f32 s1,s0,s2; vldm r0,{s8-s15}; vmov r0,r1,d0", "1 3 4 1"),
])  # fmt: skip
def test_a_cortex_m7_issues_two_where_nothing_is_in_the_way(
    timings: Any, tmp_path: Path, text: str, expected: str
) -> None:
    assert costs(timings, tmp_path, "cortex-m7", text) == expected


PAIRS = [  # of the Cortex-M33 and the Cortex-M55
    ("adds r0,r1,r2; adds r3,#1; adds r4,r5,r6; ands r7,r1; movs r2,#3", "1 0 1 1 0"),
    ("movs r0,#1; adds r1,r0,r2; add.w r3,r4,r5; adds r3,#1", "1 1 1 1"),  # results, wide ones
    ("ldr r0,[r1]; adds r2,r0,r3; mul r4,r2,r0; ssat r5,#8,r4,asr #3; adds r5,r5,r6", "1 2 1 2 2"),
    ("add r0,r1,r2,lsl #3; adds r3,r0,r1; clz r5,r1; adds r4,r5,r5", "1 2 1 1"),
    ("b x; bl x; cbz r0,1f; adds r0,r1,r2; 1: bne x; it eq; bxeq lr; pop {r4,pc}",
     "1r 1r 1? 0 1? 0 1? 1r"),
    ("vmul.f32 s0,s1,s2; vadd.f32 s3,s0,s4; vmla.f32 s5,s3,s0; vneg.f32 s6,s5; vdiv.f32 s7,s8,s9",
     "1 2 2 4 1"),
]  # fmt: skip
VECTORS = [
    ("vldrb.u8 q0,[r0],#16; vldrb.u8 q1,[r1],#16; vmladava.s8 r2,q0,q1; vldrb.u8 q0,[r0]",
     "1 2 1 1"),
    ("vmladava.s8 r2,q0,q1; vmladava.s8 r4,q2,q3; vmladava.s8 r4,q2,q1; adds r5,r4,r5", "1 2 2 2"),
    ("vadd.i32 q0,q1,q2; vqrdmulh.s32 q3,q0,r3; vrshl.s32 q3,q3,q1; vqmovnb.s32 q4,q3; nop",
     "1 1 2 2 1"),
    ("vstrw.32 q0,[r0]; vcmp.s32 gt,q1,r2; vpst; vmovt q2,q3; vpsel q4,q5,q6; vmaxv.s8 r0,q4",
     "1 1 1 1 2 2"),
    ("dlstp.8 lr,r3; 1: vaddva.s8 r2,q0; letp lr,1b; wls lr,r1,2f; nop; 2: nop", "1 1 0 1? 1 0"),
    ("ldrd r0,r1,[r2]; ldm r0,{r3-r6}; vldrw.u32 q0,[r1,q1,uxtw #2]; vdup.32 q2,r1; sdiv r0,r1,r2",
     "1 3 1 1 7"),
    ("vmov q0[2],q0[0],r0,r2; vmov q0[3],q0[1],r4,r6; vmov q1[2],q1[0],r8,r10; vldrb.u8 q2,[r1]; "
     "vmov.32 q1[1],r0; vmov r0,r2,q1[2],q1[0]; vmov.32 r4,q1[1]; add r0,r2", "1 1 1 1 1 1 2 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PAIRS)
def test_a_cortex_m33_issues_pairs_of_short_ones(
    timings: Any, tmp_path: Path, text: str, expected: str
) -> None:
    assert costs(timings, tmp_path, "cortex-m33", text) == expected


@pytest.mark.parametrize(("text", "expected"), VECTORS)
def test_vectors_of_a_cortex_m55_overlap_on_other_units(
    timings: Any, tmp_path: Path, text: str, expected: str
) -> None:
    assert costs(timings, tmp_path, "cortex-m55", text) == expected


def test_cores_name_timings_that_there_are(timings: Any) -> None:
    named = [core.timings.model for core in CORES.values() if core.timings]
    assert named
    assert all(timings.find_core(name.encode()) for name in named)
    assert not timings.find_core(b"cortex-m85")


def told(board: str, model: str = DIGITS) -> Any:
    return json.loads((products(f"board={board}", model) / "profile.json").read_text())


def test_a_profile_says_what_each_node_takes() -> None:
    done = scons("board=mps2_an386", DIGITS, "profile")
    assert done.returncode == 0, done.stdout + done.stderr
    found = told("mps2_an386")
    for name in ("instructions", "modelled_cycles"):
        assert found[name] == sum(node[name] for node in found["nodes"]) + found["rest"][name]
        assert f"{found[name]:,}" in done.stdout
        assert found["meaning"][name] in done.stdout
    assert found["instructions"] < found["modelled_cycles"] < 3 * found["instructions"]
    by_kernel = {node["kernel"]: node["instructions"] for node in found["nodes"]}
    assert by_kernel["in place"] == 0
    picture = products("board=mps2_an386", DIGITS) / "profile.svg"
    assert picture.read_text().startswith("<svg")
    again = scons("board=mps2_an386", DIGITS, "profile")
    assert again.returncode == 0
    assert told("mps2_an386") == found  # figures are the same each time


def test_a_host_tells_nanoseconds(tmp_path: Path) -> None:
    path = tmp_path / "small.tflite"
    path.write_bytes(convolutions())
    done = scons("board=host", f"model={path}", "profile", "crosscheck")
    assert done.returncode == 0, done.stdout + done.stderr
    found = told("host", f"model={path}")
    assert found["nanoseconds"] == sum(node["nanoseconds"] for node in found["nodes"]) > 0
    assert "instructions" not in found


def test_an_attached_board_has_modelled_cycles_beside_its_own() -> None:
    settings = ("board=mps2_an386", DIGITS)
    assert scons(*settings, "crosscheck").returncode == 0
    folder = products(*settings)
    elf = folder.with_name(f"{folder.name}+crosscheck") / "firmware.elf"
    with a_board_with(load_board("mps2_an386", [ROOT / "boards"]), elf) as port:
        done = scons(*settings, "profile", f"port={port}")
    assert done.returncode == 0, done.stdout + done.stderr
    found = told("mps2_an386")
    assert list(found["meaning"]) == ["modelled_cycles", "cycles"]
    assert found["model_errors"].keys() <= {node["op"] for node in found["nodes"]}
    assert {node["samples"]["of"] for node in found["nodes"]} == {5}
    shipped = json.loads((folder / "report.json").read_text())["firmware"]["digest"]
    assert shipped in found["firmwares"]
    assert "the model's error, of what was measured: conv_2d " in done.stdout
