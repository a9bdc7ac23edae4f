"""Registers of an STM32 from the device header of ST's CMSIS packages."""

import re
from pathlib import Path

from tests.commands import said
from tests.registers.table import Field, Peripheral

REGISTERS = {
    "RCC": r"CR|CFGR[123]?|PLL\w*|\w*ENR[12]?|APB1LENR|CCIPR[123]?|D[123]CFGR|D2CCIP2R|D3CCIPR",
    "PWR": r"CR[1235]?|CSR1?|D3CR|VOSR|SR2|SVMCR",
    "FLASH": r"ACR",
    "ICACHE": r"CR",
    "GPIO": r"MODER|OSPEEDR|PUPDR|AFR|CRL|CRH|IDR|BSRR",
    "USART": r"SR|DR|BRR|CR1|ISR|ICR|RDR|TDR",
}
FIELDS = {
    "RCC": r"(GPIO|IOP)[A-K]EN|(LP)?US?ART\d+EN|(LP)?US?ART\d+SEL|PWREN|AFIOEN"
    r"|(HSI|HSE|MSI|PLL1?)(ON|RDY)|HSEBYP|SWS?|HPRE|PPRE[12]?|PLL(1?)(SRC|M|N|P|Q|R|MUL|XTPRE)"
    r"|PLLREN|PLLMULL|PREDIV1?|DIV[MNPQR]1|[NPQR]1|PLL1RGE|PLL1VCOSEL|DIVP1EN|PLL1REN|PLL1MBOOST"
    r"|[DC]*D?[123]C?PPRE[12]?|D1CPRE|USART(16|234578)SEL",
    "PWR": r"VOS|VOSRDY|ODEN|ODSWEN|ODRDY|ODSWRDY|R1MODE|VOSF|IOSV|IO2SV|SCUEN|LDOEN|ACTVOSRDY"
    r"|BOOSTEN|BOOSTRDY",
    "FLASH": r"LATENCY|PRFTEN|PRFTBE|ICEN|DCEN|ARTEN|WRHIGHFREQ",
    "ICACHE": r"EN",
    "GPIO": "",
    "USART": r"UE|TE|RE|RXNEIE(_RXFNEIE)?|FIFOEN",
}
_INSTANCE = re.compile(r"RCC|PWR|FLASH|ICACHE|GPIO[A-K]|AFIO|(LP)?US?ART\d+")


def peripherals(headers: Path, header: str, core: str) -> dict[str, Peripheral]:
    """Peripherals that a family's `init` touches, of one device header."""
    text = (headers / header).read_text(encoding="latin-1")
    macros = _macros(headers / header, core)
    structs = {name: _offsets(body) for body, name in _structs(text)}
    interrupts = {name: int(n) for name, n in re.findall(r"(\w+)_IRQn\s*=\s*(-?\d+)", text)}
    found: dict[str, Peripheral] = {}
    for name, value in sorted(macros.items()):
        pointer = re.fullmatch(r"\(\(\s*(\w+)_TypeDef\s*\*\)\s*(\w+)\)", _followed(value, macros))
        if not _INSTANCE.fullmatch(name) or not pointer:
            continue
        kind = "USART" if "ART" in name else pointer[1]
        shared = next((e for e, each in found.items() if _kind(e) == _kind(name)), "")
        made = Peripheral(_number(pointer[2], macros), _interrupt(name, interrupts), like=shared)
        if not shared and kind in REGISTERS:
            made.registers |= _registers(kind, structs[pointer[1]], macros)
        found[name] = made
    return found


def _kind(name: str) -> str:
    return re.sub(r"GPIO[A-K]", "GPIO", re.sub(r"(LP)?US?ART\d+", "USART", name))


def _interrupt(name: str, known: dict[str, int]) -> int | None:
    """Number of a peripheral's interrupt, which several peripherals may share."""
    if "ART" not in name:
        return None
    if name in known:
        return known[name]
    for each, number in known.items():
        first, _, rest = each.partition("_")
        if name in each.split("_") or (first[:5] == name[:5] and name[5:] in rest.split("_")):
            return number
    return None


def _macros(header: Path, core: str) -> dict[str, str]:
    """Object-like macros of a header, without what CMSIS Core defines."""
    empty = header.parent / "core_cm.h"
    for name in (f"core_{core}.h", f"system_{header.parent.parent.name}.h"):
        empty.with_name(name).write_text("", encoding="utf-8")
    dump = said(["arm-none-eabi-gcc", "-E", "-dM", f"-I{header.parent}", str(header)])
    return dict(re.findall(r"^#define (\w+) (.+)$", dump, re.MULTILINE))


def _structs(text: str) -> list[tuple[str, str]]:
    return re.findall(r"typedef struct\s*\{([^}]*)\}\s*(\w+)_TypeDef;", text)


def _offsets(body: str) -> dict[str, int]:
    """Byte offsets of a struct's members."""
    offsets, at = {}, 0
    members = re.findall(r"(uint\d+)_t\s+(\w+)\s*(?:\[(\w+)\])?;", re.sub(r"/\*.*?\*/", "", body))
    for kind, name, count in members:
        size = int(kind[4:]) // 8
        at = (at + size - 1) // size * size
        offsets[name] = at
        at += size * int(count.rstrip("UL"), 0) if count else size
    return offsets


def _registers(
    kind: str, offsets: dict[str, int], macros: dict[str, str]
) -> dict[str, tuple[int, list[Field]]]:
    wanted = {each: at for each, at in offsets.items() if re.fullmatch(REGISTERS[kind], each)}
    found = {}
    for register, at in wanted.items():
        if register == "PLLCFGR" and "PLL1DIVR" in offsets:
            wanted_fields = r"PLL1RGE|PLL1VCOSEL|DIVP1EN"
        else:
            wanted_fields = FIELDS[kind]
        prefix, fields = f"{kind}_{register}_", []
        for name in macros:
            field = name.removeprefix(prefix).removesuffix("_Msk")
            if name == f"{prefix}{field}_Msk" and re.fullmatch(wanted_fields, field):
                mask = _number(name, macros)
                bit = (mask & -mask).bit_length() - 1
                fields.append(Field(field, bit, (mask >> bit).bit_length()))
        if fields or kind != "RCC":
            found[register] = (at, fields)
    return found


def _followed(value: str, macros: dict[str, str]) -> str:
    while value in macros:
        value = macros[value]
    return value


def _number(text: str, macros: dict[str, str]) -> int:
    """The value of a constant expression of the header."""
    text = re.sub(r"\buint32_t\b|\(\s*uint32_t\s*\)", "", text)
    text = re.sub(r"\b(0x[0-9A-Fa-f]+|\d+)[UL]+\b", r"\1", text)
    names = re.findall(r"\b[A-Za-z_]\w*\b", re.sub(r"0x[0-9A-Fa-f]+", "", text))
    for name in names:
        text = re.sub(rf"\b{name}\b", str(_number(macros[name], macros)), text)
    text = text.replace("()", "")
    if not re.fullmatch(r"[0-9A-Fa-fx+\-*/()<>|&~ ]+", text):
        raise ValueError(text)
    return int(eval(text, {"__builtins__": {}}))  # numbers and operators alone, as checked
