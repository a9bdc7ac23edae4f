"""Cores, architectures, MCU families and flashers are found by folder, here and elsewhere."""

import os
import platform
import re
import shutil
import sys
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.board.linker import linker_script
from opsmith.board.manifest import Board, list_boards, load_board
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES
from opsmith.rig.flash import flash
from tests.copies import copied
from tests.refusals import refusal
from tests.unit.board.test_manifest import GOOD, OWN, write

ROOT = Path(__file__).resolve().parents[3]
FOREIGN = OWN.replace("[defines]\nMY_UART = 0x4000_4000\n", "").replace(
    "runtime =", 'family = "cmsdk"\nruntime ='
)
CODE = "// OPSMITH_CONSOLE_BAUD\n"
CORE = 'flags = ["-mcpu=cortex-m4", "-mthumb"]\nfeatures = ["thumb", "dsp"]\n'
MINE = 'title = "Mine"\nkind = "bare-metal"\ntools = "mine-elf-"\n'
LINUX = 'title = "Mine"\nkind = "hosted"\ntools = "mine-"\n'
EMULATED = f'{LINUX}machine = "mine64"\n[emulator]\nprogram = "qemu-mine"\nalso = ["cat"]\n'
HOSTED = 'title = "x"\ncore = "my-core"\nfamily = "posix"\nruntime = "reference"\n'
FLASHER = 'command = ["{program}", "{{target}}", "{{file}}"]\nfolder = "firmware"\ninstall = "x"\n'


def place(root: Path, file: str, text: str) -> Path:
    """Folder of platforms after writing a file."""
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return root


def boards(folder: Path, *edits: tuple[str, str]) -> Path:
    """Folder with one board, the manifest tests' after edits; with a different family, without the
    keys that the shipped family asks for.
    """
    text = FOREIGN if any('"cmsdk"' in old for old, _ in edits) else GOOD
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return write(folder, text)


def told(root: Path, *edits: tuple[str, str]) -> list[tuple[str, str, str]]:
    """Code, message and place of each problem of a board on a root of platforms."""
    caught = refusal(load_board, "mine", [boards(root.parent / "boards", *edits)], [root])
    return [(each.code, each.what + each.fix, each.where) for each in caught.problems]


def test_a_core_from_elsewhere(tmp_path: Path) -> None:
    root = place(tmp_path / "p", "arch/arm/cores/my-m4.toml", CORE)
    board = load_board("mine", [boards(tmp_path, ("cortex-m4f", "my-m4"))], [root])
    assert board.core.name == "my-m4"
    assert board.core.flags == ("-mcpu=cortex-m4", "-mthumb")
    assert board.core.features == {"thumb", "dsp"}
    assert board.core.architecture == CORES["cortex-m4f"].architecture
    assert root / "arch/arm/cores/my-m4.toml" in board.files
    with pytest.raises(ToolchainError, match="BRD005"):
        load_board("mine", [tmp_path])


def test_a_family_from_elsewhere(tmp_path: Path) -> None:
    root = place(tmp_path / "p", "mcu/my_family/family.toml", 'arch = "arm"\n')
    place(root, "mcu/my_family/board.cc", CODE)
    board = load_board("mine", [boards(tmp_path, ('"cmsdk"', '"my_family"'))], [root])
    assert board.sources[-1] == root / "mcu/my_family/board.cc"
    assert root / "mcu/my_family/family.toml" in board.files


def test_a_family_may_be_for_several_architectures(tmp_path: Path) -> None:
    root = place(tmp_path / "p", "mcu/my_family/family.toml", 'arch = ["riscv", "arm"]\n')
    place(root, "mcu/my_family/board.cc", CODE)
    mine = boards(tmp_path, ('"cmsdk"', '"my_family"'))
    assert load_board("mine", [mine], [root]).core.architecture.name == "arm"
    for text, words in (
        ("[]", "'arch' is missing"),
        ('["riscv"]', "family 'my_family' is for architecture 'riscv', core"),
        ('["riscv", "arm", "x"]', "there is no architecture 'x'"),
    ):
        place(root, "mcu/my_family/family.toml", f"arch = {text}\n")
        assert words in str(refusal(load_board, "mine", [mine], [root]))


def test_a_family_without_code_is_reported(tmp_path: Path) -> None:
    """A family without code is reported, unless the board's folder has the code."""
    root = place(tmp_path / "p", "mcu/my_family/family.toml", 'arch = "arm"\n')
    edit = ('"cmsdk"', '"my_family"')
    ((code, what, where),) = told(root, edit)
    assert code == "BRD003"
    assert "neither the board nor its family 'my_family' has code" in what
    assert f"put *.cc into {root / 'mcu/my_family'}" in what
    place(tmp_path / "boards", "mine/board.cc", CODE)
    assert load_board("mine", [boards(tmp_path / "boards", edit)], [root]).sources
    assert where == str(tmp_path / "boards" / "mine" / "board.toml")


