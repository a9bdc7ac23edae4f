"""`opsmith completion SHELL`: prints a script by which a shell completes commands, variables,
boards, models and ops of `opsmith` and `scons`. For bash: source <(opsmith completion bash)
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.build_options import BuildOptions
from opsmith.cli import USER_COMMANDS
from opsmith.command_line import Parser
from opsmith.home import shipped
from opsmith.option import variables

TARGETS = (  # of an SConstruct
    "boards", "compile_commands", "crosscheck", "debug", "library", "monitor", "ops", "package",
    "profile", "reset", "run", "tune", "upload", "variables", "where",
)  # fmt: skip
# Shells insert candidates unquoted, so names with special characters are not offered.
_PLAIN = re.compile(r"[\w@%+,./:=-]+")
SHELLS = {
    # bash splits words at `=`, so candidates omit the text before it.
    "bash": """\
_opsmith() {
    local line="${COMP_LINE:0:COMP_POINT}" word words
    word="${line##*[[:space:]]}"
    read -ra words <<<"$line"
    local skip="${word%"${COMP_WORDS[COMP_CWORD]#=}"}"
    mapfile -t COMPREPLY < <(
        opsmith completion bash --words "${words[@]}" --last "$word" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]#"$skip"}")
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[=/] ]] || compopt -o nospace
}
complete -o bashdefault -o default -F _opsmith opsmith scons
""",
    "zsh": """\
#compdef opsmith scons
_opsmith() {
    local -a found
    found=("${(@f)$(opsmith completion zsh --words ${words[1,CURRENT-1]} \\
        --last "${words[CURRENT]}" 2>/dev/null)}")
    [[ -n "$found" ]] && compadd -S '' -- $found || _files
}
compdef _opsmith opsmith scons
""",
    "fish": """\
function __opsmith
    opsmith completion fish --words (commandline -opc) --last (commandline -ct) 2>/dev/null
end
complete -c opsmith -a '(__opsmith)'
complete -c scons -a '(__opsmith)'
""",
}


def main(arguments: list[str]) -> int:
    """Print the script of a shell, or the candidates for the last of `--words`; returns 0."""
    parser = Parser(prog="opsmith completion", description=__doc__)
    parser.add_argument("shell", choices=tuple(SHELLS))
    asked = arguments[1:]
    if asked[:1] == ["--words"] and asked[-2:-1] == ["--last"]:  # as the scripts above ask
        found = candidates(asked[1:-2], asked[-1])
        print("\n".join(filter(_PLAIN.fullmatch, found)))
        return 0
    print(SHELLS[parser.parse_args(arguments).shell], end="")
    return 0


def candidates(words: Sequence[str], last: str) -> list[str]:
    """Completions of `last` after the `words` of a command line, the program first."""
    before = [word for word in words[1:] if word != last]
    if Path(words[0] if words else "").name == "opsmith":
        commands = {name for group in USER_COMMANDS.values() for name in group}
        if not commands & {*before}:
            return sorted(each for each in commands if each.startswith(last))
        if {"show", "plan"} & {*before}:
            return list(_models(last))
        if "where" not in before:
            return []
    name, equals, value = last.partition("=")
    if equals:
        return [f"{name}={each}" for each in _values(name, value)]
    given = {word.partition("=")[0] for word in before}
    named = [f"{each.name}=" for each in variables(BuildOptions) if each.name not in given]
    return sorted(each for each in (*named, *TARGETS, *_ops(last)) if each.startswith(last))


def _values(name: str, value: str) -> Iterator[str]:
    """Values of a variable that begin with `value`; nothing for a variable that takes any file."""
    if name == "model":
        *others, last = value.split(",")
        yield from (",".join([*others, each]) for each in _models(last))
        return
    if name == "board":
        known: Sequence[str] = sorted(_folders("board.toml", shipped("boards"), Path("boards")))
    elif name == "runtime":
        known = sorted(_folders("runtime.toml", shipped("runtimes")))
    else:
        known = next((v.choices for v in variables(BuildOptions) if v.name == name), ())
    yield from (each for each in known if each.startswith(value))


def _folders(manifest: str, *roots: Path) -> set[str]:
    return {file.parent.name for root in roots for file in root.glob(f"*/{manifest}")}


def _models(start: str) -> Iterator[str]:
    """Models, and folders that may contain models, whose paths begin with `start`."""
    folder, name = os.path.split(start)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(name) and (name or not entry.name.startswith(".")):
            path = os.path.join(folder, entry.name)
            if entry.is_dir():
                yield f"{path}/"
            elif entry.name.endswith(".tflite"):
                yield path


def _ops(start: str) -> Iterator[str]:
    """Targets of ops that begin with `start`: `ops/OP`, and `ops/OP/test` once the op is typed."""
    if start.startswith("ops/"):
        for name in _folders("op.py", shipped("ops"), Path("ops")):
            yield f"ops/{name}"
            if start.startswith(f"ops/{name}"):
                yield f"ops/{name}/test"
