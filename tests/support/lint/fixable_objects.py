"""Objects that have findings with fixes: an example for each fix, and random variations of the examples.

>>> variation(LINTED["JW207"], 3) == variation(LINTED["JW207"], 3)
True
"""

from __future__ import annotations

import copy
import random
from typing import Any

from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.jobset.job_set import JobSet
from jobsworth.api.kinds import Job
from jobsworth.findings.edits import at, locate
from jobsworth.lint.linter import RULES
from jobsworth.lint.pages import explanation
from jobsworth.manifests import read_text
from support.lint.linted_jobs import cron_job, job, on_codes, with_policy
from support.lint.texts_with_neighbors import jobs_in, neighbors_in
from support.random_objects.random_edits import paths
from support.random_objects.random_jobs import NUMBERS, decorate

NAMES = ("a", "x" * 52, "x" * 61, "x" * 63)
"""Names at the limits: of a CronJob, of an Indexed Job, of a Job."""


def _bad_example(text: str) -> dict[str, Any]:
    value: dict[str, Any]
    (value,) = jobs_in(text) or [each.value for each in read_text(text.encode(), "job.yaml")]
    return value


LINTED: dict[str, dict[str, Any]] = {
    rule.code: _bad_example(explanation(rule).bad) for rule in RULES if rule.fixable
}
"""The bad example on the page of each lint rule that has a fix, by code."""

BESIDE = {rule.code: neighbors_in(explanation(rule).bad) for rule in RULES if rule.fixable}
"""The objects beside each of these examples, by code."""

MAIN = {"name": "main", "image": "busybox:1.36"}
MOUNTS = [{"name": "dta", "mountPath": "/data"}]
INDEXED = {"completionMode": "Indexed", "completions": 4}


def _container(**fields: Any) -> dict[str, Any]:
    return job({"containers": [{**MAIN, **fields}]})


def _labelled(label: str, text: str) -> dict[str, Any]:
    value = job()
    value["spec"]["template"]["metadata"] = {"labels": {label: text}}
    return value


def _without(value: dict[str, Any], field: str) -> dict[str, Any]:
    del value["spec"]["template"]["spec"][field]
    return value


