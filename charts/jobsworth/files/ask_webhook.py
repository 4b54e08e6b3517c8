"""Send a Job to the webhook as an API server does, and fail if the response is invalid."""

import json
import os
import ssl
import urllib.request

UID = "00000000-0000-4000-8000-000000000001"
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "example", "namespace": "default"},
    "spec": {
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox:1.36"}],
            }
        }
    },
}
REVIEW = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {
        "uid": UID,
        "operation": "CREATE",
        "kind": {"group": "batch", "version": "v1", "kind": "Job"},
        "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
        "name": "example",
        "namespace": "default",
        "dryRun": True,
        "userInfo": {"username": "helm-test"},
        "object": JOB,
    },
}

trusted = ssl.create_default_context(cadata=os.environ.get("CA") or None)
for path in os.environ["PATHS"].split():
    url = f"{os.environ['WEBHOOK']}{path}"
    request = urllib.request.Request(
        url, json.dumps(REVIEW).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10, context=trusted) as answer:
        response = json.load(answer)["response"]
    assert response["uid"] == UID, response
    assert isinstance(response["allowed"], bool), response
    print(f"{url}: allowed: {response['allowed']}")
