"""Rules about failure policies: which of their rules can decide, and for which failures (KEP-3329)."""

from __future__ import annotations

from jobsworth.api.fix import Edit, Fix
from jobsworth.policy.lint.failures import covering
from jobsworth.policy.lint.rule import Complaint, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.policy.lint.subject import Subject

KEP = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/3329-retriable-and-non-retriable-failures"
POLICY_PAGE = "https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy"


def _rule_shadowed(job: Subject) -> Iterator[Complaint]:
    for index, earlier in enumerate(covering(job.rules, job.container_names(), windows=job.windows)):
        if not earlier:
            continue
        path = job.rule_path(index)
        actions = {job.rules[number].get("action") for number in earlier}
        fix = None
        if actions == {job.rules[index].get("action")}:
            fix = Fix("delete the rule", Edit("delete", path), safe=True)
        elif len(earlier) == 1:
            position = job.rule_path(earlier[0])
            fix = Fix("move the rule up", Edit("move", path, position), safe=False)
        named = " and ".join(f"rules[{number}]" for number in earlier)
        yield Complaint(
            path, f"this rule never decides: {named} before it matches whenever it would", fix
        )


RULES = (
    Rule(
        "JW101",
        "rule-shadowed",
        severity="warning",
        summary="A rule of a failure policy is covered by earlier rules.",
        why="""\
The rules are taken in order and the first that matches decides, so a rule whose every case is taken by
earlier ones is never asked. What its author wanted (often to fail the Job at once for one exit code) does
not happen, and nobody is told: the Job retries until its limit.""",
        sources=(f"KEP-3329, {KEP}", POLICY_PAGE),
        bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
      - action: Count
        onExitCodes: {operator: NotIn, values: [0]}
      - action: FailJob
        onExitCodes: {operator: In, values: [42]}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/train:1.4
""",
        good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes: {operator: In, values: [42]}
      - action: Count
        onExitCodes: {operator: NotIn, values: [0]}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/train:1.4
""",
        check=_rule_shadowed,
        fixable="unsafe",
    ),
)
