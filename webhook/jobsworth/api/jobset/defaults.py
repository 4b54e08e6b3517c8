"""The defaults of JobSet's mutating webhook ``mjobset.kb.io``, which only creates reach.

Source: ``Default`` in ``pkg/webhooks/jobset_webhook.go``, JobSet 0.8 to 0.12.
"""

from __future__ import annotations

from typing import Any

COMPLETION_MODE = "Indexed"
RESTART_POLICY = "OnFailure"


def fill_in_defaults(job_set: dict[str, Any]) -> None:
    """Fill in the defaults of a decoded JobSet, in place."""
    spec = job_set["spec"]
    spec.setdefault("successPolicy", {"operator": "All"})
    spec.setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    for job in spec.get("replicatedJobs", ()):
        template = job["template"]["spec"]
        template.setdefault("completionMode", COMPLETION_MODE)
        template["template"]["spec"].setdefault("restartPolicy", RESTART_POLICY)
    network = spec.setdefault("network", {})
    network.setdefault("enableDNSHostnames", True)
    network.setdefault("publishNotReadyAddresses", True)
    for index, rule in enumerate(spec.get("failurePolicy", {}).get("rules", ())):
        rule.setdefault("name", f"failurePolicyRule{index}")
    for policy in spec.get("volumeClaimPolicies", ()):
        policy.setdefault("retentionPolicy", {"whenDeleted": "Delete"})
