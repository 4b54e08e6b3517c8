"""The JSON Schema (2020-12) of a JobScenario, for editors and for the reader."""

from __future__ import annotations

from typing import Any

from jobsworth.whatif.failure_causes import DISRUPTIONS
from jobsworth.whatif.pending_causes import PENDING_CAUSES
from jobsworth.whatif.simulation import number_ranges
from jobsworth.whatif.simulation.scenario import API_VERSION, KIND

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IDENTIFIER = "https://jobsworth.dev/schemas/jobscenario.json"

DURATION = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$|^0$"
DURATION_OR_NEVER = rf"{DURATION}|^never$"
START = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?$"
PATTERNS = {
    DURATION: "a duration, such as 90s or 1h30m",
    DURATION_OR_NEVER: "a duration, such as 90s or 1h30m, or never",
    START: "a date or a time in UTC, such as 2027-01-01 or 2027-01-01T06:30Z",
    number_ranges.PATTERN: "a number or ranges, such as 3, 0-4,7 or 5-",
}
"""A phrase for each pattern of the schema, which completes "must be …"."""

MAX_ITEMS = 1000


def scenario_schema() -> Schema:
    """Return the JSON Schema of a JobScenario."""
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": f"{KIND} ({API_VERSION})",
        **_closed(
            "What happens to Pods, nodes and the controller while a Job or CronJob runs.",
            {
                "apiVersion": {"const": API_VERSION, "description": "The version of the format."},
                "kind": {"const": KIND, "description": "The kind of the document."},
                "metadata": _closed(
                    "The metadata of the scenario.",
                    {"name": _text("The name, shown in reports.")},
                    required=["name"],
                ),
                "spec": _spec(),
            },
            required=["apiVersion", "kind", "spec"],
        ),
    }


def _spec() -> Schema:
    return _closed(
        "The scenario. All times count from its start.",
        {
            "description": _text("What the scenario is about."),
            "start": {
                "type": "string",
                "pattern": START,
                "description": "The date and time (UTC) at which it starts; 2027-01-01 by default.",
            },
            "until": _duration("The time at which the simulation ends; 168h by default."),
            "pods": _pods(),
            "disruptions": _list("What disrupts running Pods.", _disruption()),
            "capacity": _list(
                "The number of Pods for which the cluster has room. Further Pods stay Pending. A smaller "
                "number stops no Pod: add a disruption.",
                _closed(
                    "A change of the capacity.",
                    {"at": _duration("When."), "pods": _number("For how many Pods.")},
                    required=["at", "pods"],
                ),
            ),
            "rejections": _list(
                "Periods in which the API server rejects new Pods.",
                _closed(
                    "A period.",
                    {**_period(), "message": _text("The message of the API server.")},
                    required=["from", "until"],
                ),
            ),
            "changes": _list(
                "Edits of the Job or CronJob.",
                _closed(
                    "An edit.",
                    {
                        "at": _duration("When."),
                        "spec": {
                            "type": "object",
                            "description": "Fields of the spec with their new values: suspend, "
                            "parallelism, schedule and others that the API server lets change.",
                        },
                    },
                    required=["at", "spec"],
                ),
            ),
            "controllerAway": _list(
                "Periods in which the Job and CronJob controllers do not run.",
                _closed("A period.", _period(), required=["from", "until"]),
            ),
            "runNow": _duration_list(
                "When a user creates a Job from the CronJob (kubectl create job --from); one time or a list."
            ),
        },
    )


def _pods() -> Schema:
    return _closed(
        "How Pods go.",
        {
            **_life("5s", "10m", "2s"),
            "terminationExitCode": _exit_code("The exit code after SIGTERM; 143 by default."),
            "cases": _list(
                "Pods that go differently. The first case that selects a Pod applies. The "
                "probabilities of cases add up: with 0.02 and 0.01, the second applies to 1 % of all Pods.",
                _closed(
                    "A case.",
                    {
                        **_selector(),
                        **_life("", "", ""),
                        "exitCode": _exit_code(
                            "The exit code of the container at the end of its duration; 0 by default."
                        ),
                        "reason": _text(
                            "The termination reason; by default Completed, Error, or OOMKilled for 137."
                        ),
                        "container": _text("The container that exits; by default the first."),
                        "terminationExitCode": _exit_code("The exit code after SIGTERM."),
                    },
                ),
            ),
        },
    )


def _life(startup: str, duration: str, termination: str) -> Schema:
    def text(words: str, default: str) -> str:
        return f"{words}; {default} by default." if default else f"{words}."

    return {
        "startup": _distribution(text("From a free place on a node to Running", startup)),
        "cause": {
            "enum": list(PENDING_CAUSES),
            "description": "The cause for which the Pods do not start: for good, or until startup is over "
            "if that is set. With quota the API server rejects them, in the period of the case.",
        },
        "duration": _distribution(text("From Running to the exit of the container", duration)),
        "termination": _distribution(
            text(
                "From SIGTERM to the exit of the container; at the end of the grace period it is "
                "killed with 137",
                termination,
            )
        ),
    }


