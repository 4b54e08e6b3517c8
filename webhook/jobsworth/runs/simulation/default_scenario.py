"""The scenario of a Job for which none is given: usual failures, and those that its failure policy names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.api.jobset.names import REPLICATED_JOB
from jobsworth.runs.simulation.scenario import API_VERSION, KIND

NAME = "default"
EXIT_1 = {"probability": 0.02, "exitCode": 1}
_MAX_RULES = 20


def default_scenario(
    job: dict[str, Any], children: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return a JobScenario document, to use or to edit.

    Args:
        job: a Job, a CronJob or a JobSet.
        children: of a JobSet, one Job of each ReplicatedJob.
    """
    spec = job.get("spec") or {}
    spec = (spec.get("jobTemplate") or {}).get("spec") or spec
    cases = [EXIT_1, *_cases(spec)]
    for child in children:
        selected = {"replicatedJobs": child["metadata"]["labels"][REPLICATED_JOB]}
        cases += [{**selected, **case} for case in _cases(child["spec"])]
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": NAME},
        "spec": {
            "description": "Pods of ten minutes, a few failures of each kind that the failure policy "
            "names, and one eviction in 24 hours of each Pod. Put in your own numbers.",
            "until": "168h",
            "pods": {
                "startup": {"uniform": {"min": "2s", "max": "20s"}},
                "duration": {"logNormal": {"median": "10m", "p95": "20m"}},
                "termination": "2s",
                "cases": [*cases, {"probability": 0.01, "exitCode": 137}],
            },
            "disruptions": [
                {"cause": "EvictionAPI", "after": {"exponential": {"mean": "24h"}}},
            ],
        },
    }


def _cases(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a case for each exit code that a rule of the failure policy names first, but for 1."""
    cases: list[dict[str, Any]] = []
    for rule in ((spec.get("podFailurePolicy") or {}).get("rules") or ())[:_MAX_RULES]:
        codes = rule.get("onExitCodes") or {}
        named = [code for code in codes.get("values") or () if code not in (0, 1, 137)]
        if codes.get("operator") != "In" or not named:
            continue
        case = {"probability": 0.005, "exitCode": named[0]}
        if codes.get("containerName"):
            case["container"] = codes["containerName"]
        cases.append(case)
    return cases
