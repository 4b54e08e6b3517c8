"""Manifests of any size in which every object has findings with fixes."""

from __future__ import annotations

import json
from textwrap import indent

_JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train-{number}
spec:
  backoffLimit: 3
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes:
          operator: In
          values: [42, 3]  # out of memory
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox:1.36
"""
_CONTAINER = """\
        - name: more-{number}
          image: busybox:1.36
          imagepullPolicy: Always
"""
_JOB_IN_JSON = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "spec": {
        "completions": "3",
        "template": {"spec": {"containers": [{"name": "main", "image": "a:1", "Command": ["a"]}]}},
    },
}


def job(number: int = 0) -> str:
    """A Job with unsorted exit codes."""
    return _JOB.format(number=number)


def documents(count: int) -> str:
    """A file with a Job in each document."""
    return "---\n".join(map(job, range(count)))


def list_of_jobs(count: int) -> str:
    """A List of Jobs."""
    items = (f"- {indent(job(number), '  ')[2:]}" for number in range(count))
    return f"apiVersion: v1\nkind: List\nitems:\n{''.join(items)}"


def list_in_json(count: int) -> str:
    """A List of Jobs as JSON, with misspelt fields and quoted numbers."""
    items = [_JOB_IN_JSON | {"metadata": {"name": f"train-{number}"}} for number in range(count)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2)


def wide_job(count: int) -> str:
    """A Job with a misspelt field in each of so many containers."""
    return job() + "".join(_CONTAINER.format(number=number) for number in range(count))


def labelled_job(count: int) -> str:
    """A Job with so many labels that are not strings."""
    labels = "".join(f"    label-{number}: {number}\n" for number in range(count))
    return job().replace("spec:\n", f"  labels:\n{labels}spec:\n", 1)


MANIFESTS = {
    "documents": documents,
    "List": list_of_jobs,
    "List in JSON": list_in_json,
    "containers of a Job": wide_job,
    "labels of a Job": labelled_job,
}
"""Each makes the text of a file with so many fixable parts."""
