"""The JSON Schema of the JSON reports of ``jobsworth simulate``: of one run or of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from jobsworth.reports.report_schema_parts import (
    DIALECT,
    amount_or_null_schema,
    amount_schema,
    list_schema,
    map_schema,
    number_schema,
    object_schema,
    or_null_schema,
    text_schema,
    version_schema,
)
from jobsworth.reports.simulated_run_schema import run_definitions
from jobsworth.whatif import cron_job_measures, job_set_measures
from jobsworth.whatif.miss_reasons import MissReason
from jobsworth.whatif.run_record import Outcome
from jobsworth.whatif.timelines.record_json import VERSION

if TYPE_CHECKING:
    from typing import Any


def simulation_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": DIALECT,
        "title": "The JSON reports of jobsworth simulate",
        "description": "Of one run, or with --runs, --compare or --sweep the statistics of each variant. "
        "Times are milliseconds since the start of the scenario, and durations milliseconds.",
        "type": "object",
        "required": ["version"],
        "properties": {"version": version_schema(VERSION)},
        "oneOf": [{"$ref": "#/$defs/run"}, {"$ref": "#/$defs/variants"}],
        "$defs": {
            **run_definitions(),
            "variants": object_schema(
                {
                    "variants": list_schema(_variant(), "Each with its statistics."),
                }
            ),
            "interval": _interval(),
        },
    }


def _variant() -> dict[str, Any]:
    outcome = object_schema(
        {
            "outcome": {"enum": list(get_args(Outcome))},
            "reason": {"type": "string"},
            "runs": number_schema(""),
        }
    )
    shares = "the share of the runs; null of CronJobs."
    cron_job = object_schema(
        {
            **{name: _interval_or_null("") for name in cron_job_measures.MEASURES},
            "missedByReason": map_schema(_interval_or_null(""), "By reason.", get_args(MissReason)),
            "withoutFault": _interval_or_null(
                "Runs in which each run that was due started on time."
            ),
        }
    )
    job_set = object_schema({name: _interval_or_null("") for name in job_set_measures.MEASURES})
    return object_schema(
        {
            "variant": text_schema("The file, or the value of the sweep."),
            "runs": number_schema("The number of simulations."),
            "complete": _interval_or_null(f"Complete: {shares}"),
            "failed": _interval_or_null(f"Failed: {shares}"),
            "unfinished": _interval_or_null(f"Unfinished: {shares}"),
            "outcomes": list_schema(outcome, "The most frequent first."),
            "timeToComplete": object_schema(
                {
                    name: _interval_or_null("Of the runs that complete.")
                    for name in ("p5", "p50", "p95", "max")
                }
            ),
            "workDone": _interval_or_null("The share of the completions that succeeded."),
            "succeededIndexes": _interval_or_null("Succeeded completions."),
            "timeTo90": object_schema(
                {
                    name: _interval_or_null(
                        "Until 90 % had succeeded; null for never.", endless=True
                    )
                    for name in ("p50", "p95", "max")
                }
            ),
            "mostPods": _interval_or_null("The greatest number of Pods that run at a time."),
            "overlap": _interval_or_null("The time in which two Pods of one index ran."),
            "pods": _interval_or_null("Created Pods."),
            "podHours": _interval_or_null("Hours for which Pods ran."),
            "wastedPodHours": _interval_or_null("Of Pods whose work was lost."),
            "failedIndexes": _interval_or_null("Indexes that failed for good."),
            "failuresByRule": map_schema(
                _interval_or_null("Failed Pods."), "By rule of the failure policy."
            ),
        },
        {"cronJob": cron_job, "jobSet": job_set},
    )


def _interval() -> dict[str, Any]:
    return {
        **object_schema(
            {"value": amount_schema(""), "low": amount_schema(""), "high": amount_schema("")}
        ),
        "description": "An estimate, and where the true value lies with a probability of 95 %.",
    }


def _interval_or_null(description: str, *, endless: bool = False) -> dict[str, Any]:
    interval: dict[str, Any] = {"$ref": "#/$defs/interval"}
    if endless:
        interval = object_schema(
            {name: amount_or_null_schema("") for name in ("value", "low", "high")}
        )
    return or_null_schema(interval, description)
