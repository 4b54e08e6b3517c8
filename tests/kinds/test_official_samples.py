"""The official samples of the operators in the table: none is rejected without a reason that was read.

``record_official_samples.py`` renews the facts from the repositories of the operators.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

SAMPLES = Path(__file__).parent / "data" / "official_samples.tsv"

TEMPLATE = "a template of clusterloader2 or Helm, or text that is not YAML"
REJECTED = {
    ("config/samples/keda_v1alpha1_scaledjob.yaml", "JW003"): "its template has no containers",
    ("examples/xgboost/smoke-dist/xgboostjob_v1alpha1_rabit_test.yaml", "JW001"): (
        "apiVersion and kind in a Pod template, which kubectl rejects"
    ),
    ("site/static/examples/failure-policy/restartjob-action.yaml", "JW011"): "needs a gate",
    ("site/static/examples/failure-policy/restartjobandignoremaxrestarts-action.yaml", "JW011"): (
        "needs a gate"
    ),
    (
        "site/static/examples/in-place-restart/jobset-main-container-mode.yaml",
        "JW011",
    ): "needs a gate",
    ("site/static/examples/in-place-restart/jobset-sidecar-container-mode.yaml", "JW011"): (
        "needs a gate"
    ),
    ("examples/serving-workloads/sample-leaderworkerset-tas.yaml", "JW003"): (
        "requests of nvidia.com/gpu without limits, which the StatefulSet must have"
    ),
    ("ray-operator/config/samples/vllm/ray-service.vllm-tpu-v6e-singlehost.yaml", "JW004"): (
        "the placeholder $KSA_NAME"
    ),
    ("example/invalid_jobs/duplicatedTaskName-webhook-deny.yaml", "JW004"): "meant to be denied",
    ("example/invalid_jobs/minAvailable-webhook-deny.yaml", "JW004"): "meant to be denied",
    ("example/kubecon-2019-china/task-priority/elastic-job.yaml", "JW001"): (
        "priorityClass, which is not a field of a Pod"
    ),
}
"""The samples that are rejected, by the end of their path and the code, with the reason."""
TRUE_WARNINGS = {"JW210", "JW226", "JW301", "JW420", "JW516", "JW521"}
"""The warnings that were read, and hold."""


def rows() -> list[list[str]]:
    return [line.split("\t") for line in SAMPLES.read_text().splitlines()]


def test_two_releases_of_each_operator_were_read() -> None:
    releases: dict[str, set[str]] = defaultdict(set)
    for repository, release, *_ in rows():
        releases[repository].add(release)
    assert len(releases) == 11
    assert {len(each) for each in releases.values()} == {2}


def test_no_sample_is_rejected_without_a_reason() -> None:
    unexplained = [
        (path, code)
        for _, _, path, _, _, verdict, errors, _ in rows()
        if verdict == "invalid"
        for code in errors.split()
        if not any(path.endswith(end) and code == each for end, each in REJECTED)
    ]
    assert not unexplained


def test_no_warning_on_a_sample_is_false() -> None:
    assert {code for *_, found in rows() for code in found.split()} - {"-"} <= TRUE_WARNINGS


def test_what_is_no_object_is_a_template() -> None:
    unreadable = {tuple(errors.split()) for *_, verdict, errors, _ in rows() if verdict == "error"}
    assert unreadable == {("JW090",)}, TEMPLATE