def _named(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {**value, "metadata": {"name": name}}


REJECTED: dict[str, dict[str, Any]] = {
    "a misspelled field": job(backofLimit=3),
    "a container that the Pod does not have": job(
        podFailurePolicy={
            "rules": [
                {
                    "action": "FailJob",
                    "onExitCodes": {"containerName": "mian", "operator": "In", "values": [1]},
                }
            ]
        }
    ),
    "a field in another case": job(BackoffLimit=3),
    "a misplaced field": job({"backoffLimit": 3}),
    "a misplaced field, twice": job({"backoffLimit": 3}, backoffLimit=3),
    "a number in quotes": job(backoffLimit="3"),
    "a whole number with a fraction": job(backoffLimit=3.0),
    "a Boolean in quotes": job(suspend="False"),
    "a number where text belongs": _container(env=[{"name": "A", "value": 1}]),
    "a single value where a list belongs": _container(command="true"),
    "a command line that is one text": _container(command="python run.py --all"),
    "a command line for a shell": _container(command="dump | gzip > out"),
    "a script that is not in a list": _container(command=["sh", "-c"], args="dump a && load b"),
    "a map of variables": _container(env={"MODE": "fast", "LEVEL": 3}),
    "a map of volumes": job({"volumes": {"data": {"emptyDir": {}}}}),
    "a container that is not in a list": job({"containers": {"name": "main", "image": "a:1"}}),
    "a variable as for a shell": _container(env=[{"name": "A", "value": "b"}, "MODE=fast"]),
    "a port that is not in a list": _container(ports=8080),
    "a list of port numbers": _container(ports=[8080, "9090"]),
    "a mount as for Docker": _container(volumeMounts=["data:/data"]),
    "a secret without a list": job({"imagePullSecrets": "registry"}),
    "the names of secrets": job({"imagePullSecrets": ["registry", "mirror"]}),
    "the name of a source": _container(envFrom=[{"configMapRef": "settings"}]),
    "the name of a volume's claim": job(
        {"volumes": [{"name": "a", "persistentVolumeClaim": "data"}]}
    ),
    "an empty object where a list belongs": job({"tolerations": {}}),
    "an empty list where a map belongs": job({"nodeSelector": []}),
    "an empty list where an object belongs": job({"securityContext": []}),
    "an empty volume without an object": job({"volumes": [{"name": "a", "emptyDir": ""}]}),
    "a list of objects where a map belongs": job({"nodeSelector": [{"a": "b"}, {"c": "d"}]}),
    "a list of settings where a map belongs": job({"nodeSelector": ["a=b", "c=d"]}),
    "a list of objects where an object belongs": _container(
        resources={"limits": [{"cpu": "1"}, {"memory": "1Gi"}]}
    ),
    "a list where text belongs": _container(image=["a:1"]),
    "text with a colon in a list": _container(args=[{"Accept": "text/html"}]),
    "a range of exit codes": with_policy(
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": ["1-3", 7]}}
    ),
    "yes for true": job(suspend="yes"),
    "0 for false": job(suspend=0),
    "a file mode in quotes": job({"volumes": [{"name": "a", "secret": {"defaultMode": "0400"}}]}),
    "a file mode without a leading zero": job(
        {
            "volumes": [
                {"name": "a", "configMap": {"name": "a", "defaultMode": 755}},
                {
                    "name": "b",
                    "secret": {
                        "secretName": "b",
                        "items": [{"key": "k", "path": "p", "mode": 777}],
                    },
                },
            ]
        }
    ),
    "a name with a zero-width space": {**job(), "metadata": {"name": "a\u200b"}},
    "a name with a blank at its end": {**job(), "metadata": {"name": "a "}},
    "a label with a no-break space": {
        **job(),
        "metadata": {"name": "a", "labels": {"b": "\u00a0c"}},
    },
    "a name of an account with a blank": job({"serviceAccountName": " runner"}),
    "a variable with a no-break space": _container(env=[{"name": "A\u00a0", "value": "1"}]),
    "a value in curly quotes": job(completionMode="\u2018Indexed\u2019", completions=2),
    "a schedule in curly quotes": cron_job(job(), schedule="\u201c0 3 * * *\u201d"),
    "a time zone with a no-break space": cron_job(job(), timeZone="Etc/UTC\u00a0"),
    "a schedule with seconds": cron_job(job(), schedule="0 0 10 * * ?"),
    "a schedule with a year": cron_job(job(), schedule="0 12 * * * 2026"),
    "a schedule of Amazon EventBridge": cron_job(job(), schedule="cron(0 12 * * ? *)"),
    "a rate": cron_job(job(), schedule="rate(5 minutes)"),
    "a calendar event": cron_job(job(), schedule="Mon..Fri 02:30"),
    "a command as for Docker": _container(cmd=["a"]),
    "the name of a secret, as in a volume": _container(
        envFrom=[{"secretRef": {"secretName": "a"}}]
    ),
    "a duration": job(activeDeadlineSeconds="2h"),
    "no restartPolicy": _without(job(), "restartPolicy"),
    "no restartPolicy beside a failure policy": _without(
        with_policy(on_codes("FailJob", "In", 1)), "restartPolicy"
    ),
    "the restartPolicy of a container": _without(
        _container(restartPolicy="OnFailure"), "restartPolicy"
    ),
    "restarts in the Pod beside a failure policy": with_policy(
        on_codes("FailJob", "In", 1), pod={"restartPolicy": "OnFailure"}
    ),
    "an unsupported restartPolicy": job({"restartPolicy": "Always"}),
    "a misspelled restartPolicy": job({"restartPolicy": "never"}),
    "a limit without the limit per index": job(**INDEXED, maxFailedIndexes=2),
    "an action without the limit per index": with_policy(on_codes("FailIndex", "In", 1), **INDEXED),
    "a condition without a status": cron_job(
        with_policy({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]})
    ),
    "exit codes in disorder": with_policy(on_codes("FailJob", "In", 3, 1, 1)),
    "duplicate exit codes": with_policy(on_codes("FailJob", "In", 1, 1)),
    "exit code 0": with_policy(on_codes("FailJob", "In", 0, 1)),
    "a limit per index without indexes": job(completions=4, backoffLimitPerIndex=1),
    "failed indexes without indexes": job(
        completions=4, backoffLimitPerIndex=1, maxFailedIndexes=2
    ),
    "a success policy without indexes": job(
        completions=4, successPolicy={"rules": [{"succeededCount": 1}]}
    ),
    "a schedule of another cron": cron_job(job(), schedule="0 6 * * 1-7"),
    "a schedule with a time zone": cron_job(job(), schedule="TZ=Europe/Berlin 0 6 * * *"),
    "a word for a schedule": cron_job(job(), schedule="daily"),
    "a misspelled time zone": cron_job(job(), timeZone="europe/berlin"),
    "a time zone of another region": cron_job(job(), timeZone="US/New_York"),
    "a written selector": job(selector={"matchLabels": {"app": "a"}}),
    "a selector in a CronJob": cron_job(job(selector={"matchLabels": {"app": "a"}})),
    "a manual selector in a CronJob": cron_job(job(manualSelector=True)),
    "a generated label": _labelled("batch.kubernetes.io/job-name", "other"),
    "a name that is none": _named(job(), "Train_Model"),
    "a name that is none, of a CronJob": _named(cron_job(job()), "Train_Model"),
    "a name that is not a hostname": _named(job(**INDEXED), "train.model"),
    "an unsupported podReplacementPolicy": with_policy(
        on_codes("FailJob", "In", 1), podReplacementPolicy="TerminatingOrFailed"
    ),
    "a misspelled podReplacementPolicy": job(podReplacementPolicy="failed"),
    "a misspelled operator": with_policy(on_codes("FailJob", "in", 0, 1)),
    "a misspelled volume": job(
        {"containers": [{**MAIN, "volumeMounts": MOUNTS}], "volumes": [{"name": "data"}]}
    ),
    "a volume that is rejected itself": job(
        {
            "containers": [{**MAIN, "volumeMounts": [{**MOUNTS[0], "name": "Data"}]}],
            "volumes": [{"name": "Data"}],
        }
    ),
    "a quantity with another unit": _container(resources={"limits": {"memory": "1gib"}}),
    "a value that JobSet does not know": {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "sample"},
        "spec": {
            "successPolicy": {"operator": "All", "targetReplicatedJobs": ["drivr"]},
            "replicatedJobs": [{"name": "driver", "template": {"spec": job()["spec"]}}],
        },
    },
}
"""An object for each fix of an error of the API server, by what is wrong with it."""

