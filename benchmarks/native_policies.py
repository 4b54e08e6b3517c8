"""Compare the latency of a create under an exported policy with that under the webhook, and under both.

    tests/cluster/install && python benchmarks/native_policies.py [--creates 1000] [--clients 1]

One API server and four namespaces: without admission; with the ValidatingAdmissionPolicy that `jobsworth
policy export` writes for the policy of ``admission_latency_rules.py``; with the webhook (mutating and
validating); and with both, where the webhook leaves to the API server what that enforces. The same Job is
created in the four in turn. With ``--defaults`` these are the MutatingAdmissionPolicies for the defaults of
that policy, and the mutating webhook alone, which in the last namespace finds nothing left to set. The output
is the duration of a create, its ratio to that without admission, and the difference.
"""

from __future__ import annotations

import argparse
import base64
import copy
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests"), str(ROOT / "benchmarks")]

import yaml  # noqa: E402
from admission_latency import WARM_UP, measure, print_table, webhook  # noqa: E402
from admission_latency_rules import (  # noqa: E402
    JOB,
    JOB_POLICY,
    LABEL,
    namespace,
    webhooks,
)

from cluster.bed import TestBed  # noqa: E402
from jobsworth.policy.export.admission_policies import documents  # noqa: E402
from jobsworth.policy.export.exported_policy import (  # noqa: E402
    ExportedPolicy,
    exported_policy,
)
from jobsworth.policy.export.mutating_policies import mutating_policies  # noqa: E402
from jobsworth.policy.reader import read  # noqa: E402

WAYS = {
    "none": "no admission",
    "native": "exported policy",
    "webhook": "webhook",
    "both": "exported policy, and the webhook for the rest",
}
ACTIVE_WITHIN_SECONDS = 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--creates", type=int, default=1000, help="creates in each namespace")
    parser.add_argument("--clients", type=int, default=1, help="number of concurrent clients")
    parser.add_argument("--workers", type=int, default=1, help="worker processes of a webhook")
    parser.add_argument("--defaults", action="store_true", help="compare what sets defaults")
    options = parser.parse_args()
    exported = export()
    native = f"--native-policies={exported.name}={exported.hash}"
    with (
        TestBed(audit=False) as bed,
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as other,
        webhook(bed, Path(folder), options.workers) as url,
        webhook(bed, Path(other), options.workers, native) as url_of_both,
    ):
        ca_bundle = base64.b64encode(bed.ca.certificate).decode()
        for name in WAYS:
            bed.create(namespace(name))
        used = [
            *webhooks(url, ca_bundle, ["webhook"], ["webhook"]),
            *map(second, webhooks(url_of_both, ca_bundle, ["both"], ["both"])),
            *enforced_in(["native", "both"], exported, defaults=options.defaults),
        ]
        for each in used:
            if not (options.defaults and each["kind"].startswith("Validating")):
                bed.create(each)
        for name in WAYS:
            await_active(bed, name, defaults=options.defaults)
        measure(bed, list(WAYS), WARM_UP, options.clients)
        taken = measure(bed, list(WAYS), options.creates, options.clients)
        print_table(taken, WAYS, bed.release, options)


def export() -> ExportedPolicy:
    """Export the policy."""
    value: dict[str, Any] = yaml.safe_load(JOB_POLICY)
    (policy,) = read([value]).policies
    return exported_policy(value, policy, 36)


def enforced_in(
    ways: list[str], exported: ExportedPolicy, *, defaults: bool
) -> list[dict[str, Any]]:
    """Return the documents of an export, for the namespaces with these kinds of admission."""
    if defaults:
        found, _ = mutating_policies(read([yaml.safe_load(JOB_POLICY)]).policies)
    else:
        found = documents(exported.admission_policies, {exported.name: exported.hash})
    for each in found:
        if "matchConstraints" in each["spec"]:
            selector = each["spec"]["matchConstraints"]["namespaceSelector"]
            selector["matchExpressions"].append({"key": LABEL, "operator": "In", "values": ways})
    return found


def second(configuration: dict[str, Any]) -> dict[str, Any]:
    """Return a webhook configuration with another name."""
    metadata = {**configuration["metadata"], "name": f"{LABEL}-2"}
    return {**configuration, "metadata": metadata}


def await_active(bed: TestBed, name: str, *, defaults: bool) -> None:
    """Wait until a Job gets its defaults, or one that violates the policy is denied, where it should be."""
    job = copy.deepcopy(JOB)
    if not defaults:
        job["spec"]["backoffLimit"] = 11
    path = f"/apis/batch/v1/namespaces/bench-{name}/jobs?dryRun=All"
    until = time.monotonic() + ACTIVE_WITHIN_SECONDS
    while True:
        answer = bed.request("POST", path, job)
        unchanged = "ttlSecondsAfterFinished" not in answer.body.get("spec", {})
        if (answer.code == 201 and (unchanged or not defaults)) == (name == "none"):
            return
        if time.monotonic() > until:
            raise SystemExit(f"unexpected result in bench-{name}")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
