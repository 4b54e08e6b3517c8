"""Apply the defaults of policies to stored CronJobs, and to Jobs that have not started.

:mod:`jobsworth.evaluation.defaults_plan` plans. Here each plan is tried first (a dry run of the API
server), then applied, then reported in an Event with the differences. A process that ends at any point
leaves each object as it was or with all its defaults; a repetition writes neither object nor Event again.

The Event follows the write, so that none reports a change that was not made: after an Event, the write could
still fail, or be overtaken by another policy. A process that dies between the two loses the Event of one
object; ``managedFields`` still records the fields and the time, under our field manager.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import APPLY, METADATA_ONLY, Api
from jobsworth.client.api_resources import BATCH, resource_path
from jobsworth.client.paging import PAGE_SIZE, resumed_pages
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.controller import signals, well_known_names
from jobsworth.controller.signals import Count, Event
from jobsworth.controller.well_known_names import (
    DEFAULTS_APPLIED,
    DEFAULTS_CONFLICT,
    DEFAULTS_FAILED,
    DEFAULTS_PLANNED,
    DEFAULTS_RESULTS,
)
from jobsworth.evaluation.defaults_plan import DefaultsPlan, plan_defaults
from jobsworth.policy.document import APPLY as APPLIES
from jobsworth.provenance.field_ownership import POLICY_MANAGER
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.policy_review import ActivePolicies

Labels = Mapping[str, str]

KINDS = {"CronJob": "cronjobs", "Job": "jobs"}
APPLIED, PLANNED, REJECTED = "PolicyApplied", "PolicyPlanned", "PolicyNotApplied"
"""Reasons of Events."""


class StoredDefaults:
    """Applies the defaults of the active policies to all stored objects, one after another.

    Args:
        limit: limits the number of objects that are changed per second.
        namespace: the namespace of the objects; empty for all.
        dry_run: only try the changes, and report them.
        stopped: returns True if the process ends.
    """

    def __init__(
        self,
        api: Api,
        sink: EventSink,
        limit: TokenBucket,
        *,
        namespace: str = "",
        dry_run: bool = False,
        namespace_labels: Callable[[str], Labels | None] = lambda namespace: None,
        stopped: Callable[[], bool] = lambda: False,
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._api = api
        self._sink = sink
        self._limit = limit
        self._namespace = namespace
        self._dry_run = dry_run
        self._namespace_labels = namespace_labels
        self._stopped = stopped
        self._log = log

    def apply(self, active: ActivePolicies) -> Counter[str]:
        """Apply the defaults of the policies with ``reconcile: apply``; return the objects by result."""
        results: Counter[str] = Counter()
        if not any(policy.reconcile == APPLIES for policy in active.policies.policies):
            return results
        for kind, resource in KINDS.items():
            path = resource_path(BATCH, resource, self._namespace)
            try:
                for page in resumed_pages(self._api, path, PAGE_SIZE):
                    for stored in page.items:
                        if self._stopped():
                            return results
                        stored["apiVersion"], stored["kind"] = "batch/v1", kind
                        result = self._apply_one(stored, active)
                        if result:
                            results[result] += 1
            except ApiError as error:
                self._log(f"cannot list the {resource} to apply defaults to: {error}")
        if results:
            counts = ", ".join(
                f"{results[each]} {each}" for each in DEFAULTS_RESULTS if results[each]
            )
            self._log(f"defaults of policies in stored objects: {counts}")
        return results

    def _apply_one(self, stored: dict[str, Any], active: ActivePolicies) -> str:
        """Apply the defaults to one object; return the result, empty if it lacks none."""
        labels = None
        if active.policies.needs_namespace_labels:
            labels = self._namespace_labels(stored["metadata"]["namespace"])
        plan = plan_defaults(stored, active.policies, active.evaluator.server, labels)
        if not plan.changes:
            return ""
        self._limit.wait()
        try:
            self._try(stored, plan)
            if self._dry_run:
                self._report(stored, PLANNED, f"Would set {plan.text}")
                return self._counted(stored, DEFAULTS_PLANNED)
            self._patch(stored, plan, dry_run=False)
        except ApiError as error:
            return self._failed(stored, plan, error)
        self._report(stored, APPLIED, f"Set {plan.text}")
        return self._counted(stored, DEFAULTS_APPLIED)

    def _try(self, stored: dict[str, Any], plan: DefaultsPlan) -> None:
        try:
            self._patch(stored, plan, dry_run=True)
        except ApiError as error:
            # A plan needs no permission to write.
            if not (self._dry_run and error.code == 403):
                raise

    def _patch(self, stored: dict[str, Any], plan: DefaultsPlan, *, dry_run: bool) -> None:
        assert plan.body is not None
        metadata = stored["metadata"]
        # The plan is for this version of the object: a Job that starts meanwhile is left alone.
        version = {"resourceVersion": metadata["resourceVersion"]}
        body = {**plan.body, "metadata": {**plan.body["metadata"], **version}}
        path = resource_path(BATCH, KINDS[stored["kind"]], metadata["namespace"], metadata["name"])
        query = {"fieldManager": POLICY_MANAGER, "force": "false"}
        self._api.request(
            "PATCH",
            path,
            body,
            query={**query, "dryRun": "All"} if dry_run else query,
            content_type=APPLY,
            accept=METADATA_ONLY,
        )

    def _failed(self, stored: dict[str, Any], plan: DefaultsPlan, error: ApiError) -> str:
        if error.not_found or (error.code == 409 and "FieldManagerConflict" not in error.causes):
            return ""  # the object has changed or is deleted: plan it again in the next round
        result = DEFAULTS_CONFLICT if error.code == 409 else DEFAULTS_FAILED
        if error.code in (409, 422):
            self._report(stored, REJECTED, f"Cannot set {plan.text}: {error.message}")
        else:
            metadata = stored["metadata"]
            place = f"{metadata['namespace']}/{stored['kind']}/{metadata['name']}"
            self._log(f"cannot apply defaults to {place}: {error}")
        return self._counted(stored, result)

    def _report(self, stored: dict[str, Any], reason: str, message: str) -> None:
        kind = signals.WARNING if reason == REJECTED else signals.NORMAL
        self._sink.write(stored["metadata"], Event(kind, reason, message), stored["kind"])

    def _counted(self, stored: dict[str, Any], result: str) -> str:
        labels = (("kind", stored["kind"]), ("result", result))
        self._sink.count(Count(well_known_names.POLICY_DEFAULTS, labels))
        return result