def test_an_architecture_from_elsewhere(tmp_path: Path) -> None:
    root = tmp_path / "p"
    copied(RUNTIMES / "arch/arm", root / "arch/mine")
    for file in (root / "arch/mine/cores").glob("*.toml"):
        file.rename(file.with_name(f"mine-{file.name}"))
    place(root, "mcu/my_family/family.toml", 'arch = "mine"\n')
    place(root, "mcu/my_family/board.cc", CODE)
    edits = (("cortex-m4f", "mine-cortex-m4f"), ('"cmsdk"', '"my_family"'))
    board = load_board("mine", [boards(tmp_path, *edits)], [root])
    assert board.core.architecture.name == "mine"
    assert {source.parent for source in board.sources} == {
        RUNTIMES / "arch/bare_metal",
        root / "arch/mine",
        root / "mcu/my_family",
    }
    place(root, "arch/mine/firmware.ld.in", "@title@ @memories@ @stack@ @zeroed@ @more@ mine")
    assert linker_script(board).endswith(" mine")


def hosted(folder: Path, arch: str, board: str = HOSTED) -> Board:
    """Board of an architecture whose programs are processes, loaded from a folder."""
    root = place(folder / "p", "arch/mine/arch.toml", arch)
    place(root, "arch/mine/cores/my-core.toml", "")
    return load_board("mine", [write(folder / "boards", board)], [root])


def test_a_hosted_architecture_from_elsewhere(tmp_path: Path) -> None:
    system = 'devices = ["opencl"]\n[system]\ntitle = "Linux 1"\nglibc = "2.36"\n'
    board = hosted(tmp_path, EMULATED, HOSTED + system)
    assert board.core.hosted
    assert (board.core.architecture.tools, board.devices) == ("mine-", ("opencl",))
    assert board.system and (board.system.title, board.system.glibc) == ("Linux 1", (2, 36))
    assert {source.parent.name for source in board.sources} == {"posix"}
    assert board.emulator and (board.emulator.find() or "").endswith("/cat")


def test_programs_of_the_same_machine_need_no_emulator(tmp_path: Path) -> None:
    text = EMULATED.replace("mine64", platform.machine())
    assert hosted(tmp_path, text).emulator is None
    assert hosted(tmp_path / "none", LINUX).emulator is None


@pytest.mark.parametrize(("more", "code", "words"), [
    ('stack = "4K"', "BRD006", "'stack' contradicts core 'my-core'"),
    ("[system]\ntitle = 'x'", "BRD003", "'system.glibc' is missing"),
    ("[system]\ntitle = 'x'\nglibc = 'two'", "BRD004", "'system.glibc' is 'two'"),
    ("[system]\ntitle = 'x'\nglibc = '2.36'\nx = 1", "BRD002", "unknown key 'system.x'"),
    ("devices = ['Not one']", "BRD004", "'devices' holds 'Not one'"),
])  # fmt: skip
def test_a_mistake_of_a_hosted_board_is_reported(
    tmp_path: Path, more: str, code: str, words: str
) -> None:
    caught = refusal(hosted, tmp_path, LINUX, f"{HOSTED}{more}\n")
    assert [each.code for each in caught.problems] == [code]
    assert words in caught.problems[0].what


@pytest.mark.slow
def test_a_flasher_from_elsewhere(tmp_path: Path) -> None:
    program = tmp_path / "my-flasher"
    program.write_text(f"#!{sys.executable}\nimport os, sys\nprint(os.getcwd(), *sys.argv[1:])\n"
                       "sys.exit(3)\n")  # fmt: skip
    program.chmod(0o755)
    root = place(tmp_path / "p", "flashers/my_probe/flasher.toml", FLASHER.format(program=program))
    edits = (('runner = "pyocd"', 'runner = "my_probe"'), ('target = "x"', 'target = "my chip"'))
    board = load_board("mine", [boards(tmp_path, *edits)], [root])
    said = str(refusal(flash, board, tmp_path / "firmware.elf"))
    assert "RIG015" in said and f"status 3: {tmp_path} my chip firmware.elf" in said


def test_without_its_program_a_flasher_says_how_to_get_it(tmp_path: Path) -> None:
    text = FLASHER.format(program="no-such-program").replace('"x"', '"make my-flasher"')
    root = place(tmp_path / "p", "flashers/my_probe/flasher.toml", text)
    board = load_board("mine", [boards(tmp_path, ('"pyocd"', '"my_probe"'))], [root])
    with pytest.raises(ToolchainError, match="fix:   make my-flasher"):
        flash(board, tmp_path / "firmware.elf")


