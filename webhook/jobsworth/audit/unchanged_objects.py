"""What the audit before found about objects that have not changed since: they are not evaluated again.

An evaluation depends on the object and on the settings of the audit, never on the time. An object has not
changed if its resourceVersion is the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jobsworth.audit.cluster_audit import Audited, AuditSettings

MOST_DISTINCT = 10_000
"""The number of different results that are kept. Jobs of one template have equal ones, kept once."""


class _Known(NamedTuple):
    uid: str
    version: str
    found: Audited


class UnchangedObjects:
    """The results of the audit before, by object. An audit calls begin, of and keep, and end."""

    def __init__(self) -> None:
        self._settings: AuditSettings | None = None
        self._before: dict[str, _Known] = {}
        self._current: dict[str, _Known] = {}
        self._distinct: dict[Audited, Audited] = {}

    def begin(self, settings: AuditSettings) -> None:
        """Begin an audit. With other settings than those of the audit before, nothing is known."""
        if self._settings is None or not settings.judge_like(self._settings):
            self._before, self._distinct = {}, {}
        self._settings, self._current = settings, {}

    def of(self, stored: dict[str, Any]) -> Audited | None:
        """Return the result of an object; None if it is not known, or has changed."""
        known = self._before.pop(stored["metadata"]["uid"], None)
        if known is None or known.version != stored["metadata"].get("resourceVersion"):
            return None
        self._current[known.uid] = known
        return known.found

    def keep(self, stored: dict[str, Any], found: Audited) -> None:
        """Keep the result of an object, unless too many different ones are kept."""
        uid, version = stored["metadata"]["uid"], stored["metadata"].get("resourceVersion")
        if not isinstance(version, str):
            return
        kept = self._distinct.get(found)
        if kept is None and len(self._distinct) < MOST_DISTINCT:
            kept = self._distinct[found] = found
        if kept is not None:
            self._current[uid] = _Known(uid, version, kept)

    def end(self, *, complete: bool) -> None:
        """End the audit; forget the objects that a complete audit did not read."""
        self._before = self._current if complete else {**self._before, **self._current}
        self._current = {}
        if complete:
            self._distinct = {each.found: each.found for each in self._before.values()}
