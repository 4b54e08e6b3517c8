"""Findings as lines of text, with all that a user sees of them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from jobsworth.findings.finding import Finding


def shown(finding: Finding) -> Iterator[str]:
    """Yield the field and the message, then the fix with its edits."""
    yield f"{finding.field}: {finding.message}"
    if finding.hint:
        yield f"    hint: {finding.hint}"
    if finding.fix is not None:
        yield f"    {'safe' if finding.fix.safe else 'unsafe'} fix: {finding.fix.title}"
        for edit in finding.fix.edits:
            value = "" if edit.action == "delete" else f" {json.dumps(edit.value)}"
            yield f"        {edit.action} {edit.field}{value}"