@pytest.mark.parametrize(("file", "text", "code", "words"), [
    ("arch/arm/cores/my-m4.toml", "flag = []", "BRD002", "'flag' (did you mean 'flags'?)"),
    ("arch/arm/cores/my-m4.toml", 'flags = "-g"', "BRD004", "not a list"),
    ("arch/arm/cores/my-m4.toml", "flags = [1, ' ']", "BRD004", "'flags' holds 1"),
    ("arch/arm/cores/my-m4.toml", "[", "BRD001", "cannot be read"),
    ("arch/arm/cores/my-m4.toml", "[timings]\nmodel = 'x'", "BRD003", "timings.title"),
    ("arch/arn/cores/my-m4.toml", CORE, "BRD018", "no architecture 'arn' (did you mean 'arm'?"),
    ("arch/mine/arch.toml", MINE, "BRD018", "there is no firmware.ld.in"),
    ("arch/mine/arch.toml", "title = 'x'\nkind = 'bare'", "BRD004", "unknown kind 'bare'"),
    ("arch/mine/arch.toml", MINE.replace("mine-elf-", "/x"), "BRD004", "'tools' is '/x'"),
    ("arch/mine/arch.toml", f"{MINE}vectors = 3", "BRD004", "'vectors' is 3, no alignment"),
    ("arch/mine/arch.toml", f"{MINE}libraries = ['libgcc.a']", "BRD018", "has no libc.a"),
    ("arch/mine/arch.toml", f"{MINE}emulate = 1", "BRD002", "did you mean 'emulator'?"),
    ("arch/mine/arch.toml", f"{MINE}[emulator]\n", "BRD003", "'emulator.program' is missing"),
    ("arch/mine/arch.toml", f"{MINE}machine = 'x'", "BRD002", "unknown key 'machine'"),
    ("arch/mine/arch.toml", f"{LINUX}vectors = 4", "BRD002", "unknown key 'vectors'"),
    ("arch/mine/arch.toml", EMULATED.replace("machine", "m"), "BRD003", "'machine' is missing"),
    ("mcu/my_family/family.toml", "kind = 'bare-metal'", "BRD004", "unknown kind"),
    ("mcu/my_family/family.toml", "", "BRD003", "'arch' is missing"),
    ("mcu/my_family/family.toml", "arch = 'arn'", "BRD018", "did you mean 'arm'?"),
    ("flashers/my_probe/flasher.toml", "command = []", "BRD003", "'command' is missing"),
    ("flashers/my_probe/flasher.toml", "command = ['x', '{ell}']", "BRD004", "mean 'elf'?"),
    ("flashers/my_probe/flasher.toml", "folder = 'home'", "BRD004", "unknown folder 'home'"),
    ("flashers/my_probe/flasher.toml", "probe = ['-p']", "BRD004", "need each other"),
    ("flashers/my_probe/flasher.toml", "adapters = ['x']", "BRD004", "'adapters' holds 'x'"),
])  # fmt: skip
def test_one_mistake_is_reported(
    tmp_path: Path, file: str, text: str, code: str, words: str
) -> None:
    root = place(tmp_path / "p", file, text)
    if "arch/mine" in file:
        place(root, "arch/mine/cores/my-m4.toml", CORE)
    known = platforms([root])
    edits = [("cortex-m4f", "my-m4")] if "my-m4" in known.cores() else []
    edits += [('"cmsdk"', '"my_family"')] if "my_family" in known.families() else []
    edits += [('"pyocd"', '"my_probe"')] if "my_probe" in known.flashers() else []
    assert edits
    found = told(root, *edits)
    assert any(c == code and words in what for c, what, _ in found), found
    assert {where for *_, where in found} <= {str(root / file), str(root / file.rpartition("/")[0])}


def test_names_of_cores_may_have_hyphens(tmp_path: Path) -> None:
    root = place(tmp_path / "p", "arch/arm/cores/My-M4.toml", CORE)
    (problem,) = refusal(platforms([root]).core, "My-M4").problems
    assert problem.fix == "use small letters, digits, _ and -, starting with a letter"


def test_a_family_of_another_architecture_is_reported(tmp_path: Path) -> None:
    place(tmp_path / "p", "mcu/x/family.toml", "arch = 'arm'")
    ((code, what, _),) = told(tmp_path / "p", ('"cmsdk"', '"virt"'))
    assert code == "BRD015"
    assert "family 'virt' is for architecture 'riscv', core 'cortex-m4f' for 'arm'" in what
    ((code, what, _),) = told(tmp_path / "p", ('"cmsdk"', '"posix"'))
    assert code == "BRD015"
    assert "family 'posix' is for hosted architectures" in what


