"""MLPerf Tiny's interface board, emulated: the runner speaks to it, and it to the device.

It prints the pty that the runner opens. Its folder of sounds is the card of the board.

The board sends sound by I2S and times edges of two pins. Here sound goes over the console, by the
commands of the benchmark's stream_wav_uart.py, and the device says when it began and ended to
compute. Time while a sound plays is that of its samples, however fast the console is.
"""

import os
import re
import sys
import time
import tty
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

from opsmith.board.describe import Console
from opsmith.child import Ended
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.rig.channel import Channel, DescriptorChannel
from opsmith.rig.serial import SerialChannel

READY = "m-ready"
RATE = 16000  # samples a second
FRAME = 512  # samples
_PIECE = 508  # bytes in one command, of at most 1,028 characters
_SAYS = 32  # frames between lines, without which the runner gives a slow console up
_ANSWER = 30.0  # seconds until the device has answered
_TICKS = 100_000  # of the board's timer in a second
_LAP = re.compile(r"m-lap-us-(\d+)")


class InterfaceBoard:
    """Emulated interface board of MLPerf Tiny, by the commands of mlcommons/tiny's protocol."""

    def __init__(
        self, device: Channel, sounds: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._device = device
        self._sounds = sounds
        self._clock = clock
        self._text = ""
        self._record()

    def answer(self, command: str) -> Iterator[str]:
        """Lines that answer one command, up to the line m-ready."""
        name, _, argument = command.partition(" ")
        match name:
            case "dut":
                yield f"m-dut-passthrough({argument})"
                yield READY
                yield from (f"[dut]: {line}" for line in self._ask(argument))
                return
            case "name":
                yield "tinyML Enhanced Interface Board"
            case "ls":
                yield from sorted(each.name for each in self._sounds.iterdir())
            case "setbaud":
                yield f"set baud to: {argument}"
            case "record_detections":
                self._record()
                yield "Now recording detections"
            case "play":
                yield f"Attempting to play {argument}"
                yield from self._play(argument)
            case "print_detections":
                yield "Detection Timestamps (ms)"
                yield from (f"{tick // 100}," for tick in self._detections)
            case "print_dutycycle":
                yield "Duty cycle start times (s)"
                yield from (f"{tick}, " for tick in self._starts)
                yield "Duty cycle stop times (s)"
                yield from (f"{tick}, " for tick in self._stops)
        yield READY

    def _record(self) -> None:
        self._began = self._clock()
        self._detections = list[int]()
        self._starts = list[int]()
        self._stops = list[int]()

    def _play(self, name: str) -> Iterator[str]:
        """Play a sound to the device; lines that report its stages."""
        try:
            begin = self._clock() - self._began
            for number, frame in enumerate(_frames(self._sounds / Path(name).name), 1):
                self._hear(frame, begin + number * FRAME / RATE)
                if number % _SAYS == 0:
                    yield f"played {number * FRAME / RATE:.1f} s"
        except (OSError, EOFError, ValueError, wave.Error) as error:
            yield f"Error playing file. {error}"
        else:
            yield "succeeded."

    def _hear(self, frame: bytes, at: float) -> None:
        """Send a frame that ends `at` seconds after the recording began, and note the edges."""
        self._ask(f"db load {len(frame)}")
        for start in range(0, len(frame), _PIECE):
            self._ask(f"db {frame[start : start + _PIECE].hex()}")
        lines = self._ask("extract_uart_stream")
        laps = [int(found[1]) for line in lines if (found := _LAP.fullmatch(line))]
        if len(laps) != 2:
            raise ValueError(f"The device said {len(laps)} timestamps for a frame, not 2.")
        start = max(int(at * _TICKS), *self._stops[-1:], 0)
        stop = start + (laps[1] - laps[0]) * _TICKS // 1_000_000
        self._starts.append(start)
        self._stops.append(stop)
        if "m-detected" in lines:
            self._detections.append(stop)

    def _ask(self, command: str) -> list[str]:
        """Lines that answer a command, up to m-ready; earlier output is dropped."""
        self._text = ""
        while self._device.receive(0):
            pass
        self._device.send(f"{command}%".encode())
        lines, end = list[str](), self._clock() + _ANSWER
        while READY not in lines:
            line, newline, rest = self._text.partition("\n")
            if newline:
                self._text = rest
                lines.append(line.strip("\r\0"))
            elif self._clock() > end:
                raise ValueError(f"The device did not answer {command[:20]!r}.")
            else:
                self._text += self._device.receive(1.0).decode(errors="ignore")
        return lines


def _frames(path: Path) -> Iterator[bytes]:
    """Frames of FRAME samples of a wav file's left channel; a shorter last frame is left out."""
    with wave.open(str(path)) as sound:
        found = sound.getnchannels(), sound.getsampwidth(), sound.getframerate()
        if found != (2, 2, RATE):
            raise ValueError("Check that it is a 2-channel wav file of 16 bits at 16 kHz.")
        while len(both := sound.readframes(FRAME)) == 4 * FRAME:
            yield b"".join(both[at : at + 2] for at in range(0, len(both), 4))


def main() -> None:
    """Answer the runner until the user stops the board."""
    parser = Parser(description=__doc__)
    parser.add_argument("port", help="the device's serial port, or a URL of pyserial")
    parser.add_argument("sounds", type=Path, help="the folder of wav files")
    parser.add_argument("--baud", type=int, default=115200, help="of the device")
    arguments = parser.parse_args()
    if not arguments.sounds.is_dir():
        parser.error(f"{arguments.sounds} is no folder")
    device = SerialChannel(arguments.port, Console(arguments.baud, None))
    _serve(InterfaceBoard(device, arguments.sounds))


def _serve(board: InterfaceBoard) -> None:
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    runner = DescriptorChannel("the runner", ours, ours, lambda: "it closed the pty")
    print(os.ttyname(theirs), flush=True)
    text = ""
    while True:
        command, end, rest = text.partition("%")
        if not end:
            text += runner.receive(1.0).decode(errors="ignore")
            continue
        text = rest
        for line in board.answer(command.strip()):
            runner.send(f"{line}\r\n".encode())


if __name__ == "__main__":
    try:
        main()
    except (ToolchainError, Ended) as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        sys.exit(130)
