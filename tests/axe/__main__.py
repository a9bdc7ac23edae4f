"""`python -m tests.axe`: looks at report.html of models of 3, 30, 300 and 1,000 nodes, in light and
dark; exits with how many of the pages have something to mend. Takes a minute.
"""

import sys
import tempfile
from pathlib import Path

from opsmith.report.page import report_page
from tests.axe.browser import look
from tests.unit.report.test_page import SYMBOLS, report

failed = 0
for nodes in (3, 30, 300, 1000):
    page = report_page(report(nodes=nodes), symbols=SYMBOLS)
    for dark in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            found = look(page, Path(folder), dark=dark)
        wrong = [*found["violations"], *found["overlaps"], *found["console"]]
        failed += bool(wrong)
        print(f"{nodes} nodes, {len(page.encode()):,} bytes, dark={dark}: {len(wrong)} to mend")
        print("".join(f"  {each}\n" for each in wrong), end="")
sys.exit(failed)
