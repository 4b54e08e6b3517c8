"""Findings as lines of text, with all that a user sees of them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Fix


def shown(finding: Finding) -> Iterator[str]:
    """Yield the field and the message, then the fix with its edits."""
    yield f"{finding.field}: {finding.message}"
    if finding.hint:
        yield f"    hint: {finding.hint}"
    if finding.fix is not None:
        for line in shown_fix(finding.fix):
            yield f"    {line}"


def shown_fix(fix: Fix) -> Iterator[str]:
    """Yield the title, then the edits."""
    yield f"{'safe' if fix.safe else 'unsafe'} fix: {fix.title}"
    for edit in fix.edits:
        value = "" if edit.action == "delete" else f" {json.dumps(edit.value)}"
        yield f"    {edit.action} {edit.field}{value}"
