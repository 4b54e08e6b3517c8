"""Shorten the messages of an object whose messages are long together.

An API server may print a whole list in the message about each of its items. Findings share such a text, but a
report writes it for each of them, which takes the square of the list's size.
"""

from __future__ import annotations

from jobsworth.findings.finding import Finding

MAX_CHARACTERS = 256 * 1024
"""The characters of an object's messages that are reported as they are."""
SHORT = 512
"""The length of a message beyond that limit that is not shortened."""


def shortened(findings: list[Finding]) -> list[Finding]:
    """Return the findings; beyond :data:`MAX_CHARACTERS` of text, a long message loses its middle."""
    total = 0
    for index, finding in enumerate(findings):
        total += sum(map(len, finding.parts))
        if total > MAX_CHARACTERS:
            return [*findings[:index], *map(_short, findings[index:])]
    return findings


def _short(finding: Finding) -> Finding:
    length = sum(map(len, finding.parts))
    if length <= SHORT:
        return finding
    half = SHORT // 2
    # Parts may be shared by thousands of findings: read only what is kept of them.
    head = "".join(part[:half] for part in finding.parts)[:half]
    tail = "".join(part[-half:] for part in finding.parts)[-half:]
    return finding.with_message(f"{head}… ({length - SHORT:,} characters omitted) …{tail}")
