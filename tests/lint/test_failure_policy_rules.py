"""Lint rules about failure policies, at their edges."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.rules.exit_codes import MEANINGS
from jobsworth.lint.rules.pod_conditions import STATUSES_OF_FAILED_PODS, meant_condition
from support.lint.linted_jobs import (
    INIT,
    SIDECAR,
    after_fix,
    cron_job,
    fields,
    found,
    job,
    on_codes,
    on_condition,
    with_policy,
)

MINDED = on_condition("Ignore", "DisruptionTarget")
WITH_SIDECAR = {"initContainers": [SIDECAR]}
WITH_INIT = {"initContainers": [INIT]}
TWO = {"containers": [{"name": name, "image": "busybox:1.36"} for name in ("main", "upload")]}
WINDOWS = {"os": {"name": "windows"}}


def at(index: int, below: str = "") -> str:
    return f"podFailurePolicy.rules[{index}]{below}"


CODES, VALUES = ".onExitCodes", ".onExitCodes.values"
TYPE, STATUS = ".onPodConditions[0].type", ".onPodConditions[0].status"

CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    # JW101 rule-shadowed
    (
        "an equal rule is shadowed",
        "JW101",
        with_policy(on_codes("Count", "In", 1), on_codes("FailJob", "In", 1)),
        [at(1)],
    ),
    (
        "a part that is left keeps a rule alive",
        "JW101",
        with_policy(on_codes("Count", "In", 1), on_codes("FailJob", "In", 1, 2)),
        [],
    ),
    (
        "In and NotIn together leave nothing",
        "JW101",
        with_policy(
            on_codes("Count", "In", 1, 2), on_codes("Ignore", "NotIn", 1, 2), on_codes("FailJob", "In", 9)
        ),
        [at(2)],
    ),
    (
        "a rule on one of two containers does not shadow one on both",
        "JW101",
        with_policy(
            on_codes("Count", "NotIn", 0, of="main"), on_codes("FailJob", "In", 1), pod=TWO
        ),
        [],
    ),
    (
        "a rule on every container by name shadows one on all",
        "JW101",
        with_policy(
            on_codes("Count", "In", 1, of="main"),
            on_codes("Count", "In", 1, of="upload"),
            on_codes("FailJob", "In", 1),
            pod=TWO,
        ),
        [at(2)],
    ),
    (
        "conditions and exit codes do not shadow each other",
        "JW101",
        with_policy(MINDED, on_codes("FailJob", "NotIn", 0)),
        [],
    ),
    (
        "another status is another condition",
        "JW101",
        with_policy(MINDED, on_condition("Count", "DisruptionTarget", "False")),
        [],
    ),
    (
        "on Linux 255 codes are all that NotIn [42] leaves",
        "JW101",
        with_policy(on_codes("Count", "NotIn", 42), on_codes("FailJob", "In", 1000)),
        [],
    ),
    (
        "on Windows a large code is covered by NotIn",
        "JW101",
        with_policy(on_codes("Count", "NotIn", 42), on_codes("FailJob", "In", 1000), pod=WINDOWS),
        [at(1)],
    ),
    (
        "in a CronJob too",
        "JW101",
        cron_job(with_policy(on_codes("Count", "In", 1), on_codes("FailJob", "In", 1))),
        [at(1)],
    ),
    # JW102 disruption-after-exit-code
    ("143 before", "JW102", with_policy(on_codes("FailJob", "In", 143), MINDED), [at(1)]),
    ("137 before", "JW102", with_policy(on_codes("FailJob", "In", 137), MINDED), [at(1)]),
    ("NotIn includes them", "JW102", with_policy(on_codes("FailJob", "NotIn", 42), MINDED), [at(1)]),
    (
        "NotIn that names both does not",
        "JW102",
        with_policy(on_codes("FailJob", "NotIn", 137, 143), MINDED),
        [],
    ),
    ("other codes may come first", "JW102", with_policy(on_codes("FailJob", "In", 42), MINDED), []),
    ("disruptions first", "JW102", with_policy(MINDED, on_codes("FailJob", "NotIn", 42)), []),
    (
        "Count before Ignore spends retries",
        "JW102",
        with_policy(on_codes("Count", "NotIn", 42), MINDED),
        [at(1)],
    ),
    (
        "the same action may come first",
        "JW102",
        with_policy(on_codes("Ignore", "In", 143), MINDED),
        [],
    ),
    (
        "of one container only is enough",
        "JW102",
        with_policy(on_codes("FailJob", "In", 137, of="upload"), MINDED, pod=TWO),
        [at(1)],
    ),
    (
        "codes that an even earlier rule took do no harm",
        "JW102",
        with_policy(
            on_codes("Ignore", "In", 137, 143), on_codes("FailJob", "NotIn", 42), MINDED
        ),
        [],
    ),
    (
        "a second rule on disruptions is not the point",
        "JW102",
        with_policy(MINDED, on_codes("FailJob", "NotIn", 42), MINDED),
        [],
    ),
    # JW103 fail-on-signal-code
    ("137 and nothing on disruptions", "JW103", with_policy(on_codes("FailJob", "In", 137)), [at(0, CODES)]),
    ("NotIn and nothing", "JW103", with_policy(on_codes("FailJob", "NotIn", 42)), [at(0, CODES)]),
    ("any failure and nothing", "JW103", with_policy(on_codes("FailJob", "NotIn", 0)), [at(0, CODES)]),
    (
        "FailIndex too",
        "JW103",
        with_policy(
            on_codes("FailIndex", "In", 143),
            completionMode="Indexed",
            completions=3,
            backoffLimitPerIndex=1,
        ),
        [at(0, CODES)],
    ),
    ("Count is the default", "JW103", with_policy(on_codes("Count", "In", 137)), []),
    ("other codes", "JW103", with_policy(on_codes("FailJob", "In", 42)), []),
    ("with a rule on disruptions", "JW103", with_policy(on_codes("FailJob", "In", 137), MINDED), []),
    (
        "a rule on a status that never is does not mind them",
        "JW103",
        with_policy(
            on_condition("Ignore", "DisruptionTarget", "False"), on_codes("FailJob", "In", 137)
        ),
        [at(1, CODES)],
    ),
    (
        "only the first of several rules is named",
        "JW103",
        with_policy(on_codes("FailJob", "In", 137), on_codes("FailJob", "In", 143)),
        [at(0, CODES)],
    ),
    ("not on Windows", "JW103", with_policy(on_codes("FailJob", "In", 137), pod=WINDOWS), []),
    # JW104 missing-disruption-rule
    ("no rule on disruptions", "JW104", with_policy(on_codes("FailJob", "In", 42)), ["podFailurePolicy.rules"]),
    ("a rule that counts them minds them", "JW104", with_policy(on_condition("Count", "DisruptionTarget")), []),
    ("a misspelt one is reported as such", "JW104", with_policy(on_condition("Ignore", "Disruption-Target")), []),
    ("fail-on-signal-code says more", "JW104", with_policy(on_codes("FailJob", "In", 137)), []),
    ("so does ignore-oom", "JW104", with_policy(on_codes("Ignore", "In", 137)), []),
    ("few retries are another rule", "JW104", with_policy(on_codes("FailJob", "In", 42), backoffLimit=2), []),
    # JW127 disruption-counted
    ("they are counted", "JW127", with_policy(on_condition("Count", "DisruptionTarget"), backoffLimit=1), ["podFailurePolicy.rules[0].action"]),
    ("after another rule", "JW127", with_policy(on_codes("FailJob", "In", 42), on_condition("Count", "DisruptionTarget"), backoffLimit=0), ["podFailurePolicy.rules[1].action"]),
    ("of an index", "JW127", with_policy(on_condition("Count", "DisruptionTarget"), backoffLimitPerIndex=1, completionMode="Indexed", completions=9), ["podFailurePolicy.rules[0].action"]),
    ("no rule on disruptions, few retries", "JW127", with_policy(on_codes("FailJob", "In", 42), backoffLimit=2), ["podFailurePolicy.rules"]),
    ("enough retries", "JW127", with_policy(on_condition("Count", "DisruptionTarget"), backoffLimit=3), []),
    ("the default is enough", "JW127", with_policy(on_condition("Count", "DisruptionTarget")), []),
    ("they are ignored", "JW127", with_policy(on_condition("Ignore", "DisruptionTarget"), backoffLimit=1), []),
    ("they are ignored first", "JW127", with_policy(on_condition("Ignore", "DisruptionTarget"), on_condition("Count", "DisruptionTarget"), backoffLimit=1), []),
    ("to fail for disruptions is an answer, too", "JW127", with_policy(on_condition("FailJob", "DisruptionTarget"), backoffLimit=1), []),
    ("a misspelt rule is reported as such", "JW127", with_policy(on_condition("Ignore", "Disruption-Target"), backoffLimit=1), []),
    ("without a policy it is a question of habits", "JW127", job(backoffLimit=1), []),
    # JW104 missing-disruption-rule
    ("no retries, no policy", "JW104", job(backoffLimit=0), ["backoffLimit"]),
    ("no retries, an empty policy", "JW104", job(backoffLimit=0, podFailurePolicy={"rules": []}), ["backoffLimit"]),
    ("retries, no policy", "JW104", job(backoffLimit=1), []),
    ("no limit written", "JW104", job(), []),
    ("OnFailure can have no policy", "JW104", job({"restartPolicy": "OnFailure"}, backoffLimit=0), []),
    (
        "no retries of an index",
        "JW104",
        job(backoffLimitPerIndex=0, completionMode="Indexed", completions=3),
        ["backoffLimitPerIndex"],
    ),
    # JW105 ignore-loop
    ("no deadline", "JW105", with_policy(on_codes("Ignore", "In", 42)), [at(0, CODES)]),
    ("a deadline", "JW105", with_policy(on_codes("Ignore", "In", 42), activeDeadlineSeconds=60), []),
    (
        "a bug may end with 1, deadline or not",
        "JW105",
        with_policy(on_codes("Ignore", "In", 1), activeDeadlineSeconds=60),
        [at(0, CODES)],
    ),
    (
        "so may it with NotIn",
        "JW105",
        with_policy(on_codes("Ignore", "NotIn", 42), activeDeadlineSeconds=60),
        [at(0, CODES)],
    ),
    (
        "a bug that an earlier rule takes is none",
        "JW105",
        with_policy(
            on_codes("FailJob", "In", 1), on_codes("Ignore", "In", 1, 42), activeDeadlineSeconds=60
        ),
        [],
    ),
    ("the deadline of a Pod is none", "JW105", with_policy(on_codes("Ignore", "In", 42), pod={"activeDeadlineSeconds": 60}), [at(0, CODES)]),
    ("disruptions end", "JW105", with_policy(MINDED), []),
    ("137 alone is for ignore-oom", "JW105", with_policy(on_codes("Ignore", "In", 137)), []),
    ("Count is counted", "JW105", with_policy(on_codes("Count", "In", 42)), []),
    # JW106 ignore-oom
    ("137", "JW106", with_policy(on_codes("Ignore", "In", 137)), [at(0, VALUES)]),
    ("NotIn includes 137", "JW106", with_policy(on_codes("Ignore", "NotIn", 1)), [at(0, VALUES)]),
    ("NotIn that names it", "JW106", with_policy(on_codes("Ignore", "NotIn", 137)), []),
    ("taken before", "JW106", with_policy(on_codes("Count", "In", 137), on_codes("Ignore", "NotIn", 1)), []),
    ("143 is not an OOM", "JW106", with_policy(on_codes("Ignore", "In", 143)), []),
    ("not on Windows", "JW106", with_policy(on_codes("Ignore", "In", 137), pod=WINDOWS), []),
    # JW107 sidecar-exit-code
    ("a sidecar", "JW107", with_policy(on_codes("FailJob", "In", 1), pod=WITH_SIDECAR), [at(0, CODES)]),
    ("named", "JW107", with_policy(on_codes("FailJob", "In", 1, of="main"), pod=WITH_SIDECAR), []),
    ("an init container is not a sidecar", "JW107", with_policy(on_codes("FailJob", "In", 1), pod=WITH_INIT), []),
    (
        "codes of the sidecar that a rule before has taken",
        "JW107",
        with_policy(
            on_codes("Count", "NotIn", 0, of="proxy"), on_codes("FailJob", "In", 1), pod=WITH_SIDECAR
        ),
        [],
    ),
    # JW108 sidecar-named
    ("the sidecar", "JW108", with_policy(on_codes("FailJob", "In", 1, of="proxy"), pod=WITH_SIDECAR), [at(0, CODES + ".containerName")]),
    ("the init container", "JW108", with_policy(on_codes("FailJob", "In", 1, of="download"), pod=WITH_INIT), []),
    # JW109 notin-any-container
    ("two containers", "JW109", with_policy(on_codes("FailJob", "NotIn", 42), pod=TWO), [at(0, CODES)]),
    ("an init container", "JW109", with_policy(on_codes("FailJob", "NotIn", 42), pod=WITH_INIT), [at(0, CODES)]),
    ("one container", "JW109", with_policy(on_codes("FailJob", "NotIn", 42)), []),
    ("any failure is any failure", "JW109", with_policy(on_codes("FailJob", "NotIn", 0), pod=TWO), []),
    ("In names what it means", "JW109", with_policy(on_codes("FailJob", "In", 42), pod=TWO), []),
    ("Count does no harm", "JW109", with_policy(on_codes("Count", "NotIn", 42), pod=TWO), []),
    ("of a sidecar there is another rule", "JW109", with_policy(on_codes("FailJob", "NotIn", 42), pod=WITH_SIDECAR), []),
    # JW110 exit-code-range
    ("256", "JW110", with_policy(on_codes("FailJob", "In", 256)), [at(0, VALUES)]),
    ("-1", "JW110", with_policy(on_codes("FailJob", "In", -1)), [at(0, VALUES)]),
    ("255", "JW110", with_policy(on_codes("FailJob", "In", 255)), []),
    ("NotIn", "JW110", with_policy(on_codes("FailJob", "NotIn", 3, 300)), [at(0, VALUES)]),
    ("Windows has them", "JW110", with_policy(on_codes("FailJob", "In", -1073741510), pod=WINDOWS), []),
    (
        "Windows by node selector",
        "JW110",
        with_policy(on_codes("FailJob", "In", -1), pod={"nodeSelector": {"kubernetes.io/os": "windows"}}),
        [],
    ),
    # JW111 notin-zero
    ("0 beside others", "JW111", with_policy(on_codes("FailJob", "NotIn", 0, 42)), [at(0, VALUES + "[0]")]),
    ("0 behind others", "JW111", with_policy(on_codes("FailJob", "NotIn", -1, 0)), [at(0, VALUES + "[1]")]),
    ("0 alone", "JW111", with_policy(on_codes("FailJob", "NotIn", 0)), []),
    # JW112 trailing-count
    ("the last", "JW112", with_policy(MINDED, on_codes("Count", "In", 1)), [at(1)]),
    ("the last two, at once", "JW112", with_policy(MINDED, on_codes("Count", "In", 1), on_codes("Count", "In", 2)), [at(1)]),
    ("an exception from a rule behind it", "JW112", with_policy(on_codes("Count", "In", 1), on_codes("FailJob", "NotIn", 0)), []),
    ("to count disruptions is an answer", "JW112", with_policy(on_condition("Count", "DisruptionTarget")), []),
    ("shadowed, so the other rule speaks", "JW112", with_policy(on_codes("FailJob", "In", 1), on_codes("Count", "In", 1)), []),
    # JW113 mergeable-rules
    ("neighbours", "JW113", with_policy(on_codes("FailJob", "In", 1), on_codes("FailJob", "In", 2)), [at(0)]),
    ("not neighbours", "JW113", with_policy(on_codes("FailJob", "In", 1), MINDED, on_codes("FailJob", "In", 2)), []),
    ("other actions", "JW113", with_policy(on_codes("FailJob", "In", 1), on_codes("Count", "In", 2)), []),
    ("other containers", "JW113", with_policy(on_codes("FailJob", "In", 1), on_codes("FailJob", "In", 2, of="main")), []),
    ("NotIn cannot be merged", "JW113", with_policy(on_codes("FailJob", "NotIn", 1), on_codes("FailJob", "NotIn", 2)), []),
    ("conditions are left alone", "JW113", with_policy(MINDED, on_condition("Ignore", "example.com/x")), []),
    (
        "more than 255 values cannot be",
        "JW113",
        with_policy(on_codes("FailJob", "In", *range(1, 200)), on_codes("FailJob", "In", *range(-60, 0))),
        [],
    ),
    # JW114 empty-policy
    ("no rules", "JW114", job(podFailurePolicy={"rules": []}), ["podFailurePolicy"]),
    ("no field rules", "JW114", job(podFailurePolicy={}), ["podFailurePolicy"]),
    ("a rule", "JW114", with_policy(MINDED), []),
    ("no policy", "JW114", job(), []),
    # JW115 condition-false
    (
        "the second of two patterns",
        "JW115",
        with_policy({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}, {"type": "DisruptionTarget", "status": "False"}]}),
        [at(0, STATUS).replace("onPodConditions[0]", "onPodConditions[1]")],
    ),
    ("False", "JW115", with_policy(on_condition("Ignore", "DisruptionTarget", "False")), [at(0, STATUS)]),
    ("Unknown", "JW115", with_policy(on_condition("Ignore", "DisruptionTarget", "Unknown")), [at(0, STATUS)]),
    ("True", "JW115", with_policy(MINDED), []),
    ("True by default", "JW115", with_policy({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}), []),
    ("a failed Pod is never ready", "JW115", with_policy(on_condition("Ignore", "Ready")), [at(0, STATUS)]),
    ("it may not have been scheduled", "JW115", with_policy(on_condition("Ignore", "PodScheduled", "False")), []),
    ("of unknown conditions nothing is known", "JW115", with_policy(on_condition("Ignore", "example.com/x", "Unknown")), []),
    # JW116 unknown-condition
    ("a letter too many", "JW116", with_policy(on_condition("Ignore", "DisruptionTargets")), [at(0, TYPE)]),
    ("another case", "JW116", with_policy(on_condition("Ignore", "disruptionTarget")), [at(0, TYPE)]),
    ("a reason", "JW116", with_policy(on_condition("Ignore", "EvictionByEvictionAPI")), [at(0, TYPE)]),
    ("a reason of containers", "JW116", with_policy(on_condition("Ignore", "OOMKilled")), [at(0, TYPE)]),
    ("the name in 1.25", "JW116", with_policy(on_condition("Ignore", "AlphaNoCompatGuaranteeDisruptionTarget")), [at(0, TYPE)]),
    ("a name of one's own", "JW116", with_policy(on_condition("Ignore", "ConfigIssue")), []),
    ("with a domain", "JW116", with_policy(on_condition("Ignore", "example.com/DisruptionTargets")), []),
    (
        "a readiness gate",
        "JW116",
        with_policy(
            on_condition("Ignore", "ready"), pod={"readinessGates": [{"conditionType": "ready"}]}
        ),
        [],
    ),
    # JW117 condition-always-true
    ("not ready", "JW117", with_policy(on_condition("Ignore", "Ready", "False")), [at(0, ".onPodConditions[0]")]),
    ("scheduled", "JW117", with_policy(on_condition("FailJob", "PodScheduled")), [at(0, ".onPodConditions[0]")]),
    ("not scheduled", "JW117", with_policy(on_condition("Count", "PodScheduled", "False")), []),
    # JW118 retry-dead
    ("any failure", "JW118", with_policy(on_codes("FailJob", "NotIn", 0), backoffLimit=3), ["backoffLimit"]),
    ("any but evictions", "JW118", with_policy(MINDED, on_codes("FailJob", "NotIn", 0), backoffLimit=3), ["backoffLimit"]),
    ("the limit is the default's", "JW118", with_policy(on_codes("FailJob", "NotIn", 0)), []),
    ("no retries are wanted", "JW118", with_policy(on_codes("FailJob", "NotIn", 0), backoffLimit=0), []),
    ("evictions are counted", "JW118", with_policy(on_condition("Count", "DisruptionTarget"), on_codes("FailJob", "NotIn", 0), backoffLimit=3), []),
    ("one code is left", "JW118", with_policy(on_codes("FailJob", "NotIn", 42), backoffLimit=3), []),
    ("one code is ignored", "JW118", with_policy(on_codes("Ignore", "In", 42), on_codes("FailJob", "NotIn", 42), backoffLimit=3), ["backoffLimit"]),
    ("the other container is left", "JW118", with_policy(on_codes("FailJob", "NotIn", 0, of="main"), pod=TWO, backoffLimit=3), []),
    ("a sidecar does not fail a Pod", "JW118", with_policy(on_codes("FailJob", "NotIn", 0, of="main"), pod=WITH_SIDECAR, backoffLimit=3), ["backoffLimit"]),
    # JW120 custom-condition
    ("a name of one's own", "JW120", with_policy(on_condition("FailJob", "ConfigIssue")), [at(0, TYPE)]),
    ("one of Kubernetes", "JW120", with_policy(MINDED), []),
    ("a misspelt one", "JW120", with_policy(on_condition("Ignore", "DisruptionTargets")), []),
    ("with a domain", "JW120", with_policy(on_condition("FailJob", "example.com/x")), []),
    (
        "a readiness gate",
        "JW120",
        with_policy(on_condition("FailJob", "warm"), pod={"readinessGates": [{"conditionType": "warm"}]}),
        [],
    ),
    # JW121 reserved-exit-code
    ("no command", "JW121", with_policy(on_codes("FailJob", "In", 127)), [at(0, VALUES)]),
    ("a code of the program", "JW121", with_policy(on_codes("FailJob", "In", 42)), []),
    ("NotIn lists what is expected", "JW121", with_policy(on_codes("FailJob", "NotIn", 127)), []),
    ("137, of which fail-on-signal-code tells", "JW121", with_policy(on_codes("FailJob", "In", 137)), []),
    ("137 behind a rule on disruptions", "JW121", with_policy(MINDED, on_codes("FailJob", "In", 137)), [at(1, VALUES)]),
    ("137, of which ignore-oom tells", "JW121", with_policy(on_codes("Ignore", "In", 137)), []),
    ("not on Windows", "JW121", with_policy(on_codes("FailJob", "In", 127), pod=WINDOWS), []),
    # JW123 implied-replacement
    ("not written", "JW123", with_policy(MINDED), ["podReplacementPolicy"]),
    ("written", "JW123", with_policy(MINDED, podReplacementPolicy="Failed"), []),
    ("no policy", "JW123", job(), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "code", "manifest", "expected"),
    CASES,
    ids=[f"{code} {what}" for what, code, *_ in CASES],
)
def test_a_rule_reports_these_fields(
    what: str, code: str, manifest: dict[str, Any], expected: list[str]
) -> None:
    assert fields(code, manifest) == expected


@pytest.mark.parametrize("code", [125, 126, 127, 128, 137, 139, 143])
def test_each_reserved_exit_code_is_explained(code: int) -> None:
    (finding,) = found("JW121", with_policy(MINDED, on_codes("FailJob", "In", code)))
    assert finding.message.startswith(f"Exit code {code}: {MEANINGS[code]}.")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("DisruptionTarget", "DisruptionTarget"),
        ("DisruptionTargets", "DisruptionTarget"),
        ("DisruptonTarget", "DisruptionTarget"),
        ("disruption-target", "DisruptionTarget"),
        ("Evicted", "DisruptionTarget"),
        ("PreemptionByScheduler", "DisruptionTarget"),
        ("Initialised", "Initialized"),
        ("PodHasNetwork", "PodReadyToStartContainers"),
        ("Reddy", "Ready"),
        ("Raedy", "Ready"),
        ("Steady", ""),
        ("Retry", ""),
        ("ConfigIssue", ""),
        ("Disruption", ""),
        ("", ""),
    ],
)
def test_a_near_condition_is_suggested(written: str, meant: str) -> None:
    assert meant_condition(written) == meant


def test_every_condition_of_kubernetes_means_itself() -> None:
    assert [meant_condition(name) for name in STATUSES_OF_FAILED_PODS] == [*STATUSES_OF_FAILED_PODS]


def rules_after(code: str, manifest: dict[str, Any]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = after_fix(code, manifest)["spec"]["podFailurePolicy"]["rules"]
    return rules


def test_a_shadowed_rule_moves_before_the_one_that_hides_it() -> None:
    broad, narrow = on_codes("Count", "NotIn", 0), on_codes("FailJob", "In", 42)
    assert rules_after("JW101", with_policy(MINDED, broad, narrow)) == [MINDED, narrow, broad]


def test_a_shadowed_rule_that_says_the_same_is_deleted_and_that_is_safe() -> None:
    manifest = with_policy(on_codes("FailJob", "In", 1, 2), on_codes("FailJob", "In", 2))
    (finding,) = found("JW101", manifest)
    assert finding.fix is not None
    assert finding.fix.safe
    assert rules_after("JW101", manifest) == [on_codes("FailJob", "In", 1, 2)]


def test_two_equal_rules_of_different_actions_have_no_fix() -> None:
    (finding,) = found(
        "JW101", with_policy(on_codes("Count", "In", 1), on_codes("FailJob", "In", 1))
    )
    assert finding.fix is None


def test_the_rule_on_disruptions_moves_before_the_first_that_takes_evicted_pods() -> None:
    first, second = on_codes("FailJob", "In", 3), on_codes("FailJob", "NotIn", 42)
    assert rules_after("JW102", with_policy(first, second, MINDED)) == [first, MINDED, second]


def test_a_rule_on_disruptions_is_put_first() -> None:
    failing = on_codes("FailJob", "In", 137)
    assert rules_after("JW103", with_policy(failing)) == [MINDED, failing]
    lenient = on_codes("FailJob", "In", 42)
    assert rules_after("JW104", with_policy(lenient)) == [MINDED, lenient]


def test_there_is_no_fix_where_there_is_no_room_for_a_rule() -> None:
    rules = [on_codes("FailJob", "In", code) for code in range(137, 157)]
    (finding,) = found("JW103", with_policy(*rules))
    assert finding.fix is None


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("JW103", with_policy(on_codes("FailJob", "In", 137), backoffLimit=0)),
        ("JW104", job(backoffLimit=0)),
        ("JW104", job(backoffLimitPerIndex=0, completionMode="Indexed", completions=3)),
        ("JW127", with_policy(on_codes("FailJob", "In", 42), backoffLimit=0)),
        ("JW127", with_policy(on_condition("Count", "DisruptionTarget"), backoffLimit=0)),
    ],
)
def test_a_job_that_never_runs_its_work_twice_is_not_made_to(
    code: str, value: dict[str, Any]
) -> None:
    """A restore or a license step may have backoffLimit: 0 because a second run does harm."""
    (finding,) = found(code, value)
    assert finding.fix is None
    assert "If the work may run twice, " in finding.message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([on_codes("Ignore", "In", 137)], [MINDED]),
        ([MINDED, on_codes("Ignore", "In", 137)], [MINDED]),
        ([on_codes("Ignore", "In", 75, 137)], [MINDED, on_codes("Ignore", "In", 75)]),
        ([MINDED, on_codes("Ignore", "In", 75, 137)], [MINDED, on_codes("Ignore", "In", 75)]),
        ([on_codes("Ignore", "NotIn", 1, 200)], [MINDED, on_codes("Ignore", "NotIn", 1, 137, 200)]),
    ],
)
def test_137_gives_way_to_the_condition(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    assert rules_after("JW106", with_policy(*before)) == after


def test_exit_codes_out_of_range_become_what_the_kernel_makes_of_them() -> None:
    after = rules_after("JW110", with_policy(on_codes("FailJob", "In", -1, 3, 257)))
    assert after == [on_codes("FailJob", "In", 1, 3, 255)]
    for code in (256, -1073741510):
        (finding,) = found("JW110", with_policy(on_codes("FailJob", "In", code)))
        assert finding.fix is None
        assert "never matches" in finding.message


@pytest.mark.parametrize(
    ("code", "origin"),
    [
        (-255, "(-255 is reported as 1)"),
        (-256, "; for Windows exit codes, set spec.os or the node selector of the Pod"),
        (511, "(511 is reported as 255)"),
        (512, "between 0 and 255, never 512."),
    ],
)
def test_where_a_code_out_of_range_comes_from_is_explained(code: int, origin: str) -> None:
    (finding,) = found("JW110", with_policy(on_codes("FailJob", "In", code)))
    assert origin in finding.message


def test_merged_rules_have_all_values_in_order() -> None:
    rules = [on_codes("FailJob", "In", *codes) for codes in ((9,), (3, 4), (1, 9))]
    assert rules_after("JW113", with_policy(*rules, MINDED)) == [
        on_codes("FailJob", "In", 1, 3, 4, 9),
        MINDED,
    ]


def test_all_rules_at_the_end_that_only_count_go_at_once() -> None:
    counting = [on_codes("Count", "In", code) for code in (1, 1, 2)]
    minding = on_condition("Count", "DisruptionTarget")
    failing = on_codes("FailJob", "In", 42)
    after = rules_after("JW112", with_policy(failing, *counting, minding))
    assert after == [failing, minding]
    (finding,) = found("JW112", with_policy(*counting))
    assert finding.fix is None


def test_an_empty_policy_leaves_what_it_did() -> None:
    spec = after_fix("JW114", job(podFailurePolicy={"rules": []}))["spec"]
    assert "podFailurePolicy" not in spec
    assert spec["podReplacementPolicy"] == "Failed"


def test_a_name_is_added_where_there_is_one_container_only() -> None:
    for code, pod in (("JW107", WITH_SIDECAR), ("JW109", WITH_INIT)):
        after = rules_after(code, with_policy(on_codes("FailJob", "NotIn", 42), pod=pod))
        assert after == [on_codes("FailJob", "NotIn", 42, of="main")]
        (finding,) = found(
            code,
            with_policy(
                on_codes("FailJob", "NotIn", 42), pod={**TWO, **(pod if code == "JW107" else {})}
            ),
        )
        assert finding.fix is None


def test_before_1_28_there_is_no_replacement_policy_to_write() -> None:
    assert fields("JW123", with_policy(MINDED), "1.27") == []
    (finding,) = found("JW114", job(podFailurePolicy={"rules": []}), "1.27")
    assert finding.fix is not None
    assert [edit.action for edit in finding.fix.edits] == ["delete"]
    assert not finding.fix.safe


@pytest.mark.parametrize(
    ("limit", "evictions"),
    [(0, "A single eviction fails"), (1, "2 evictions fail"), (2, "3 evictions fail")],
)
def test_the_number_of_evictions_that_fail_a_job_is_told(limit: int, evictions: str) -> None:
    value = with_policy(on_condition("Count", "DisruptionTarget"), backoffLimit=limit)
    (finding,) = found("JW127", value)
    assert finding.message.startswith(evictions)
    if limit:
        fixed = after_fix("JW127", value)
        assert fixed["spec"]["podFailurePolicy"]["rules"][0]["action"] == "Ignore"
        assert found("JW127", fixed) == []


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        *((code, True) for code in (1, 2, 126, 127, 128, 134, 139)),
        *((code, False) for code in (3, 42, 125, 129, 133, 135, 138, 140)),
    ],
)
def test_exit_codes_of_bugs_may_recur_on_every_retry(code: int, reported: bool) -> None:
    ignoring = with_policy(on_codes("Ignore", "In", code), activeDeadlineSeconds=60)
    assert bool(fields("JW105", ignoring)) is reported


def test_only_a_reason_of_memory_has_advice_about_an_exit_code() -> None:
    def message(reason: str) -> str:
        (finding,) = found("JW116", with_policy(on_condition("Ignore", reason)))
        return finding.message

    problem = "This pattern never matches: {} is a reason, not a Pod condition. Delete it."
    assert message("OOMKilled") == problem.format("OOMKilled") + (
        " To match out-of-memory kills, use exit code 137."
    )
    assert message("CrashLoopBackOff") == problem.format("CrashLoopBackOff")


def test_several_reserved_exit_codes_are_explained_one_after_another() -> None:
    (finding,) = found("JW121", with_policy(MINDED, on_codes("FailJob", "In", 126, 127)))
    assert finding.message.startswith(f"Exit code 126: {MEANINGS[126]}; 127: {MEANINGS[127]}. ")


@pytest.mark.parametrize(
    ("operator", "pods"),
    [("In", "A Pod with this exit code"), ("NotIn", "Nearly every failed Pod")],
)
def test_an_endless_replacement_says_which_pods_it_means(operator: str, pods: str) -> None:
    (finding,) = found("JW105", with_policy(on_codes("Ignore", operator, 42)))
    assert finding.message.startswith(f"{pods} is replaced without limit: ")


@pytest.mark.parametrize(
    "reason",
    [
        "Completed", "ContainerCannotRun", "ContainerStatusUnknown", "CrashLoopBackOff",
        "CreateContainerConfigError", "DeadlineExceeded", "ErrImagePull", "ImagePullBackOff", "OOMKilled",
    ],
)  # fmt: skip
def test_a_reason_of_a_container_is_no_condition(reason: str) -> None:
    (finding,) = found("JW116", with_policy(on_condition("FailJob", reason)))
    assert f"{reason} is a reason, not a Pod condition" in finding.message
