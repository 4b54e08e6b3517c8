"""Texts that a test compares with what the code returns now.

To renew them after an intended change, and to read the change as a diff: ``JOBSWORTH_RENEW=1 pytest`` with the test.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def expect_recorded(file: Path, lines: Iterable[str]) -> None:
    """Fail if these lines are not those of a file, or write them to it."""
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    if os.environ.get("JOBSWORTH_RENEW"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    else:
        recorded = file.read_text(encoding="utf-8") if file.exists() else ""
        assert text == recorded, (
            "other than recorded: if this is intended, set JOBSWORTH_RENEW=1 and read the diff"
        )
