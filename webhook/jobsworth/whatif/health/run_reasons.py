"""The reasons for which a scheduled time started no Job, started one late, or cannot be accounted for."""

from __future__ import annotations

from typing import Literal

from jobsworth.whatif.miss_reasons import WORDS, MissReason

RunReason = (
    MissReason
    | Literal[
        "EditedMeanwhile",
        "JobRejected",
        "NotStarted",
        "NotYet",
        "JobRemoved",
        "NoJob",
        "SpecEdited",
    ]
)

REASON_WORDS: dict[str, str] = {
    **{str(reason): words for reason, words in WORDS.items()},
    "ControllerAway": "the CronJob controller was away (no CronJob started a Job at that time)",
    "EditedMeanwhile": "the CronJob was resumed or its spec edited after the scheduled time",
    "JobRejected": "the API server rejected the Job",
    "NotStarted": (
        "no Job was created, and no stored object shows why: the CronJob controller was away, or the API "
        "server rejected the Job"
    ),
    "JobRemoved": (
        "history limits, a TTL or a replacement may have removed the Job, if there was one"
    ),
    "NoJob": ("no Job is stored: it was not created, or a user deleted it"),
    "SpecEdited": "the spec was edited later, and may have had another schedule then",
    "NotYet": "it was due a moment ago",
}
"""Each reason in words."""