REJECTED_BY = {
    "a condition without a status": "1.33",
}
"""The release that rejects an object, if it is not the latest, and the gates that it needs."""

MISIDENTIFIED: dict[str, dict[str, Any]] = {
    "a misspelled kind": {**job(), "kind": "Jobb"},
    "a kind in another case": {**cron_job(job()), "kind": "cronjob"},
    "a version that was removed": {**cron_job(job()), "apiVersion": "batch/v1beta1"},
    "the first version": {**cron_job(job()), "apiVersion": "batch/v2alpha1"},
    "the first name": {
        **cron_job(job()), "apiVersion": "batch/v2alpha1", "kind": "ScheduledJob"
    },
    "a key in another case": {("apiversion" if key == "apiVersion" else key): part for key, part in job().items()},
    "no version": {key: part for key, part in job().items() if key != "apiVersion"},
    "a reserved group": {**job(), "apiVersion": "batch.k8s.io/v1"},
}  # fmt: skip
"""Objects that are neither a Job nor a CronJob of batch/v1, but were probably meant as one."""


def variation(value: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the object with random changes: other fields, numbers and names, perhaps in a CronJob."""
    rng = random.Random(seed)
    varied = copy.deepcopy(value)
    if varied.get("kind") == "Job" and "apiVersion" in varied and rng.random() < 0.3:
        spec = {"schedule": "0 3 * * *", "jobTemplate": {"spec": varied["spec"]}}
        varied = {**varied, "kind": "CronJob", "spec": spec}
    struct = CronJob if "jobTemplate" in (varied.get("spec") or {}) else Job
    if varied.get("kind") == JobSet.name:
        struct = JobSet
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        change = rng.random()
        if change < 0.6:
            decorate(rng, struct, varied)
        elif change < 0.9:
            _other_number(rng, varied)
        else:
            varied["metadata"] = {**(varied.get("metadata") or {}), "name": rng.choice(NAMES)}
    return varied


def _other_number(rng: random.Random, value: dict[str, Any]) -> None:
    numbers = [(path, part) for path, part in paths(value) if type(part) is int]
    if numbers:
        path, number = rng.choice(numbers)
        steps = locate(value, path).steps
        chosen = rng.choice((number + 1, max(number - 1, 0), *NUMBERS))
        at(value, steps[:-1])[steps[-1]] = chosen
