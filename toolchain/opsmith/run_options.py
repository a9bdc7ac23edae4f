"""Options of commands that run firmware: where it runs, on which data, and against what oracle."""

from dataclasses import dataclass

from opsmith.option import option

SERIAL_NUMBER = r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}"  # part of flash tools' scripts
LONGEST_INVOKE = 1_000_000  # seconds


@dataclass(frozen=True)
class RunOptions:
    """Options of `run` and related commands, on which no build depends."""

    input: str = option(
        "`run`, `crosscheck` and `profile` send this `.npz` instead of a seeded input",
        given="FILE",
        more="; arrays are named by tensor, and `run` takes a batch of each along one more axis",
        exists="*.npz",
    )
    data: str = option(
        "`run` measures accuracy on this `.npz`, or folder with `y_labels.csv`",
        more="; `DIR:uint8` holds pixels, `DIR:float32` real values",
        given="SET",
    )
    output: str = option("`run` stores the outputs in this `.npz`", given="FILE")
    against: str = option(
        "`crosscheck` compares with `litert`, `numpy` or `BOARD[:RUNTIME]`",
        more=" ([rig/](../opsmith/rig/README.md))",
    )
    atol: float = option("`run` and `crosscheck` tolerate this absolute difference", 0.0)
    rtol: float = option("`run` and `crosscheck` tolerate this fraction of the right value", 0.0)
    port: str = option("`run` uses this serial port instead of the one in board.toml")
    probe: str = option(
        "`run` takes the attached board whose debug probe has this serial number",
        given="SERIAL",
        fix="give letters and digits, as `lsusb -v` lists them",
        form=SERIAL_NUMBER,
    )
    place: str = option(
        "where commands run the firmware: `qemu`, `serial:PORT`, `ssh:HOST`, …",
        more=" ([rig/](../opsmith/rig/README.md#places))",
        given="KIND[:WHERE]",
    )
    map: str = option(
        "commands take a board of this hardware map, as Zephyr's twister writes them",
        more="; `opsmith rig scan` writes one",
        given="FILE",
    )
    fixture: tuple[str, ...] = option(
        "what must be connected to the board of `map=`", (), given="NAME,…"
    )
    meter: str = option(
        "`profile` measures energy of an attached board by this meter: `ppk2`, `joulescope`",
        more=" ([rig/](../opsmith/rig/README.md#energy))",
        given="KIND[:WHICH][@VOLTS]",
    )
    wait: float = option(
        "seconds that commands wait for a port that another program has",
        0.0,
        given="SECONDS",
    )
    flash: str = option(
        "when commands flash an attached board",
        "needed",
        choices=("needed", "always"),
    )
    timeout: float | None = option(
        "seconds that a command which runs the model computes, or listens to an application",
        None,
        more=", firmware and reference together; default: 120 for one invoke, 600 in all (`tune`: "
        "for each build), 10 for another `app=`",
        given="SECONDS",
        fix=f"give a number of seconds above 0, up to {LONGEST_INVOKE:,}, like 30",
        most=LONGEST_INVOKE,
    )
