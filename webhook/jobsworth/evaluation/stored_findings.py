"""Findings of single lint rules about a stored Job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding

Object = dict[str, Any]


def job_findings(server: ApiServer) -> Callable[[Object, frozenset[str]], Sequence[Finding]]:
    """Return a function that returns the findings of some lint rules about a Job of an API server.

    Only these rules run, on what a client may have written: a diagnosis asks for the few rules that concern
    its cause.
    """

    def findings(job: Object, codes: frozenset[str]) -> Sequence[Finding]:
        from jobsworth.lint.selection import Selection, linter_of
        from jobsworth.provenance.generated_fields import strip_generated
        from jobsworth.provenance.server_defaults import strip_defaults
        from jobsworth.validation.engine import engine_for

        engine = engine_for(server)
        manifest = strip_generated({**job, "apiVersion": "batch/v1", "kind": "Job"})
        written = engine.decode_object(strip_defaults(manifest, server))
        return linter_of(Selection(select=codes)).lint(written, engine)

    return findings
