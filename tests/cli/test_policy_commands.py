"""`jobsworth policy check`, `explain` and `test`."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
import yaml

from support.cli.command_runs import Command
from support.policy.policy_file_texts import CASES, FILES, JOB, POLICY

TESTED = {"job.yaml": JOB, "house.yaml": POLICY, "house_test.yaml": CASES}
SECOND = """\
---
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: elsewhere}
spec:
  description: For others.
  priority: 5
  enforcement: warn
  match: [{namespaces: [others]}]
  defaults: {ttlSecondsAfterFinished: {value: 60}}
"""


BOUNDED = POLICY.replace(
    "    backoffLimit: {maximum: 5}\n",
    "    backoffLimit: {maximum: 5}\n    backoffLimitPerIndex: {maximum: 5}\n",
)
"""The policy without the ways around it that are warnings."""


class TestCheck:
    """``jobsworth policy check``: valid and invalid policies."""

    def test_valid_policies_are_listed_by_precedence(self, command: Command) -> None:
        done = command("policy", "check", "house.yaml", files={"house.yaml": BOUNDED + SECOND})
        assert done.code == 0
        assert done.out == (
            "elsewhere (priority 5, warn): For others.\nhouse-rules (priority 0, deny)\n"
        )

    def test_all_problems_are_reported_at_once(self, command: Command) -> None:
        bad = POLICY.replace("maximum: 5", "maximum: -5").replace("no-deadline", "no-deadlin")
        done = command("policy", "check", "house.yaml", files={"house.yaml": bad})
        assert done.code == 1
        first, second = done.out.splitlines()
        assert first.startswith("house.yaml:15:29: error: spec.limits.backoffLimit.maximum: -5")
        assert second.startswith("house.yaml:17:")
        assert "no-deadline" in second

    def test_limits_of_two_policies_that_exclude_each_other_and_an_empty_policy_are_reported(
        self, command: Command
    ) -> None:
        limits = ("{parallelism: {maximum: 3}}", "{parallelism: {minimum: 5}}")
        head = SECOND.partition("spec:")[0]
        files = {
            f"{name}.yaml": head.replace("elsewhere", name) + f"spec: {{{part}}}\n"
            for name, part in (
                ("a", f"limits: {limits[0]}"),
                ("b", f"limits: {limits[1]}"),
                ("c", "priority: -1"),
            )
        }
        done = command("policy", "check", *files, files=files)
        assert done.code == 1
        assert done.out.splitlines()[3:] == [
            "b.yaml:5:17: error: spec.limits.parallelism: no value satisfies this limit and that of policy a "
            "(change one of the two, or where one applies)",
            "c.yaml:5:1: warning: spec: has no effect: it has no defaults, limits, immutable fields, rules or "
            "expressions",
        ]

    def test_a_name_that_another_file_has_names_its_place(self, command: Command) -> None:
        done = command(
            "policy", "check", "a.yaml", "b.yaml", files={"a.yaml": SECOND, "b.yaml": SECOND}
        )
        assert done.out == (
            'b.yaml:4:18: error: metadata.name: "elsewhere" is already the name of the policy at a.yaml:4 '
            "(give each policy a unique name)\n"
        )

    def test_an_expression_that_some_release_refuses_is_a_warning(self, command: Command) -> None:
        loops = "object.spec.template.spec.containers.all(i, c, i < 5)"
        expressions = (
            f"  expressions:\n  - expression: {loops}\n  - expression: object.spec.suspend\n"
        )
        done = command(
            "policy", "check", "--kubernetes-version", "1.30,1.32,1.33", "house.yaml",
            files={"house.yaml": BOUNDED + expressions},
        )  # fmt: skip
        assert done.code == 0
        _, first, second = done.out.splitlines()
        assert first == (
            "house.yaml:20:17: warning: spec.expressions[0].expression: at line 1, column 41 of the "
            "expression: Kubernetes 1.30, 1.32 refuses it: undeclared reference to 'all' (in container '') "
            "(macros with two variables are in Kubernetes since 1.33: use one variable)"
        )
        assert second == (
            "house.yaml:21:17: warning: spec.expressions[1].expression: at line 1, column 1 of the "
            "expression: Kubernetes 1.30, 1.32, 1.33 refuses it: must evaluate to bool but got dyn "
            "(compare it: write (…) == true)"
        )

    def test_a_release_without_the_api_is_noted_with_the_one_that_is_checked(
        self, command: Command
    ) -> None:
        files = {"house.yaml": BOUNDED}
        releases = ("--kubernetes-version", "1.28,1.30")
        done = command("policy", "check", *releases, "house.yaml", files=files)
        assert (done.code, done.err) == (
            0,
            "Kubernetes 1.28 has no ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1: expressions are "
            "checked for 1.30, the first release with it\n",
        )

    def test_a_way_around_a_policy_is_a_warning(self, command: Command) -> None:
        expressions = "  expressions:\n  - expression: object.kind == 'CronJob'\n"
        done = command("policy", "check", "house.yaml", files={"house.yaml": POLICY + expressions})
        assert done.code == 0
        _, first, second = done.out.splitlines()
        assert first.startswith("house.yaml:15:5: warning: spec.limits.backoffLimit: Indexed Jobs")
        assert second.startswith(
            "house.yaml:19:17: warning: spec.expressions[0].expression: object.kind is always Job"
        )

    def test_an_expression_that_reads_an_optional_field_without_a_test_is_one_warning(
        self, command: Command
    ) -> None:
        field = "object.spec.activeDeadlineSeconds"
        expressions = (
            f"  expressions:\n  - expression: {field} < 60\n"
            "  - expression: object.spec.nothing == 1\n"
        )
        done = command("policy", "check", "house.yaml", files={"house.yaml": BOUNDED + expressions})
        assert done.code == 0
        first, second = sorted(done.out.splitlines()[1:])
        assert first == (
            "house.yaml:20:17: warning: spec.expressions[0].expression: a Job without "
            "spec.activeDeadlineSeconds is denied: no such key: activeDeadlineSeconds "
            f"(to admit it, test first: !has({field}) || …)"
        )
        assert "undefined field 'nothing'" in second

    def test_errors_do_not_hide_the_warnings_about_other_documents(self, command: Command) -> None:
        mistyped = "  expressions: [{expression: object.spec.parallelism == 'a'}]\n"
        files = {
            "bad.yaml": BOUNDED.replace("maximum: 5", "maximum: -5") + mistyped,
            "twice.yaml": SECOND + mistyped + SECOND + mistyped,
            "broken.yaml": "a: [\n",
        }
        done = command("policy", "check", *files, files=files)
        assert done.code == 1
        lines = [line.split(":") for line in done.out.splitlines()]
        assert [line[0] for line in lines if line[3] == " warning"] == ["twice.yaml"]
        assert {line[0] for line in lines if line[3] == " error"} == {*files}

    def test_which_fields_are_missing_is_open_while_a_policy_with_defaults_has_an_error(
        self, command: Command
    ) -> None:
        files = {
            "defaults.yaml": BOUNDED.replace("maximum: 5", "maximum: -5"),
            "expression.yaml": SECOND
            + "  expressions: [{expression: object.metadata.labels.team == 'x'}]\n",
        }
        done = command("policy", "check", *files, files=files)
        assert done.code == 1
        assert "warning" not in done.out

    @pytest.mark.parametrize(
        ("file", "codes"),
        [
            ("error.yaml", (1, 1, 1, 0)),
            ("warning.yaml", (0, 1, 1, 0)),
            ("note.yaml", (0, 0, 1, 0)),
            ("sound.yaml", (0, 0, 0, 0)),
            ("unreadable.yaml", (1, 1, 1, 1)),
            ("empty.yaml", (1, 1, 1, 1)),
            ("inconsistent.yaml", (1, 1, 1, 0)),
        ],
    )
    def test_the_exit_code_is_that_of_the_lowest_severity_that_fails(
        self, command: Command, file: str, codes: tuple[int, ...]
    ) -> None:
        default = BOUNDED.replace("  defaults:\n", "  defaults:\n    backoffLimit: {value: 3}\n")
        files = {
            "error.yaml": BOUNDED.replace("maximum: 5", "maximum: -5"),
            "warning.yaml": BOUNDED + "  expressions: [{expression: object.spec.nothing == 1}]\n",
            "note.yaml": POLICY.partition("spec:")[0]
            + "spec: {defaults: {backoffLimit: {value: 3}}}\n",
            "sound.yaml": BOUNDED,
            "unreadable.yaml": "a: [\n",
            "empty.yaml": "a: 1\n",
            "inconsistent.yaml": default,
        }
        for threshold, code in zip(("error", "warning", "info", "never"), codes, strict=True):
            done = command("policy", "check", "--fail-on", threshold, file, files=files)
            assert done.code == code, threshold

    def test_a_check_that_fails_on_warnings_says_so(self, command: Command) -> None:
        files = {
            "policy.yaml": BOUNDED + "  expressions: [{expression: object.spec.nothing == 1}]\n"
        }
        done = command("policy", "check", "--fail-on", "warning", "policy.yaml", files=files)
        assert done.err == "exit code 1: 1 problem of at least severity warning (--fail-on)\n"

    def test_a_default_that_the_webhook_keeps_out_after_a_plain_create_has_a_note(
        self, command: Command
    ) -> None:
        text = (
            "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: retries}\nspec:\n"
            "  defaults: {backoffLimit: {value: 3}, ttlSecondsAfterFinished: {value: 60}}\n"
        )
        done = command("policy", "check", "policy.yaml", files={"policy.yaml": text})
        (note,) = [line for line in done.out.splitlines() if ": note: " in line]
        assert note.startswith(
            "policy.yaml:5:14: note: spec.defaults.backoffLimit: with kubectl create"
        )
        assert "when: ifServerDefault" in note
        changed = text.replace("value: 3", "value: 3, when: ifServerDefault")
        done = command("policy", "check", "policy.yaml", files={"policy.yaml": changed})
        assert (done.code, ": note: " in done.out) == (0, False)

    def test_an_unknown_release_is_an_error(self, command: Command) -> None:
        done = command(
            "policy",
            "check",
            "--kubernetes-version",
            "1.3",
            "house.yaml",
            files={"house.yaml": POLICY},
        )
        assert done.code == 2
        assert 'unknown Kubernetes release "1.3": use 1.25 to 1.38' in done.err

    def test_a_default_that_does_not_satisfy_its_limit_after_a_plain_create_is_an_error(
        self, command: Command
    ) -> None:
        policy = POLICY.replace("  defaults:\n", "  defaults:\n    backoffLimit: {value: 3}\n")
        done = command("policy", "check", "house.yaml", files={"house.yaml": policy})
        assert done.code == 1
        assert done.out.splitlines()[1] == (
            "house.yaml:9:5: error: spec.defaults.backoffLimit: with its defaults, the policy denies a Job "
            "after kubectl create: spec.backoffLimit: Invalid value: 6: must be less than or equal to 5 "
            "[JP002] If backoffLimit is not set, the API server sets 6. Set backoffLimit: 5. "
            "(set when: ifServerDefault)"
        )
        default = "backoffLimit: {value: 3, when: ifServerDefault}"
        files = {"house.yaml": policy.replace("backoffLimit: {value: 3}", default)}
        assert command("policy", "check", "house.yaml", files=files).code == 0

    def test_the_policies_in_values_of_the_chart_are_checked_with_their_places(
        self, command: Command
    ) -> None:
        values = (
            "image: {tag: dev}\npolicies:\n  etl:\n    rules: {no-tll: warn}\n"
            "    limits: {backoffLimit: {maximum: -1}}\n  empty:\n"
        )
        done = command("policy", "check", "values.yaml", files={"values.yaml": values})
        assert done.code == 1
        assert done.out.splitlines() == [
            "values.yaml:5:38: error: policies[etl].limits.backoffLimit.maximum: -1 must be greater than or equal to 0",
            'values.yaml:4:21: error: policies[etl].rules[no-tll]: unknown rule "no-tll" (did you mean "no-ttl"?)',
            "values.yaml:6:9: error: policies[empty]: must be a mapping, but is empty",
        ]

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            (
                "policies: {a: [{limits: {}}]}",
                "values.yaml:1:15: error: policies[a]: must be a mapping, but is a list "
                "(the fields of a policy stand directly below its name)",
            ),
            (
                "policies: {a: {spec: {enforcement: warn}}}",
                "values.yaml:1:16: error: policies[a].spec: unknown field "
                "(the fields of a policy stand directly below its name)",
            ),
            ("policies: [{a: {}}]", "values.yaml:1:1: error: policies: must be a mapping, but is a list"),
            (
                "policies: {a: {limits: {completions: {maximum: 5}}}}\npolicyFiles: {b: {enforcement: warn}}",
                "values.yaml:2:15: error: policyFiles.b: must be the text of a file, but is a mapping "
                "(use --set-file policyFiles.b=FILE)",
            ),
            (
                "policyFiles:\n  b: 'a: 1'",
                "values.yaml:2:6: error: policyFiles.b: no JobPolicy of jobsworth.dev/v1alpha1 found in it",
            ),
            (
                "policyFiles:\n  b: |\n    apiVersion: jobsworth.dev/v1alpha1\n    kind: JobPolicy\n"
                "    metadata: {name: b}\n    spec: {enforcement: no}",
                "values.yaml policyFiles.b:4:21: error: spec.enforcement: unsupported value false "
                "(supported values: deny, warn, audit)",
            ),
        ],
    )  # fmt: skip
    def test_values_that_are_not_policies_are_errors(
        self, command: Command, values: str, expected: str
    ) -> None:
        done = command("policy", "check", "values.yaml", files={"values.yaml": values + "\n"})
        assert (done.code, done.out) == (1, f"{expected}\n")

    def test_a_key_twice_in_values_is_an_error(self, command: Command) -> None:
        values = "policies:\n  etl:\n    enforcement: warn\n    enforcement: deny\n"
        done = command("policy", "check", "values.yaml", files={"values.yaml": values})
        assert done.code == 1
        assert "values.yaml:4:5: error: " in done.out

    def test_values_in_a_folder_are_not_policies(self, command: Command) -> None:
        values = "policies: {house-rules: {enforcement: warn}}\n"
        files = {"policies/values.yaml": values, "policies/house.yaml": POLICY}
        assert command("policy", "check", "policies", files=files).code == 0


class TestExplain:
    """``jobsworth policy explain``: the findings of each policy, and the reasons."""

    def test_each_policy_is_listed_with_its_match_and_its_findings(self, command: Command) -> None:
        files = {**FILES, "policies/house.yaml": POLICY + SECOND}
        done = command("policy", "explain", "policies", "job.yaml", files=files)
        assert done.code == 0
        reported = done.out.split("\n\n")
        assert reported[0] == "Job train in namespace default: CREATE, Kubernetes 1.37"
        assert reported[1].splitlines() == [
            "elsewhere (priority 5, warn) does not match",
            '  because     does not match: namespace "default" is not among namespaces [others]',
        ]
        lines = reported[2].splitlines()
        assert lines[0] == "house-rules (priority 0, deny) matches"
        assert "  sets        spec.ttlSecondsAfterFinished: unset becomes 3600" in lines
        assert (
            "  deny        spec.backoffLimit: Invalid value: 9: must be less than or equal to 5 [JP002]"
            in lines
        )
        assert reported[3].strip() == "denied: 1 deny, 1 warn"

    def test_what_kubectl_create_does_not_get_is_shown_beside_what_is_set(
        self, command: Command
    ) -> None:
        spec = "spec: {defaults: {backoffLimit: {value: 3}}, limits: {backoffLimit: {maximum: 4}}}"
        head = POLICY[: POLICY.index("spec:")]
        files = {
            "policy.yaml": f"{head}{spec}\n",
            "job.yaml": JOB.replace("backoffLimit: 9", "suspend: false"),
        }
        done = command("policy", "explain", "policy.yaml", "job.yaml", files=files)
        _, policy, outcome = done.out.split("\n\n")[:3]
        _, _, applied, created, denied = policy.splitlines()
        assert applied == "  sets        spec.backoffLimit: 6 becomes 3"
        assert created.startswith(
            "  not set     spec.backoffLimit: with kubectl create, the API server's 6 stays, because "
        )
        assert denied.startswith(
            "  deny        with kubectl create: spec.backoffLimit: Invalid value: 6: must be less than"
        )
        assert outcome == "allowed; with kubectl create, denied"
        done = command("policy", "explain", "policy.yaml", "job.yaml", "-o", "json")
        ((found,),) = (each["policies"] for each in json.loads(done.out))
        assert [each["field"] for each in found["not_set_by_create"]] == ["spec.backoffLimit"]
        assert [each["code"] for each in found["denied_by_create"]] == ["JP002"]

    def test_another_policy_may_decide_about_a_default(self, command: Command) -> None:
        files = {**FILES, "policies/house.yaml": POLICY + SECOND}
        done = command(
            "policy", "explain", "policies", "job.yaml", "--namespace", "others", files=files
        )
        assert "sets        spec.ttlSecondsAfterFinished: unset becomes 60" in done.out
        assert "skips       spec.ttlSecondsAfterFinished: policy elsewhere sets it" in done.out

    def test_user_and_namespace_can_be_given(self, command: Command) -> None:
        match = (
            "  match:\n    - users: [alice]\n      groups: [ml]\n"
            "      namespaceSelector: {matchLabels: {tier: research}}\n"
        )
        files = {**FILES, "policies/house.yaml": POLICY + match}
        arguments = ("policy", "explain", "policies", "job.yaml")
        unknown = command(*arguments, files=files)
        assert "may match" in unknown.out
        known = command(
            *arguments, "--user", "alice", "--group", "dev", "--group", "ml",
            "--namespace-labels", "tier=research",
        )  # fmt: skip
        assert "house-rules (priority 0, deny) matches\n  because     matches: " in known.out
        assert "CREATE by alice" in known.out
        other = command(*arguments, "--user", "bob", "--namespace-labels", "tier=research")
        assert "does not match" in other.out

    def test_an_update_is_explained_as_one(self, command: Command) -> None:
        old = JOB.replace("backoffLimit: 9", "backoffLimit: 10")
        files = {**FILES, "deployed.yaml": old}
        done = command(
            "policy", "explain", "policies", "job.yaml", "--against", "deployed.yaml", files=files
        )
        assert ": UPDATE, Kubernetes" in done.out
        assert "denied: 1 deny" in done.out

    def test_a_field_that_keeps_its_stored_value_is_named(self, command: Command) -> None:
        ignore = "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}"
        fail = "{action: FailJob, onExitCodes: {operator: In, values: [42]}}"
        policy = f"spec: {{defaults: {{podFailurePolicy: {{rulesBefore: [{ignore}]}}}}}}\n"
        head = POLICY.partition("spec:")[0]
        job = JOB.replace("spec:\n", f"spec:\n  podFailurePolicy: {{rules: [{fail}]}}\n", 1)
        files = {
            "policy.yaml": head + policy,
            "job.yaml": job,
            "deployed.yaml": job.replace("[{action", f"[{ignore}, {{action", 1),
        }
        update = ("policy.yaml", "job.yaml", "--against", "deployed.yaml")
        done = command("policy", "explain", *update, files=files)
        assert "keeps spec.podFailurePolicy as stored" in done.out
        done = command("validate", "--policy", *update)
        assert "immutable" not in done.out
        done = command("validate", *update[1:])
        assert "field is immutable" in done.out

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (["policies"], "missing the policies or a manifest"),
            (
                ["policies", "nowhere.yaml"],
                "nowhere.yaml: no such file or folder; check the path",
            ),
            (["policies", "job.yaml", "--namespace-labels", "a"], "not of the form KEY=VALUE"),
            (["job.yaml", "job.yaml"], "no JobPolicy"),
            (["policies", "job.yaml", "--kubernetes-version", "9"], "unknown Kubernetes release"),
        ],
    )
    def test_inputs_that_cannot_be_explained(
        self, command: Command, arguments: list[str], expected: str
    ) -> None:
        done = command("policy", "explain", *arguments, files=FILES)
        assert done.code == 2
        assert expected in done.err

    def test_the_explanation_as_json(self, command: Command) -> None:
        done = command("policy", "explain", "policies", "job.yaml", "-o", "json", files=FILES)
        assert done.code == 0
        (explained,) = json.loads(done.out)
        assert (explained["outcome"], explained["namespace"]) == ("Denied", "default")
        (policy,) = explained["policies"]
        assert (policy["name"], policy["matches"], policy["certain"]) == ("house-rules", True, True)
        assert policy["sets"][-1] == {
            "field": "spec.ttlSecondsAfterFinished", "before": None, "after": 3600,
        }  # fmt: skip
        assert [each["code"] for each in policy["violations"]] == ["JP002", "JW201"]

    def test_the_message_of_a_policy_is_shown_once_and_in_each_hint(self, command: Command) -> None:
        done = command("policy", "explain", "policies", "job.yaml", files=FILES)
        assert done.out.count("\n  message     See the handbook.\n") == 1
        done = command("policy", "explain", "policies", "job.yaml", "-o", "json")
        (violations,) = [each["violations"] for each in json.loads(done.out)[0]["policies"]]
        assert violations
        assert all(each["hint"].endswith("See the handbook.") for each in violations)

    def test_a_profile_is_explained_beside_policies_or_alone(self, command: Command) -> None:
        beside = ("policy", "explain", "--profile", "baseline", "policies", "job.yaml")
        done = command(*beside, files=FILES)
        assert done.code == 0
        assert "house-rules (priority 0, deny) matches" in done.out
        assert "baseline (priority 0, warn) matches" in done.out
        alone = command(
            "policy", "explain", "--profile", "baseline", "-n", "kube-system", "job.yaml"
        )
        assert "baseline (priority 0, warn) does not match" in alone.out
        assert 'exempt: namespace "kube-system"' in alone.out


class TestChartValues:
    """``jobsworth policy chart-values``: policies as values of the Helm chart."""

    def test_the_specs_are_printed_by_name(self, command: Command) -> None:
        done = command(
            "policy", "chart-values", "house.yaml", files={"house.yaml": POLICY + SECOND}
        )
        assert done.code == 0
        values = yaml.safe_load(done.out)
        documents = {each["metadata"]["name"]: each for each in yaml.safe_load_all(POLICY + SECOND)}
        assert values == {"policies": {name: each["spec"] for name, each in documents.items()}}

    def test_an_invalid_policy_prints_nothing(self, command: Command) -> None:
        bad = POLICY.replace("maximum: 5", "maximum: -5")
        done = command("policy", "chart-values", "house.yaml", files={"house.yaml": bad})
        assert (done.code, done.out) == (2, "")
        assert "house.yaml:15:29: error: spec.limits.backoffLimit.maximum: -5" in done.err


class TestTest:
    """Cases beside policies."""

    def test_cases_that_pass(self, command: Command) -> None:
        done = command("policy", "test", files=TESTED)
        assert (done.code, done.out) == (0, "ok   house_test.yaml (2 cases)\n")
        assert done.err == "2 passed, 0 failed\n"

    def test_verbose_names_them(self, command: Command) -> None:
        done = command("policy", "test", "-v", ".", files=TESTED)
        assert "  ok   nine retries are too many\n" in done.out

    def test_a_case_that_fails_shows_the_difference_and_its_place(self, command: Command) -> None:
        lenient = POLICY.replace("maximum: 5", "maximum: 50")
        done = command("policy", "test", files={**TESTED, "house.yaml": lenient})
        assert done.code == 1
        assert done.err == "0 passed, 2 failed\n"
        assert done.out.splitlines()[:6] == [
            "FAIL house_test.yaml (2 cases)",
            "  FAIL house_test.yaml:5: nine retries are too many",
            "       verdict:",
            "       - deny",
            "       + allow",
            "       deny:",
        ]

    @pytest.mark.parametrize(
        ("expect", "difference"),
        [
            ("deny", []),
            ("{verdict: deny}", []),
            ("allow", ["verdict:", "- allow", "+ deny", "+ JP002 spec.backoffLimit: Invalid"]),
            ("{deny: [must be less than]}", []),
            ("{deny: [{message: See the handbook}]}", []),
            ("{deny: [{policy: house-rules, code: JP002}]}", []),
            ("{deny: [{policy: other}]}", ["deny:", "- policy: other", "+ JP002"]),
            ("{deny: [{code: JP001}]}", ["deny:", "- code: JP001", "+ JP002"]),
            ("{deny: [JP, {field: spec.x}]}", ["deny:", "- message: JP"]),
            ("{verdict: deny, warn: [{code: JW201}]}", []),
            ("{verdict: deny, warn: []}", ["warn:", "- nothing", "+ JW201"]),
            ("{verdict: deny, audit: []}", []),
            ("{verdict: deny, audit: [x]}", ["audit:", "- message: x", "+ nothing"]),
            ("{verdict: deny, patch: {spec.ttlSecondsAfterFinished: 3600}}", []),
            (
                "{verdict: deny, patch: {spec.ttlSecondsAfterFinished: 60}}",
                ["patch of spec.ttlSecondsAfterFinished:", "- 60", "+ 3600"],
            ),
            (
                "{verdict: deny, patch: {spec.ttlSecondsAfterFinished: null}}",
                ["patch of spec.ttlSecondsAfterFinished:", "- nothing", "+ 3600"],
            ),
            ("{verdict: deny, patch: {spec.suspended: true}}", ["- true", "+ nothing"]),
            ("{verdict: deny, patch: {spec.activeDeadlineSeconds: null}}", []),
            ("{verdict: deny, patch: {}}", ["patch of spec.podFailurePolicy:", "- nothing"]),
            (
                '{verdict: deny, patch: {"spec.podFailurePolicy.rules[0].action": Ignore}}',
                [],
            ),
        ],
    )
    def test_expectations(self, command: Command, expect: str, difference: list[str]) -> None:
        cases = (
            "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicyTest\nspec:\n  cases:\n"
            f"    - name: a case\n      manifest: job.yaml\n      expect: {expect}\n"
        )
        done = command("policy", "test", files={**TESTED, "house_test.yaml": cases})
        assert done.code == bool(difference)
        for line in difference:
            assert f"       {line}" in done.out

    def test_a_manifest_that_the_api_server_rejects_fails_its_case(self, command: Command) -> None:
        bad = JOB.replace("backoffLimit: 9", "backoffLimit: -9")
        done = command("policy", "test", files={**TESTED, "job.yaml": bad})
        assert (
            "the API server rejects the manifest: spec.backoffLimit: Invalid value: -9" in done.out
        )

    @pytest.mark.parametrize(
        ("manifest", "expected"),
        [
            ("{kind: Job}", "the manifest is not a Job or CronJob of batch/v1"),
            (
                "{apiVersion: batch/v1, kind: Job, spec: {suspend: maybe}}",
                "the API server cannot decode the manifest: spec.suspend",
            ),
        ],
    )
    def test_so_does_one_that_is_no_job(
        self, command: Command, manifest: str, expected: str
    ) -> None:
        cases = CASES.replace("manifest: job.yaml", f"manifest: {manifest}")
        done = command("policy", "test", files={**TESTED, "house_test.yaml": cases})
        assert done.code == 1
        assert expected in done.out

    def test_the_policies_are_those_of_the_folder_where_no_file_has_the_name(
        self, command: Command
    ) -> None:
        files = {"a/job.yaml": JOB, "a/one.yaml": POLICY, "a/all_test.yaml": CASES}
        assert command("policy", "test", "a", files=files).code == 0

    def test_or_those_that_are_named(self, command: Command) -> None:
        named = CASES.replace("spec:\n", "spec:\n  policies: [../house.yaml]\n", 1)
        files = {"a/job.yaml": JOB, "house.yaml": POLICY, "a/all_test.yaml": named}
        assert command("policy", "test", "a", files=files).code == 0
        lenient = POLICY.replace("maximum: 5", "maximum: 50")
        done = command("policy", "test", "a", "--policy", "b.yaml", files={"b.yaml": lenient})
        assert done.code == 1

    def test_cases_can_be_chosen_by_name(self, command: Command) -> None:
        done = command("policy", "test", "--name", "an hour", files=TESTED)
        assert done.err == "1 passed, 0 failed\n"
        assert command("policy", "test", "--name", "no such").code == 2

    def test_the_release_is_the_cases_or_the_command_lines(self, command: Command) -> None:
        old = CASES.replace("spec:\n", 'spec:\n  kubernetesVersion: "1.25"\n', 1)
        # Kubernetes 1.25 drops failure policies: their gate was off.
        done = command("policy", "test", files={**TESTED, "house_test.yaml": old})
        assert done.code == 0
        assert command("policy", "test", "--kubernetes-version", "1.36").code == 0

    def test_a_case_that_no_policy_matches_is_counted(self, command: Command) -> None:
        elsewhere = POLICY.replace("spec:\n", "spec:\n  match: [{namespaces: [web]}]\n", 1)
        reason = (
            'no policy matches: house-rules does not match: namespace "default" is not among '
            "namespaces [web]\n"
        )
        allowed = CASES[: CASES.index("      expect:")] + "      expect: allow\n"
        files = {**TESTED, "house.yaml": elsewhere, "house_test.yaml": allowed}
        done = command("policy", "test", files=files)
        assert (done.code, done.out) == (0, "ok   house_test.yaml (1 case)\n")
        assert done.err == "1 passed, 0 failed; no policy matches 1 case (see --verbose)\n"
        assert reason in command("policy", "test", "--verbose").out
        done = command("policy", "test", files={"house_test.yaml": CASES})
        assert done.code == 1
        assert reason in done.out

    def test_a_case_that_depends_on_the_user_must_name_one(self, command: Command) -> None:
        expression = "request.userInfo.username == 'ci'"
        policy = f"{POLICY}  expressions: [{{expression: {json.dumps(expression)}}}]\n"
        policy = policy.replace("backoffLimit: {maximum: 5}", "backoffLimit: {maximum: 50}")
        case = CASES[: CASES.index("      expect:")]
        files = {**TESTED, "house.yaml": policy, "house_test.yaml": f"{case}      expect: allow\n"}
        done = command("policy", "test", files=files)
        assert done.code == 1
        assert "the user is not known (set request.user)" in done.out
        known = f"{case}      request: {{user: ci}}\n      expect: allow\n"
        assert command("policy", "test", files={"house_test.yaml": known}).code == 0

    def test_cases_in_a_file_of_another_name_are_not_skipped(self, command: Command) -> None:
        files = {**TESTED, "team-test.yaml": CASES}
        done = command("policy", "test", files=files)
        assert done.code == 2
        assert (
            "team-test.yaml:2:7: error: kind: must be in a file *_test.yaml, or its cases are not run: rename "
            "the file"
        ) in done.err

    def test_a_patch_of_a_field_that_no_job_has_fails(self, command: Command) -> None:
        patch = (
            "{spec.ttlSecondsAfterFinishd: null, 'spec.podFailurePolicy.rules[5].action': null, "
            "'metadata.labels[a.b/c]': null, spec.template.spec.dnsPolicies.x: null}"
        )
        cases = CASES.replace("{spec.ttlSecondsAfterFinished: 3600}", patch)
        done = command("policy", "test", files={**TESTED, "house_test.yaml": cases})
        assert [line.strip() for line in done.out.splitlines() if "patch of" in line] == [
            "patch of spec.ttlSecondsAfterFinishd: the Job has no such field",
            "patch of spec.template.spec.dnsPolicies.x: the Job has no such field",
        ]

    def test_reports_for_programs(self, command: Command) -> None:
        files = {**TESTED, "house.yaml": POLICY.replace("3600", "60")}
        done = command("policy", "test", "-o", "json", files=files)
        assert done.code == 1
        report = json.loads(done.out)
        assert report["summary"] == {"passed": 1, "failed": 1}
        assert report["cases"][1]["failures"] == [
            "patch of spec.ttlSecondsAfterFinished:\n- 3600\n+ 60"
        ]
        junit = ElementTree.fromstring(command("policy", "test", "-o", "junit").out)
        (suite,) = junit
        assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
        assert [case.find("failure") is not None for case in suite] == [False, True]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("spec: [\n", "house_test.yaml:1:7: error: "),
            (
                CASES.replace("expect:\n        deny", "expects:\n        deny"),
                'house_test.yaml:7:7: error: spec.cases[0].expects: unknown field (did you mean "expect"?)',
            ),
            (
                CASES.replace("- name: nine retries are too many\n", "- {}\n    - name: x\n"),
                "spec.cases[0].name: must be set",
            ),
            (
                CASES.replace("v1alpha1", "v2"),
                "house_test.yaml:1:13: error: apiVersion: unsupported value",
            ),
            (CASES.replace("manifest: job.yaml", "manifest: no.yaml"), "no.yaml:1:1: no such file"),
            (
                CASES.replace("manifest: job.yaml", "manifest: 1"),
                "house_test.yaml:6:17: error: spec.cases[0].manifest: must be a mapping or a string",
            ),
            (CASES.replace("verdict: deny", "verdict: no"), "supported values: deny, allow"),
            (CASES.replace("deny: [", "verdict: allow, deny: ["), "error"),
            (
                CASES.replace("deny: [{code: JP002, field: spec.backoffLimit}]", "deny: JP002"),
                "must be a list",
            ),
            (CASES.replace("code: JP002", "cod: JP002"), 'did you mean "code"?'),
            (
                CASES.replace("patch: {spec", "patch: [spec").replace("3600}", "3600]"),
                "spec.cases[1].expect.patch: must be a mapping",
            ),
            (
                CASES.replace("spec:\n", "spec:\n  kubernetesVersion: 1.36\n", 1),
                "house_test.yaml:4:22: error: spec.kubernetesVersion: must be a string",
            ),
            (
                CASES.replace("expect:", "request: {groups: x}\n      expect:"),
                "groups: must be a list (write [x])",
            ),
            (
                "kind: JobPolicyTest\napiVersion: jobsworth.dev/v1alpha1\nspec: {}\n",
                "spec.cases: must be set",
            ),
            ("a: b\n", "no test cases; write"),
            (
                CASES.replace("kind: JobPolicyTest", "kind: JobPolicyTests"),
                'house_test.yaml:2:7: error: kind: must be JobPolicyTest (did you mean "JobPolicyTest"?)',
            ),
            (
                CASES.replace("a Job is deleted after an hour", "nine retries are too many"),
                "house_test.yaml:9:13: error: spec.cases[1].name: must not be the name of another case",
            ),
            (
                CASES.replace("deny: [{code: JP002, field: spec.backoffLimit}]", "{}"),
                "spec.cases[0].expect: must not be empty: write allow, or details",
            ),
            (
                CASES.replace(
                    "manifest: job.yaml", "manifest: team.yaml\n      request: {namespace: web}"
                ),
                "spec.cases[0].request.namespace: must be ml, the namespace in the manifest: an API server",
            ),
        ],
    )
    def test_cases_that_cannot_be_read(self, command: Command, text: str, expected: str) -> None:
        team = JOB.replace("name: train\n", "name: train\n  namespace: ml\n", 1)
        done = command(
            "policy", "test", files={**TESTED, "team.yaml": team, "house_test.yaml": text}
        )
        assert done.code == 2
        assert expected in done.err
        assert "Usage:" not in done.err or "no test cases" in expected


def test_help_names_the_commands(command: Command) -> None:
    done = command("policy", "--help")
    assert {"check", "explain", "test"} <= set(done.out.split())