def test_an_mcu_runs_no_operating_system(tmp_path: Path) -> None:
    place(tmp_path / "p", "mcu/x/family.toml", "arch = 'arm'")
    system = '[system]\ntitle = "Linux"\nglibc = "2.36"\n[console]'
    ((code, what, _),) = told(tmp_path / "p", ("[console]", system))
    assert code == "BRD006"
    assert "'system' contradicts core 'cortex-m4f'" in what


def test_a_machine_without_an_emulator_is_reported(tmp_path: Path) -> None:
    root = place(tmp_path / "p", "arch/mine/arch.toml", MINE)
    place(root, "arch/mine/firmware.ld.in", "")
    place(root, "arch/mine/cores/my-core.toml", CORE)
    place(root, "mcu/x/family.toml", "arch = 'mine'")
    place(root, "mcu/x/board.cc", CODE)
    found = told(root, ("cortex-m4f", "my-core"), ('"cmsdk"', '"x"'))
    assert [(code, "'mine' has no emulator" in what) for code, what, _ in found] == [
        ("BRD006", True)
    ]


@pytest.mark.parametrize(("file", "text"), [
    ("arch/mine/cores/cortex-m4f.toml", CORE),
    ("arch/arm/arch.toml", MINE),
    ("mcu/cmsdk/family.toml", "arch = 'arm'"),
    ("flashers/pyocd/flasher.toml", "install = 'x'"),
])  # fmt: skip
def test_a_name_that_is_claimed_twice_is_reported(tmp_path: Path, file: str, text: str) -> None:
    ((code, what, where),) = told(place(tmp_path / "p", file, text))
    assert code == "BRD017"
    assert "is claimed twice" in what
    assert str(tmp_path / "p" / file) in where
    assert str(RUNTIMES) in where


@pytest.mark.parametrize("name", ["$(x).cc", "a b.cc", "pipe.cc"])
def test_a_source_of_a_family_that_no_build_can_handle_is_reported(
    tmp_path: Path, name: str
) -> None:
    root = place(tmp_path / "p", "mcu/x/family.toml", "arch = 'arm'")
    if name == "pipe.cc":
        os.mkfifo(root / "mcu" / "x" / name)
    else:
        place(root, f"mcu/x/{name}", "")
    ((code, what, _),) = told(root, ('"cmsdk"', '"x"'))
    assert code == "BRD014"
    assert f"'{name}' in {root / 'mcu' / 'x'} is no source file" in what


@pytest.mark.parametrize(("script", "words"), [
    ("@title@ @memories@ @stack@ @zeroed@", "it does not say @more@"),
    ("@title@ @memories@ @stack@ @zeroed@ @more@ @mode@", "@mode@ is unknown (did you mean"),
])  # fmt: skip
def test_a_linker_script_that_cannot_be_filled_in_is_reported(
    tmp_path: Path, script: str, words: str
) -> None:
    root = tmp_path / "p"
    copied(RUNTIMES / "arch/arm", root / "arch/mine")
    shutil.rmtree(root / "arch/mine/cores")
    place(root, "arch/mine/cores/my-core.toml", CORE)
    place(root, "arch/mine/firmware.ld.in", script)
    place(root, "mcu/x/family.toml", "arch = 'mine'")
    place(root, "mcu/x/board.cc", CODE)
    edits = (("cortex-m4f", "my-core"), ('"cmsdk"', '"x"'))
    board = load_board("mine", [boards(tmp_path, *edits)], [root])
    said = str(refusal(linker_script, board))
    assert "BRD018" in said and words in said


def test_what_is_no_root_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, what in (
        (".", "holds none of arch, mcu"),
        ("nowhere", "does not exist"),
        ("file", "is not a folder"),
    ):
        with pytest.raises(ToolchainError, match=f"BRD016: {what}"):
            platforms([tmp_path / name])


@pytest.mark.slow
def test_the_shipped_root_given_again_is_no_conflict() -> None:
    given = [RUNTIMES]
    assert list_boards([ROOT / "boards"], given) == list_boards([ROOT / "boards"])


@pytest.mark.slow
def test_the_toolchain_names_no_architecture() -> None:
    named = re.compile(
        r"\b(arm|cortex\w*|thumb\w*|risc-?v\w*|qemu-system\b|(?!py3)\w+-none|helium)\b"
    )
    apart = ("op/",)  # ops' parts
    package = ROOT / "toolchain/opsmith"
    files = [path for end in ("py", "c", "h") for path in package.rglob(f"*.{end}")]
    for path in files:
        place = path.relative_to(package).as_posix()
        found = named.findall(path.read_text(encoding="utf-8").lower())
        assert not found or place.startswith(apart), f"{place}: {found}"
