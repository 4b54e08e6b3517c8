"""The tables of an audit."""

from __future__ import annotations

from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import VALID, Result
from jobsworth.reports import overview


def found(code: str, severity: str = "warning", policy: str = "") -> LocatedFinding:
    names = {"JW204": "no-ttl", "JW201": "no-deadline", "JW004": "FieldValueInvalid"}
    finding = Finding(
        source="policy" if policy else "lint",
        severity=severity,
        code=code,
        field="spec",
        reason=names.get(code, "FieldValueForbidden"),
        message="is wrong",
    )
    return LocatedFinding(finding, policy=policy)


def result(namespace: str, name: str, *findings: LocatedFinding, kind: str = "Job") -> Result:
    made = Result(
        file=f"{namespace}/{kind}/{name}",
        kind=kind,
        namespace=namespace,
        name=name,
        status=VALID,
        in_cluster=True,
    )
    return made.with_findings(findings)


def test_an_empty_cluster_has_no_table() -> None:
    assert list(overview.render([])) == []


def test_namespaces_rules_and_objects_the_worst_first() -> None:
    results = [
        result("a", "fine"),
        result("b", "slow", found("JW201"), found("JW204", "info")),
        result("c", "nightly", found("JW004", "error"), found("JW201"), kind="CronJob"),
        result(
            "c", "denied", found("JP001", "error", "research"), found("JP001", "error", "research")
        ),
        result("d", "told", found("JW204", "info")),
    ]
    assert list(overview.render(results)) == [
        "NAMESPACE  JOBS  CRONJOBS  ERRORS  WARNINGS  INFO  MOST OFTEN",
        "c             1         1       3         1     0  JP001 below-minimum of policy research (2), "
        "JW004 FieldValueInvalid, JW201 no-deadline",
        "b             1         0       0         1     1  JW201 no-deadline",
        "(all)         4         1       3         2     2",
        "2 namespaces have neither errors nor warnings",
        "",
        "COUNT  OBJECTS  SEVERITY  RULE",
        "    2        1  error     JP001 below-minimum of policy research",
        "    1        1  error     JW004 FieldValueInvalid",
        "    2        2  warning   JW201 no-deadline",
        "    2        2  info      JW204 no-ttl",
        "",
        "OBJECTS WITH ERRORS OR WARNINGS",
        "c/Job/denied       2 errors            JP001 below-minimum of policy research (2)",
        "c/CronJob/nightly  1 error, 1 warning  JW004 FieldValueInvalid, JW201 no-deadline",
        "b/Job/slow         1 warning           JW201 no-deadline",
    ]


def test_one_clean_namespace_has_one_line() -> None:
    assert list(overview.render([result("a", "fine"), result("a", "nightly", kind="CronJob")])) == [
        "NAMESPACE  JOBS  CRONJOBS  ERRORS  WARNINGS  INFO  MOST OFTEN",
        "(all)         1         1       0         0     0",
    ]


def test_only_the_ten_worst_objects_are_named() -> None:
    results = [result("a", f"job-{index:02}", found("JW201")) for index in range(12)]
    results.append(result("a", "worst", found("JW004", "error")))
    lines = list(overview.render(results))
    assert lines[-11] == "OBJECTS WITH MOST FINDINGS"
    assert lines[-10].startswith("a/Job/worst ")
    assert lines[-1].startswith("a/Job/job-08 ")
