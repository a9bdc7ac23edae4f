"""Chromium looks at a page: what axe-core finds, what overlaps, and what its console says."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from opsmith.testing.checkout import ROOT
from tests.conftest import NO_PACKAGES

AXE = ROOT / ".venv/axe/node_modules/axe-core/axe.min.js"
MARK = "opsmith-found"
LOOK = """
addEventListener("load", async () => {
  const overlaps = [];
  for (const kind of [".nodes div", ".map .symbol", ".map .owner"]) {
    for (const parent of new Set([...document.querySelectorAll(kind)].map((e) => e.parentNode))) {
      const boxes = [...parent.querySelectorAll(kind.split(" ")[1])].map((each) => {
        const {left, right, top, bottom} = each.getBoundingClientRect();
        return {left, right, top, bottom, text: each.textContent};
      }).filter((each) => each.text);
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        if (a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 1 && b.top < a.bottom - 1) overlaps.push([a.text, b.text]);
      }));
    }
  }
  const first = [...document.querySelectorAll("main p")]
    .filter((each) => each.getBoundingClientRect().bottom <= innerHeight)
    .map((each) => each.textContent.replace(/\\s+/g, " "));
  const found = await axe.run();
  const violations = found.violations.map((each) =>
    `${each.id}: ${each.help}: ${each.nodes.slice(0, 3).map((n) => n.html).join(" ")}`);
  const said = document.createElement("pre");
  said.id = "MARK";
  said.textContent = JSON.stringify({violations, overlaps, first, passes: found.passes.length});
  document.body.append(said);
});
""".replace("MARK", MARK)


def look(page: str, folder: Path, *, dark: bool = False) -> dict[str, Any]:
    """Findings of a browser on a page: `violations`, `overlaps`, `passes`, `console`, and `first`,
    the paragraphs of the first screen. Skips the test where Chromium or axe-core is not installed.
    The browser reads a copy with scripts.
    """
    browser = shutil.which("chromium")
    if browser is None or not AXE.is_file():
        pytest.skip(f"{NO_PACKAGES}: no Chromium, or no axe-core")
    policy = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
    assert policy.search(page)
    scripts = f"<script>{AXE.read_text(encoding='utf-8')}</script><script>{LOOK}</script>"
    file = folder / "page.html"
    file.write_text(policy.sub("", page).replace("</body>", f"{scripts}</body>"), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"]
    command += ["--virtual-time-budget=60000", "--enable-logging=stderr", "--dump-dom"]
    command += [f"--user-data-dir={folder / 'profile'}"]
    command += ["--blink-settings=preferredColorScheme=0"] if dark else []
    result = subprocess.run(
        [*command, file.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    said = re.search(rf'<pre id="{MARK}">(.*?)</pre>', result.stdout, re.DOTALL)
    assert said, result.stderr[-2000:]
    console = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    return {**json.loads(unescape(said[1])), "console": console}
