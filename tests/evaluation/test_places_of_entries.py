"""Errors for which the API server names only a map or list: the place is that of the entry."""

from __future__ import annotations

import pytest

from support.cli.command_runs import Validate

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: shop
  labels:
    tier: back
    app: shop
    team: a
  annotations:
    note: fine
    owner: a
  finalizers:
    - example.com/a
    - example.com/b
spec:
  template:
    metadata:
      labels:
        tier: back
        part: db
    spec:
      restartPolicy: Never
      nodeSelector:
        disk: ssd
        pool: big
      topologySpreadConstraints:
        - topologyKey: zone
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              tier: back
              part: db
      containers:
        - name: main
          image: registry.example.com/main:1
          resources:
            requests:
              cpu: 500m
              memory: 1Gi
            limits:
              cpu: 500m
              memory: 1Gi
"""


def places(validate: Validate, text: str) -> set[tuple[str, int, int]]:
    (result,) = validate("-o", "json", "job.yaml", files={"job.yaml": text}).loaded["results"]
    return {
        (found["field"], found["line"], found["column"])
        for found in result["findings"]
        if found["severity"] == "error"
    }


@pytest.mark.parametrize(
    ("old", "new", "field", "place"),
    [
        ("app: shop", "app: ${APP}", "metadata.labels", (7, 10)),
        ("app: shop", "a/b/c: shop", "metadata.labels", (7, 5)),
        ("owner: a", "an owner: a", "metadata.annotations", (11, 5)),
        ("example.com/b", "example.com/", "metadata.finalizers", (14, 7)),
        ("        part: db\n    ", "        part: d b\n    ", "spec.template.labels", (20, 15)),
        ("cpu: 500m", "cpu: 600m", "spec.template.spec.containers[0].resources.requests", (39, 20)),
        (
            "memory: 1Gi",
            "memory: 2Gi",
            "spec.template.spec.containers[0].resources.requests",
            (40, 23),
        ),
        ("pool: big", "pool: so big", "spec.template.spec.nodeSelector", (25, 15)),
        (
            "              part: db",
            "              part: a/b",
            "spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels",
            (33, 21),
        ),
    ],
)
def test_the_entry_is_the_place_of_its_error(
    validate: Validate, old: str, new: str, field: str, place: tuple[int, int]
) -> None:
    assert JOB.count(old) >= 1
    assert places(validate, JOB.replace(old, new, 1)) == {(field, *place)}


def test_a_placeholder_in_a_label_is_named(validate: Validate) -> None:
    done = validate("job.yaml", files={"job.yaml": JOB.replace("app: shop", "app: ${APP}")})
    assert "hint: is ${APP} a placeholder" in done.out


def test_a_label_that_the_server_generates_from_the_name_leads_to_the_name(
    validate: Validate,
) -> None:
    done = validate("job.yaml", files={"job.yaml": JOB.replace("name: shop", 'name: "shop "')})
    assert "to the name of the Job: correct metadata.name" in done.out
