"""The benchmark of speed compares any folder of models with any file of peers, and drops none."""

from pathlib import Path
from typing import Any

import pytest

from tests.bench import measured, speed
from tests.bench.peers import SHIPPED, Unusable, read_peers
from tests.bench.speed_tables import geometric_mean, read_limits

KWS_LIMIT = read_limits()["cortex-m4f balanced"]["kws_int8"]
HEAD = 'title = "Peer"\ndate = 2026-08-01\nmethod = "by hand"\n'
PEERS = f"""{HEAD}
[models.kws_int8]
cortex-m4f.instructions = 200
cortex-m4f.modelled_cycles = 400
cortex-m4f.default_modelled_cycles = 800
columns = ["cortex-m4f.modelled_cycles"]
layers = [["CONV_2D", "1x2", 8, 100], ["ADD", "1x2", 0, 20], ["SOFTMAX", "1x2", 0, 200]]

[models.other]
sha256 = "0"
cortex-m4f.instructions = 1
"""


def profiles(cycles: dict[str, int]) -> Any:
    """Stand-in for builds: profiles of a model of two nodes, the first with a fused ADD, or an
    error.
    """

    def profile(file: Path, board: str, opt: str, runtime: str) -> tuple[Any, str]:
        if file.stem not in cycles:
            return None, "building\nmodel.tflite: error[MDL010] operator 0: no op\nscons: failed"
        first, second = cycles[file.stem] // 4, cycles[file.stem] - cycles[file.stem] // 4
        nodes: list[dict[str, Any]] = [
            {"source": "operator 0 (A)", "remarks": ["operator 1 (ADD) fused"]},
            {"source": "operator 2 (B)", "remarks": []},
        ]
        for node, value in zip(nodes, (first, second), strict=True):
            node |= {"instructions": value // 2, "modelled_cycles": value}
        total = cycles[file.stem]
        return {"instructions": total // 2, "modelled_cycles": total, "nodes": nodes}, ""

    return profile


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with three models, and a fourth that does not convert."""
    for name in ("kws_int8", "mine", "other", "broken"):
        (tmp_path / f"{name}.tflite").write_bytes(b"")
    (tmp_path / "peers.toml").write_text(PEERS)
    counts = {"kws_int8": 200, "mine": 90, "other": 10}
    monkeypatch.setattr(measured, "profile", profiles(counts))
    return tmp_path


def run(folder: Path, *more: str) -> int:
    peers = f"--peers={folder / 'peers.toml'}"
    return speed.main([f"--models={folder}", peers, "--board", "mps2_an386", *more])


def test_every_model_is_reported_and_those_without_a_peer_have_no_ratio(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder) == 0
    said = capsys.readouterr().out
    rows = {line.split()[2]: line.split()[3:] for line in said.splitlines()[4:8]}
    assert rows["kws_int8"] == [
        "100",
        "200",
        "0.50",
        "-",
        "200",
        "400",
        "0.50",
        "0.25",
        f"{KWS_LIMIT:,}",
        "0.00",
    ]
    assert rows["mine"] == ["45", "-", "-", "-", "90", "-", "-", "-"]
    assert rows["other"][8:] == "the peer's is another file of this name".split()
    assert rows["broken"][:2] == ["no", "firmware:"]
    assert "MDL010" in " ".join(rows["broken"])
    assert "4 models, 1 with a peer, 1 without firmware\n  broken: model.tflite" in said


def test_means_and_worst_layers_name_what_they_are_of(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--worst", "1") == 0
    said = capsys.readouterr().out
    assert "  0.500  cortex-m4f balanced, modelled cycles, of kws_int8\n" in said
    assert "  0.250  cortex-m4f balanced, modelled cycles with its default options, of" in said
    assert (
        "0 of 2 layers are slower than the peer's; worst:\n  kws_int8             2 SOFTM" in said
    )
    assert "CONV_2D + ADD" not in said
    assert geometric_mean([0.25, 4, 1]) == pytest.approx(1)


@pytest.mark.slow
def test_a_slower_layer_and_a_broken_limit_are_failures(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured, "profile", profiles({"kws_int8": 2 * KWS_LIMIT}))
    assert run(folder, "--only", "kws_int8", "--layers") == 1
    said = capsys.readouterr().out
    assert f"kws_int8: 2.00 of the limit of {KWS_LIMIT:,} modelled cycles" in said
    assert "kws_int8: slower than the peer in layers 0-1, 2" in said
    assert "CONV_2D + ADD 1x2" in said
    monkeypatch.setattr(measured, "profile", profiles({}))
    assert run(folder, "--only", "kws_int8") == 1
    assert run(folder, "--only", "broken") == 2


@pytest.mark.parametrize("more", [["--board", "host"], ["--board", "nowhere"], ["--only", "x"]])
def test_what_cannot_be_used_is_one_error(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        run(folder, *more)
    assert raised.value.code == 2
    assert "speed: error: " in capsys.readouterr().err


@pytest.mark.slow
def test_a_limit_is_not_for_another_file_of_the_name(folder: Path) -> None:
    (folder / "sww_int8.tflite").write_bytes(b"")
    assert speed.main([f"--models={folder}", "--only", "sww_int8", "mine"]) == 0


def test_models_of_one_name_go_by_their_paths(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "mine.tflite").write_bytes(b"")
    names = ["broken", "kws_int8", "mine", "more/mine", "other"]
    assert sorted(measured.named_models(folder)) == names
    with pytest.raises(Unusable, match="--only=theirs: no such model; there are broken, kws"):
        measured.named_models(folder, ["theirs"])
    with pytest.raises(Unusable, match=r"no \.tflite file is below it"):
        measured.named_models(folder / "nowhere")


@pytest.mark.parametrize(("text", "reason"), [
    ("title =", "Invalid value"),
    ("date = 2026-08-01", "`title` and `method` must be texts"),
    (HEAD.replace("2026-08-01", "'soon'"), "`date` must be a date"),
    (HEAD, r"there are no tables \[models.NAME\]"),
    (f"{HEAD}[models]\nm = 1", r"\[models.m\] must be a table"),
    (f"{HEAD}[models.m]\ncortex-m4f = 7", "`cortex-m4f` is neither a core's figures nor a"),
    (f"{HEAD}[models.m]\ncortex-m4f.ms = 7", r"'cortex-m4f.ms' is not CORE.FIGURE"),
    (f"{HEAD}[models.m]\ncortex-m4f.ram = -1", r"cortex-m4f.ram must be a count, not -1"),
    (f"{HEAD}[models.m]\ncolumns = ['m4']", r"'m4.' is not CORE.FIGURE"),
    (f"{HEAD}[models.m]\nlayers = [['A', '1x2', 0, 5]]", "layer 0: an operator, a shape"),
    (f"{HEAD}[models.m]\nlayers = [['A', '1x2', 'x']]", "layer 0 MACs must be a count"),
])  # fmt: skip
def test_a_bad_file_of_peers_is_one_error(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "peers.toml"
    file.write_text(text)
    with pytest.raises(Unusable, match=rf"^{file}: .*{reason}"):
        read_peers([file])


def test_a_file_of_peers_that_is_missing_or_twice_the_same_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="gone.toml: No such file"):
        read_peers([tmp_path / "gone.toml"])
    with pytest.raises(Unusable, match="is in another file of peers, too"):
        read_peers([*SHIPPED, SHIPPED[0]])


def test_limits_are_of_models_that_have_a_peer_or_that_no_peer_runs() -> None:
    names = {name for limits in read_limits().values() for name in limits}
    assert names == {*read_peers().models, "kws_float"}