def _selector() -> Schema:
    return {
        "indexes": _ranges("Completion indexes: 3, 0-4,7 or 5-."),
        "attempts": _ranges(
            "Attempts: 1 is the first Pod of an index. Of a Job that is not Indexed, the number of the "
            "Pod in the order of creation."
        ),
        "runs": _ranges(
            "The Jobs of a CronJob, or the attempts of a JobSet, counted from 1: attempt 2 follows the first "
            "restart."
        ),
        "replicatedJobs": {
            "type": ["string", "array"],
            "items": _text("A name."),
            "maxLength": 4096,
            "maxItems": MAX_ITEMS,
            "description": "The ReplicatedJobs of a JobSet, by name; by default all. One name or a list.",
        },
        **_period(),
        "probability": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "The share of these Pods; 1 by default.",
        },
    }


def _disruption() -> Schema:
    return _closed(
        "A disruption: at times, or after a time that each Pod has run.",
        {
            "cause": {"enum": list(DISRUPTIONS), "description": "What happens to the Pods."},
            "at": _duration_list("When; one time or a list."),
            "every": _distribution("Repeat it: the time from one to the next."),
            "pods": _number("How many of the selected Pods; by default all, or the share."),
            "share": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "The share of the selected running Pods, rounded up.",
            },
            "after": _distribution("How long a Pod has run."),
            "gracePeriod": _duration(
                "The longest time from SIGTERM to SIGKILL; by default that of the Pod or the cause."
            ),
            "nodeGoneAfter": _duration(
                "Of NodeLost: from the loss until the node object is deleted, so that its Pods end; by "
                "default they stay Terminating."
            ),
            **_selector(),
        },
        required=["cause"],
    )


def _period() -> Schema:
    return {"from": _duration("The begin."), "until": _duration("The end, exclusive.")}


def _distribution(description: str) -> Schema:
    one = _duration("A duration.")
    return {
        "type": ["string", "object"],
        "pattern": DURATION_OR_NEVER,
        "description": f"{description} A duration, never, or a distribution.",
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            "uniform": _closed("Evenly.", {"min": one, "max": one}, required=["min", "max"]),
            "exponential": _closed(
                "The time to the next of random events.", {"mean": one}, required=["mean"]
            ),
            "normal": _closed(
                "A bell curve.", {"mean": one, "deviation": one}, required=["mean", "deviation"]
            ),
            "logNormal": _closed(
                "A median and a long tail.",
                {"median": one, "p95": one},
                required=["median", "p95"],
            ),
            "weibull": _closed(
                "Wear (shape above 1) or early failures (below 1).",
                {
                    "scale": one,
                    "shape": {
                        "type": "number",
                        "minimum": 0.05,
                        "maximum": 100,
                        "description": "The shape.",
                    },
                },
                required=["scale", "shape"],
            ),
            "observed": {
                "type": "array",
                "items": one,
                "minItems": 1,
                "maxItems": 100000,
                "description": "Measured durations, each as likely.",
            },
        },
    }


def _duration(description: str) -> Schema:
    return {
        "type": "string",
        "pattern": DURATION,
        "maxLength": 40,
        "description": f"{description} A duration such as 90s or 1h30m.",
    }


def _duration_list(description: str) -> Schema:
    return {
        "type": ["string", "array"],
        "pattern": DURATION,
        "items": _duration("When."),
        "maxItems": MAX_ITEMS,
        "description": description,
    }


def _ranges(description: str) -> Schema:
    return {
        "type": ["string", "integer"],
        "pattern": number_ranges.PATTERN,
        "minimum": 0,
        "maximum": 999999999,
        "maxLength": 4096,
        "description": description,
    }


def _exit_code(description: str) -> Schema:
    return {
        "type": "integer",
        "minimum": -(2**31),
        "maximum": 2**31 - 1,
        "description": description,
    }


def _number(description: str) -> Schema:
    return {"type": "integer", "minimum": 0, "maximum": 10**6, "description": description}


def _text(description: str) -> Schema:
    return {"type": "string", "maxLength": 4096, "description": description}


def _list(description: str, item: Schema) -> Schema:
    return {"type": "array", "items": item, "maxItems": MAX_ITEMS, "description": description}


def _closed(description: str, fields: Schema, required: list[str] | None = None) -> Schema:
    closed: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": fields,
        "description": description,
    }
    if required:
        closed["required"] = required
    return closed
