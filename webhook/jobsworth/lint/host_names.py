"""The hosts that a Pod names in its variables and command lines, which may be Services beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.lint.linted_job import LintedJob

MIN_LENGTH = 4
"""A shorter name is probably a word of the command line."""
MAX_TEXT_LENGTH = 32_768
"""The length of a text in which hosts are looked for."""
_WORD = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def named_hosts(job: LintedJob) -> set[str]:
    """Return the words that may be hosts: alone, or parts of a URL or of a name with a dot or port."""
    texts: list[str] = []
    for _, container in job.containers:
        texts += (each.get("value", "") for each in container.get("env", ()))
        texts += (*container.get("command", ()), *container.get("args", ()))
    found: set[str] = set()
    for text in texts:
        if "://" in text or "." in text or ":" in text or _WORD.fullmatch(text):
            found.update(each.group() for each in _WORD.finditer(text[:MAX_TEXT_LENGTH]))
    return {each for each in found if len(each) >= MIN_LENGTH}
