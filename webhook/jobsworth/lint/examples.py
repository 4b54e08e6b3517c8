"""The manifests that rules show: the text around the few lines that a rule is about."""

from __future__ import annotations

HEAD = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
"""

POD = """\
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/train:1.4
"""

INDEXED = """\
  completionMode: Indexed
  completions: 20
  parallelism: 5
"""

CRON_HEAD = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
"""

CRON_POD = """\
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: registry.example.com/report:1.4
"""

JSON = """\
{
  "apiVersion": "batch/v1",
  "kind": "Job",
  "metadata": {"name": "train", "annotations": {"example.com/customer": "CUSTOMER"}},
  "spec": {
    "template": {
      "spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "registry.example.com/train:1.4"}]
      }
    }
  }
}
"""


def job(spec: str, template: str = POD) -> str:
    """A Job's manifest.

    Args:
        spec: the lines of its spec above the template, indented by two spaces.
        template: the lines of its template, likewise.

    >>> print(job("  backoffLimit: 3\\n").partition("template:")[0])
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: train
    spec:
      backoffLimit: 3
    <BLANKLINE>
    """
    return HEAD + spec + template


def policy(rules: str, spec: str = "", template: str = POD) -> str:
    """The manifest of a Job with a failure policy.

    Args:
        rules: the lines of its rules, indented by six spaces.
        spec: further lines of its spec, indented by two.
        template: the lines of its template, likewise.
    """
    head = "  podReplacementPolicy: Failed\n  podFailurePolicy:\n    rules:\n"
    return job(spec + head + rules, template)


def cron_job(
    spec: str, job_spec: str = "", template: str = CRON_POD, *, name: str = "report"
) -> str:
    """The manifest of a CronJob.

    Args:
        spec: the lines of its spec above the template of its Jobs, indented by two spaces.
        job_spec: the lines of the Jobs' spec above their template, indented by six.
        template: the lines of the Jobs' template, likewise.
        name: what it is called.
    """
    return (
        CRON_HEAD.replace("report", name)
        + spec
        + "  jobTemplate:\n    spec:\n"
        + job_spec
        + template
    )
