"""The reasons for which a scheduled time of a CronJob starts no Job, or starts one late."""

from __future__ import annotations

from typing import Literal

MissReason = Literal[
    "Suspended",
    "ControllerAway",
    "JobAlreadyActive",
    "StartingDeadline",
    "ScheduleEdited",
    "NothingFound",
]

WORDS: dict[MissReason, str] = {
    "Suspended": "the CronJob was suspended",
    "ControllerAway": "the controller did not run",
    "JobAlreadyActive": "the previous Job was still running (concurrencyPolicy: Forbid)",
    "StartingDeadline": "startingDeadlineSeconds was over",
    "ScheduleEdited": "the schedule was edited",
    "NothingFound": "the controller's estimate of missed times does not find it",
}
