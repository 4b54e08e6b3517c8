"""Record what kube-apiserver's admission plugin answers under published policies, in ``tests/recorded/data``.

    tests/cluster/install --only admission-policies
    cd tests
    PYTHONPATH=../webhook:. python -m cluster.admission_policy_recording

A line per policy: its ``name``, and ``failed``: of each request the messages of the failed validations.
"""

from __future__ import annotations

import json
import lzma

from cluster.native_policies import Request, reviews
from jobsworth.policy.request import PolicyRequest
from support.policy.published_policies import ANSWERS, published_objects, requests


def main() -> None:
    asked = requests()
    answers = reviews(published_objects(), [as_sent(each) for each in asked])
    lines = [
        {
            "name": name,
            "failed": [[each["message"] for each in one.get("failures", ())] for one in found],
        }
        for name, found in sorted(answers.items())
    ]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    ANSWERS.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    denied = sum(bool(messages) for line in lines for messages in line["failed"])
    print(f"{len(lines)} policies, {len(asked)} requests, {denied} denials")


def as_sent(request: PolicyRequest) -> Request:
    """A request in the form of the program."""
    sent: Request = {
        "operation": request.operation,
        "object": request.object,
        "namespace": request.namespace,
        "name": request.name,
        "userInfo": {"username": request.user, "groups": list(request.groups)},
        "namespaceObject": {"metadata": {"labels": dict(request.namespace_labels or {})}},
    }
    if request.old is not None:
        sent["oldObject"] = request.old
    return sent


if __name__ == "__main__":
    main()
