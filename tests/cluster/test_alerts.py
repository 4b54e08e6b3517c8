"""The chart's alerts and its dashboard, as Prometheus reads and evaluates them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.programs import NEWEST, MissingProgram, find

CHART = Path(__file__).resolve().parents[2] / "charts" / "jobsworth"

OURS = 'namespace="jobs",service="judge-metrics"'
UP = f'up{{{OURS},endpoint="metrics",pod="%s"}}'
LEADER = f'leader_election_master_status{{{OURS},name="judge-job-controller",pod="%s"}}'
REACHED = "apiserver_admission_webhook_fail_open_count"
REJECTED = "apiserver_admission_webhook_rejection_count"
SECONDS = f'jobsworth_admission_duration_seconds_bucket{{{OURS},endpoint="validate",le="%s"}}'
AUDIT = f'{OURS},endpoint="audit-metrics"'
OF_CRON_JOB = f'{AUDIT},resource_namespace="team",cronjob="nightly"'
FAILURES = f"jobsworth_cronjob_consecutive_failures{{{OF_CRON_JOB}}}"
OVERDUE = f"jobsworth_cronjob_overdue_seconds{{{OF_CRON_JOB}}}"
BLOCKED = f'jobsworth_cronjob_blocked{{{OF_CRON_JOB},reason="%s"}}'
STUCK = f'jobsworth_job_stuck_seconds{{{AUDIT},resource_namespace="team",owner="CronJob/nightly",reason="%s"}}'
JOB_FAILED = (
    f'jobsworth_job_failed_seconds{{{AUDIT},resource_namespace="team",owner="%s",reason="%s"}}'
)
NEW = f'jobsworth_audit_new_violations_total{{{AUDIT},policy="small",enforcement="%s"}}'
SYNCS = f'job_controller_job_syncs_total{{{OURS},result="%s"}}'
ACTIONS = f'job_controller_job_syncs_total{{{OURS},action="%s",result="%s"}}'
KEPT = f'job_controller_oldest_terminated_pod_tracking_finalizer_seconds{{{OURS},pod="%s"}}'
SYNC_SECONDS = f'job_controller_job_sync_duration_seconds_bucket{{{OURS},le="%s"}}'
ACTION_SECONDS = f'job_controller_job_sync_duration_seconds_bucket{{{OURS},action="%s",le="%s"}}'
CREATIONS = f'job_controller_job_pods_creation_total{{{OURS},reason="new",status="%s"}}'
CONTROLLER = f'{OURS},endpoint="job-metrics",pod="%s"'
VIOLATIONS = f'job_controller_policy_violations_total{{{CONTROLLER},policy="small",effect="%s"}}'
DEFAULTS = f'job_controller_policy_defaults_total{{{CONTROLLER},kind="CronJob",result="%s"}}'
HASH = f'jobsworth_policies_info{{{OURS},pod="%s",hash="%s"}}'
RELEASE = f'jobsworth_kubernetes_release_%s{{{OURS},pod="a",server="1.39",assumed="1.37"}}'
SKEW = "jobsworth_kubernetes_release_skew"


MINUTES = 61
CASES: tuple[tuple[str, dict[str, str], tuple[int, int] | None], ...] = (
    ("JobsworthDown", {UP % "a": "1x10 0x60", UP % "b": "1x20 0x19 1x30"}, (26, 40)),
    ("JobsworthDown", {}, (5, 61)),
    (
        "JobsworthCertificateExpires",
        {f'jobsworth_certificate_expiry_timestamp_seconds{{{OURS},pod="a"}}': "604800x30 700000x70"},
        None,
    ),
    (
        "JobsworthCertificateExpires",
        {f'jobsworth_certificate_expiry_timestamp_seconds{{{OURS},pod="a"}}': "600000x70"},
        (60, 61),
    ),
    (
        "JobsworthFilesRejected",
        {f'jobsworth_file_load_success{{{OURS},endpoint="metrics",pod="a",what="policy"}}': "1x9 0x19 1x30"},
        (15, 29),
    ),
    (
        "JobsworthPoliciesDiffer",
        {HASH % ("a", "1"): "1x50", HASH % ("b", "1"): "1x9 _x50", HASH % ("b", "2"): "_x10 1x19 _x30"},
        (20, 33),
    ),
    ("JobsworthPoliciesDiffer", {HASH % ("a", "1"): "1x60", HASH % ("b", "1"): "1x60"}, None),
    (
        "JobsworthKubernetesReleaseSkew",
        {RELEASE % "info": "1x60", f'{SKEW}{{{OURS},pod="a"}}': "0x9 1x50"},
        (25, 61),
    ),
    (
        "JobsworthKubernetesReleaseSkew",
        {RELEASE % "info": "1x60", f'{SKEW}{{{OURS},pod="a"}}': "0x60"},
        None,
    ),
    (
        "JobsworthInternalErrors",
        {f'jobsworth_admission_internal_errors_total{{{OURS},pod="a"}}': "0x9 1x50"},
        (10, 18),
    ),
    (
        "JobsworthUnreadableObjects",
        {f'jobsworth_admission_unreadable_total{{{OURS},pod="a",reason="unknown_field"}}': "0x9 1x50"},
        (10, 18),
    ),
    (
        "JobsworthObjectsTooLarge",
        {f'jobsworth_admission_requests_total{{{OURS},pod="a",verdict="too_large"}}': "0x9 1x50"},
        (10, 18),
    ),
    (
        "JobsworthSlow",
        {SECONDS % "0.5": "0+10x9 100+0x50", SECONDS % "1": "0+10x70", SECONDS % "+Inf": "0+10x70"},
        (26, 61),
    ),
    ("JobsworthNotReachedByApiServer", {f'{REACHED}{{name="mutate.jobsworth.dev"}}': "0x9 2x50"}, (10, 18)),
    (
        "JobsworthNotReachedByApiServer",
        {f'{REJECTED}{{name="validate.jobsworth.dev",error_type="calling_webhook_error"}}': "0x9 2x50"},
        (10, 18),
    ),
    (
        "JobsworthNotReachedByApiServer",
        {f'{REJECTED}{{name="validate.jobsworth.dev",error_type="no_error"}}': "0x9 2x50"},
        None,
    ),
    ("JobsworthNewViolations", {NEW % "deny": "0x9 1x50"}, (10, 23)),
    ("JobsworthNewViolations", {NEW % "audit": "0x9 3x50"}, (10, 23)),
    ("JobsworthNewViolations", {NEW % "deny": "7x60"}, None),
    (
        "JobsworthAuditStale",
        {
            f"jobsworth_audit_last_success_timestamp_seconds{{{AUDIT}}}": "0+60x20 1200x40",
            f"jobsworth_audit_interval_seconds{{{AUDIT}}}": "300x61",
        },
        (46, 61),
    ),
    (
        "JobsworthAuditPoliciesRejected",
        {f'jobsworth_file_load_success{{{AUDIT},what="policy"}}': "1x9 0x19 1x30"},
        (15, 29),
    ),
    # A later success, or the deletion of the CronJob, ends the series, and with it the alert.
    ("JobsworthCronJobFailing", {FAILURES: "_x10 1x9 2x9 stale"}, (10, 29)),
    ("JobsworthCronJobFailing", {FAILURES: "_x70"}, None),
    ("JobsworthCronJobOverdue", {OVERDUE: "0+600x60"}, (7, 61)),
    ("JobsworthCronJobOverdue", {OVERDUE: "0+600x19 stale", BLOCKED % "Running": "1x19 stale"}, (7, 19)),
    ("JobsworthCronJobOverdue", {OVERDUE: "0+600x60", BLOCKED % "ImagePull": "1x60"}, None),
    ("JobsworthCronJobBlocked", {BLOCKED % "Terminating": "_x10 1x29 stale"}, (25, 39)),
    ("JobsworthCronJobBlocked", {BLOCKED % "ImagePull": "_x10 1x10 stale"}, None),
    ("JobsworthCronJobBlocked", {BLOCKED % "Running": "1x60"}, None),
    # Another cause keeps the alert.
    (
        "JobsworthCronJobBlocked",
        {BLOCKED % "Unschedulable": "1x25 stale", BLOCKED % "ImagePull": "_x26 1x40"},
        (15, 61),
    ),
    ("JobsworthJobStuck", {STUCK % "Terminating": "_x5 600+60x49 stale"}, (35, 54)),
    ("JobsworthJobStuck", {STUCK % "Quota": "_x5 600+60x20 stale"}, None),
    # A later success, or the deletion of the Job, ends the series, and with it the alert; so does time.
    (
        "JobsworthJobFailed",
        {JOB_FAILED % ("Job/migrate", "BackoffLimitExceeded"): "_x10 0+60x19 stale"},
        (10, 29),
    ),
    ("JobsworthJobFailed", {JOB_FAILED % ("Job/migrate", "DeadlineExceeded"): "84600+60x60"}, (1, 29)),
    ("JobsworthJobFailed", {JOB_FAILED % ("Job/migrate", "DeadlineExceeded"): "86400+60x60"}, None),
    # A newer failure of the owner keeps the alert.
    (
        "JobsworthJobFailed",
        {JOB_FAILED % ("ScaledJob/queue", "DeadlineExceeded"): "84600+60x60",
         JOB_FAILED % ("ScaledJob/queue", "PodFailurePolicy"): "_x20 0+60x20 stale"},
        (1, 40),
    ),
    ("JobsworthControllerHasNoLeader", {LEADER % "a": "1x9 0x60", LEADER % "b": "0x11 1x60"}, None),
    ("JobsworthControllerHasNoLeader", {LEADER % "a": "1x9 0x60"}, (15, 61)),
    ("JobsworthControllerHasNoLeader", {LEADER % "a": "1x70", LEADER % "b": "0x9 1x19 0x30"}, (15, 29)),
    ("JobsworthControllerHasNoLeader", {LEADER % "a": "1x9 _x60"}, (19, 61)),
    (
        "JobsworthControllerSyncErrors",
        {SYNCS % "success": "0+10x70", SYNCS % "error": "0x9 0+5x70"},
        (28, 61),
    ),
    (
        "JobsworthControllerActionErrors",
        {ACTIONS % ("pods_deleted", "success"): "0+10x70", ACTIONS % ("pods_deleted", "error"): "0x19 0+1x50",
         ACTIONS % ("tracking", "success"): "0+1000x70"},
        (38, 61),
    ),
    (
        "JobsworthControllerActionErrors",
        {ACTIONS % ("pods_deleted", "success"): "0+1x70", ACTIONS % ("pods_deleted", "error"): "0x19 0+0.5x50"},
        None,
    ),
    (
        "JobsworthControllerActionErrors",
        {ACTIONS % ("pods_created", "success"): "0+1000x70", ACTIONS % ("pods_created", "error"): "0+9x70"},
        None,
    ),
    # The one that does not lead has no such Pods.
    ("JobsworthControllerKeepsFinalizers", {KEPT % "a": "0x9 60+60x60", KEPT % "b": "0x70"}, (30, 61)),
    ("JobsworthControllerKeepsFinalizers", {KEPT % "a": "0x9 60+60x30 0x30"}, (30, 40)),
    ("JobsworthControllerKeepsFinalizers", {KEPT % "a": "0 5 30 400 0 60 5"}, None),
    (
        "JobsworthControllerSlow",
        {SYNC_SECONDS % "8.192": "0+98x70", SYNC_SECONDS % "16.384": "0+100x70", SYNC_SECONDS % "+Inf": "0+100x70"},
        None,
    ),
    (
        "JobsworthControllerSlow",
        {SYNC_SECONDS % "16.384": "0+98x70", SYNC_SECONDS % "32.768": "0+100x70", SYNC_SECONDS % "+Inf": "0+100x70"},
        (16, 61),
    ),
    # The deletions of Pods have the same objective, however many other syncs there are.
    (
        "JobsworthControllerSlow",
        {ACTION_SECONDS % ("pods_deleted", "16.384"): "0+1x70", ACTION_SECONDS % ("pods_deleted", "32.768"): "0+2x70",
         ACTION_SECONDS % ("pods_deleted", "+Inf"): "0+2x70",
         ACTION_SECONDS % ("tracking", "0.004"): "0+1000x70", ACTION_SECONDS % ("tracking", "+Inf"): "0+1000x70"},
        (16, 61),
    ),
    (
        "JobsworthControllerSlow",
        {ACTION_SECONDS % ("pods_created", "16.384"): "0+1x70", ACTION_SECONDS % ("pods_created", "32.768"): "0+2x70",
         ACTION_SECONDS % ("pods_created", "+Inf"): "0+2x70",
         ACTION_SECONDS % ("tracking", "0.004"): "0+1000x70", ACTION_SECONDS % ("tracking", "+Inf"): "0+1000x70"},
        None,
    ),
    (
        "JobsworthControllerCannotCreatePods",
        {CREATIONS % "succeeded": "0+10x70", CREATIONS % "failed": "0x9 0+5x70"},
        (28, 61),
    ),
    ("JobsworthControllerJobViolatesPolicy", {VIOLATIONS % ("a", "deny"): "0x9 1x50"}, (10, 23)),
    ("JobsworthControllerJobViolatesPolicy", {VIOLATIONS % ("a", "warn"): "0x9 5x50"}, None),
    # Another replica leads from now on, and counts what the first has counted.
    (
        "JobsworthControllerJobViolatesPolicy",
        {VIOLATIONS % ("a", "deny"): "4x9 _x60", VIOLATIONS % ("b", "deny"): "_x10 4x50"},
        None,
    ),
    ("JobsworthControllerDefaultsNotSet", {DEFAULTS % ("a", "conflict"): "0x9 1x50"}, (10, 61)),
    ("JobsworthControllerDefaultsNotSet", {DEFAULTS % ("a", "failed"): "0x9 2x50"}, (10, 61)),
    ("JobsworthControllerDefaultsNotSet", {DEFAULTS % ("a", "applied"): "0+9x60"}, None),
    (
        "JobsworthControllerPoliciesRejected",
        {f'jobsworth_file_load_success{{{CONTROLLER % "a"},what="policy"}}': "1x9 0x19 1x30"},
        (15, 29),
    ),
)  # fmt: skip
"""Of each alert some series with a value a minute, and from which minute to which it fires (Prometheus 3)."""


@pytest.fixture(scope="module")
def promtool() -> Path:
    return _found("promtool")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The groups of the chart's PrometheusRule, as a file of Prometheus."""
    helm = _found("helm")
    done = subprocess.run(
        [
            helm, "template", "jobsworth", str(CHART), "--namespace", "jobs",
            "--kube-version", f"{NEWEST}.0", "--set", "fullnameOverride=judge",
            "--set", "prometheusRule.enabled=true,controller.enabled=true,audit.enabled=true,audit.health=true",
            "--show-only", "templates/prometheus-rule.yaml",
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    file = tmp_path_factory.mktemp("rules") / "rules.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(done.stdout)["spec"]))
    return file


def _found(name: str) -> Path:
    try:
        return find(name)
    except MissingProgram as error:
        pytest.skip(str(error))


def test_prometheus_reads_the_alerts(promtool: Path, rules: Path) -> None:
    done = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", rules],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dashboard_queries_are_valid_in_prometheus(promtool: Path, tmp_path: Path) -> None:
    panels = json.loads((CHART / "dashboards" / "jobsworth.json").read_text())["panels"]
    requested = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    assert requested
    recorded = [
        {"record": f"asked:{number}", "expr": expression.replace("$__rate_interval", "5m")}
        for number, expression in enumerate(requested)
    ]
    file = tmp_path / "dashboard.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}))
    done = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", file],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case_over_time(rules: Path) -> None:
    (group,) = yaml.safe_load(rules.read_text())["groups"]
    fired = {alert for alert, _, fires in CASES if fires is not None}
    assert fired == {rule["alert"] for rule in group["rules"]}


def test_a_pod_that_keeps_the_finalizer_is_an_alert_until_it_is_released(
    promtool: Path, rules: Path
) -> None:
    series = {KEPT % "a": "0x9 0+60x500 0x100"}
    firing = 'count(ALERTS{alertname="JobsworthControllerKeepsFinalizers",alertstate="firing"})'
    once = [{"labels": "{}", "value": 1}]
    hours = (1, 3, 6, 8, 9, 10)
    test = {
        "interval": "1m",
        "input_series": [{"series": key, "values": value} for key, value in series.items()],
        "promql_expr_test": [
            {"expr": firing, "eval_time": f"{hour}h", "exp_samples": once if hour <= 8 else []}
            for hour in hours
        ],
    }
    _promtool_test(promtool, rules, test)


@pytest.mark.parametrize(("alert", "series", "fires"), CASES)
def test_an_alert_fires_when_it_should_and_no_longer(
    promtool: Path,
    rules: Path,
    alert: str,
    series: dict[str, str],
    fires: tuple[int, int] | None,
) -> None:
    first, last = fires or (MINUTES + 1, MINUTES)
    once = [{"labels": "{}", "value": 1}]
    test = {
        "interval": "1m",
        "input_series": [{"series": key, "values": value} for key, value in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})',
                "eval_time": f"{minute}m",
                "exp_samples": once if first <= minute <= last else [],
            }
            for minute in range(1, MINUTES + 1)
        ],
    }
    _promtool_test(promtool, rules, test)


def _promtool_test(promtool: Path, rules: Path, test: dict[str, Any]) -> None:
    tests = {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [test]}
    file = rules.with_name("tests.yaml")
    file.write_text(yaml.safe_dump(tests))
    done = subprocess.run(
        [promtool, "test", "rules", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
