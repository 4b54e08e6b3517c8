"""The server's warnings for which a lint rule has a finding too: the lint rule reports it.

It adds what to do, has a page, and a code of its own by which it can be ignored. Where no such rule
reports the place, because it was deselected or because only some releases warn, the server's warning is
reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.batch.job_warnings import NAME_NO_LABEL, TOO_MANY_INDEXES
from jobsworth.api.core.pod_warnings import (
    FRACTIONAL_BYTES,
    HIDDEN_VARIABLE,
    NEGATIVE_GRACE_PERIOD,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobsworth.findings.finding import Finding

REPORTED_AS = {
    FRACTIONAL_BYTES: "JW504",
    HIDDEN_VARIABLE: "JW505",
    NAME_NO_LABEL: "JW217",
    TOO_MANY_INDEXES: "JW221",
    NEGATIVE_GRACE_PERIOD: "JW024",  # since 1.37 the server rejects the Pods
}
"""The code of the finding that reports the same, by the key of the warning."""


def without_repeated(api: Sequence[Finding], lint: Iterable[Finding]) -> Sequence[Finding]:
    """Return the API server's findings without the warnings that a lint rule repeats.

    Args:
        api: the findings of the API server.
        lint: the findings of lint rules about the same object.
    """
    if not any(finding.rule in REPORTED_AS for finding in api):
        return api
    places = {(finding.code, _place(finding.field)) for finding in lint}
    return [
        finding
        for finding in api
        if (REPORTED_AS.get(finding.rule), _place(finding.field)) not in places
    ]


def _place(field: str) -> str:
    """Return the path at which both findings of a pair are equal.

    The server warns of an item of ``env`` at its name until 1.27, and of too many indexes at the whole spec.
    """
    return (
        field.removesuffix(".completions").removesuffix(".name")
        if field != "metadata.name"
        else field
    )
