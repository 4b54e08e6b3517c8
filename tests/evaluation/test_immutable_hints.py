"""An immutable field: what changed, and what to do, instead of a page of JSON."""

from __future__ import annotations

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import SOUND

NEW = SOUND.replace("main:1.0", "main:1.1").replace("cpu: 100m", "cpu: 200m")


def test_the_changed_parts_of_a_template_are_named(validate: Validate) -> None:
    files = {"old/job.yaml": SOUND, "job.yaml": NEW}
    done = validate("--against", "old", "job.yaml", files=files)
    assert done.code == 1
    assert "Invalid value: {…}: field is immutable" in done.out
    assert (
        "hint: changed: spec.containers[0].image registry.example.com/main:1.0 -> "
        "registry.example.com/main:1.1; spec.containers[0].resources.requests.cpu 100m -> 200m; delete the "
        "Job and create it again (kubectl replace --force), or give it another name"
    ) in done.out


def test_the_words_of_the_server_are_whole_for_programs(validate: Validate) -> None:
    files = {"old/job.yaml": SOUND, "job.yaml": NEW}
    loaded = validate("-o", "json", "--against", "old", "job.yaml", files=files).loaded
    (finding,) = loaded["results"][0]["findings"]
    assert len(finding["message"]) > 200


def test_many_changes_are_counted(validate: Validate) -> None:
    labels = ", ".join(f"a{number}: b" for number in range(8))
    new = SOUND.replace("    spec:\n", f"    metadata: {{labels: {{{labels}}}}}\n    spec:\n")
    done = validate("--against", "old", "job.yaml", files={"old/job.yaml": SOUND, "job.yaml": new})
    assert "hint: changed: metadata.labels" in done.out


SUSPENDED = SOUND.replace("spec:\n", "spec:\n  suspend: true\n", 1)


def test_what_may_change_in_a_suspended_job_is_no_cause(validate: Validate) -> None:
    scheduling = (
        "    metadata: {labels: {queue: spot}}\n    spec:\n      nodeSelector: {disk: ssd}\n"
    )
    new = SUSPENDED.replace("    spec:\n", scheduling).replace("cpu: 100m", "cpu: 200m")
    files = {"old/job.yaml": SUSPENDED, "job.yaml": new}
    done = validate("--kubernetes-version", "1.34", "--against", "old", "job.yaml", files=files)
    hint = "hint: changed: spec.containers[0].resources.requests.cpu 100m -> 200m; delete the Job"
    assert hint in done.out


def test_labels_that_the_server_generates_are_no_cause(validate: Validate) -> None:
    labels = "    metadata: {labels: {batch.kubernetes.io/job-name: a, job-name: a}}\n    spec:\n"
    files = {"old/job.yaml": SOUND.replace("    spec:\n", labels), "job.yaml": NEW}
    done = validate("--against", "old", "job.yaml", files=files)
    assert "hint: changed: spec.containers[0].image registry" in done.out
