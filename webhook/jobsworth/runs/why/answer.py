"""A diagnosis with all that a report shows beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.settings import deviations
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.replay.planner_replay import Replay, replay
from jobsworth.runs.replay.policy_comparison import (
    PolicyComparison,
    as_new,
    compare_policies,
    with_policy,
)
from jobsworth.runs.why.decisions import gaps
from jobsworth.runs.why.diagnosis import Diagnosis, unknowns
from jobsworth.runs.why.saved_objects import AnyDiagnosis
from jobsworth.validation.engine import engine_for


@dataclass(frozen=True, slots=True)
class Answer:
    """A diagnosis, and how it is illustrated.

    Attributes:
        rule_places: by name of a rule of a Job's failure policy, the file and line where it stands.
        replayed: the planner's decisions about the recorded facts; None if they are not asked for.
        comparison: with another failure policy; None if it is not asked for.
        deviations: how the controller of the release that was asked for differs from the planner: clauses.
    """

    diagnosis: AnyDiagnosis
    rule_places: Mapping[str, str] = field(default_factory=dict)
    replayed: Replay | None = None
    comparison: PolicyComparison | None = None
    deviations: tuple[str, ...] = ()

    @property
    def job(self) -> Diagnosis | None:
        """The diagnosis of the Job, or of the Job that decides; None without one."""
        found = self.diagnosis
        return found if isinstance(found, Diagnosis) else found.job

    def unknown(self) -> list[str]:
        """Return what is not known of the Job, in sentences."""
        job, replayed = self.job, self.replayed
        if job is None:
            return []
        found = [*unknowns(job.recording)]
        if replayed is not None:
            found += gaps(job.recording, replayed)
            if self.deviations:
                differs = "; ".join(self.deviations)
                found.append(f"The decisions are those of Kubernetes 1.36.3, but here: {differs}.")
        return found

    def with_timeline(self, server: ApiServer) -> Answer:
        """Return the same with the planner's decisions.

        Raises:
            BadRecording: there is no Job, or an API server would not have such a Job.
        """
        recording = self._required_job().recording
        _check(as_new(recording.manifest), server, "this Job cannot be one of an API server")
        return replace(self, replayed=replay(recording), deviations=deviations(server))

    def compared(self, name: str, other_spec: Mapping[str, Any], server: ApiServer) -> Answer:
        """Return the same with the planner's decisions, and with a comparison.

        Args:
            name: of the other policy.
            other_spec: the spec of a Job with defaults, whose failure policy is taken.

        Raises:
            BadRecording: as of `with_timeline`, or an API server would reject the Job with this policy.
        """
        shown = self.with_timeline(server)
        recording, replayed = self._required_job().recording, shown.replayed
        assert replayed is not None
        what = f"the API server rejects Job {recording.job.name} with the failure policy of {name}"
        _check(as_new(with_policy(recording.manifest, other_spec)), server, what)
        return replace(shown, comparison=compare_policies(recording, replayed, name, other_spec))

    def _required_job(self) -> Diagnosis:
        if self.job is None:
            raise BadRecording("there is no Job whose Pods could be shown")
        return self.job


def _check(manifest: dict[str, Any], server: ApiServer, what: str) -> None:
    errors = [each for each in engine_for(server).validate(manifest) if each.severity == "error"]
    if errors:
        raise BadRecording(
            "\n".join([f"{what}:", *(f"{each.field}: {each.message}" for each in errors)])
        )
