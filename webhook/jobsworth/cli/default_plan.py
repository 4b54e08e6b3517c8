"""``jobsworth reconcile --plan``: the defaults that policies would set in stored objects."""

from __future__ import annotations

import sys

from jobsworth.api.api_server import ApiServer
from jobsworth.audit.audited_objects import AuditProgress, AuditScope, audited_objects
from jobsworth.audit.cluster_audit import Labels
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.evaluation.defaults_plan import plan_defaults
from jobsworth.policy.policy_set import PolicySet
from jobsworth.printable import printable


def print_plan(
    stored_objects: StoredObjects,
    scope: AuditScope,
    policies: PolicySet,
    server: ApiServer,
    labels: Labels,
) -> int:
    """Print the changes of each object on one line, and return the exit code 0.

    Raises:
        ApiError: the cluster cannot be read.
    """
    planned = changes = 0
    progress = AuditProgress()
    for stored in audited_objects(stored_objects, scope, progress):
        metadata = stored["metadata"]
        plan = plan_defaults(stored, policies, server, labels.get(metadata["namespace"]))
        place = f"{metadata['namespace']}/{stored['kind']}/{metadata['name']}"
        for rejected in plan.rejected:
            print(printable(f"{place}: {rejected}"))
        if plan.changes:
            planned += 1
            changes += len(plan.changes)
            print(printable(f"{place}: {plan.text}"))
    print(
        f"{progress.read} objects read: {changes} changes planned in {planned}, by policies with "
        "reconcile: apply",
        file=sys.stderr,
    )
    return 0
