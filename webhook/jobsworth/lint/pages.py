"""Markdown pages of rules, and their index.

The prose of a page is a file in ``rule_pages``, with the sections "Why", "Bad", "Good" and "Sources".
Reporting findings does not read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jobsworth.lint.catalogue import CatalogueEntry
from jobsworth.lint.lint_rule import DEFAULT_CONFIDENCE, Rule
from jobsworth.wording import count

EXPLANATIONS = {
    "JW001": """\
The API server rejects unknown fields when the request asks for strict validation, as kubectl does
by default (`--validate=strict`). Without it, the server drops the field without an error, so that a
misspelled `backofLimit` has no effect.

Rename the field, or move it to the place that the hint names. If the field is of a later release,
set `--kubernetes-version` to that of your cluster. The server stops at such errors; what it would
report next is marked in the report.""",
    "JW002": """\
The API server cannot decode the value, and rejects the request before it validates anything else.
Typical causes are quotes around a number, an unquoted `yes` or `1.10` where a string is expected, a
duration (`2h`) in a field of seconds, and a unit that quantities do not have (`1GB`).""",
    "JW003": """\
The field has no default, and the API server rejects the object without it. If you wrote it, look
for a wrong indentation: it may belong to another object.""",
    "JW004": """\
The message is that of the API server: it gives the rejected value and the condition. If the value
is a placeholder such as `${NAME}`, render the manifest first.""",
    "JW005": """\
The message lists the supported values. They are case-sensitive: `Never`, not `never`.""",
    "JW006": """\
The API server uses the value as a key, such as the name of a container or volume. Rename or remove
one of the two.""",
    "JW007": """\
The field may not be set here, or not together with another one that the message names. Many fields
cannot be changed after the object was created.""",
    "JW008": """\
Shorten the value to the number of characters or bytes that the message gives.""",
    "JW009": """\
Shorten the list to the number of items that the message gives.""",
    "JW010": """\
A field names something that the manifest does not contain, such as a volume of the Pod in
`volumeMounts`. The hint lists what it contains.""",
    "JW020": """\
The field belongs to a feature that is not enabled in the release. The API server stores the object
without it. Set `--feature-gates` if your cluster enables the feature.""",
    "JW021": """\
The object to compare with, from `--against` or `--git-ref`, cannot be decoded. Correct it first.""",
    "JW011": """\
The validating webhook of JobSet reports some errors without a field, as internal errors. The finding is
at the field that the message is about.""",
    "JW022": """\
Fix the reported errors and run the command again.""",
    "JW023": """\
kubectl prints the same text after `Warning:`, and the object is stored. One code covers all of these
warnings, because their texts say what is meant: labels of nodes and annotations that were replaced, types of
volumes that no node supports, null selectors that match no Pod, environment variables, ports, addresses and
paths that occur twice, a name that is not a DNS label, fractions of a byte, a negative grace period. Each
release warns in its own words (from `pkg/api/pod/warnings.go`, `pkg/api/job/warnings.go` and the strategies
in `pkg/registry/batch`); at an update it warns about the spec only if the spec changes.

Where a lint rule reports the same at the same place (JW217, JW221, JW504, JW505), only the lint rule is
reported, because it says what to do. If that rule is ignored, the warning of the server is reported.""",
    "JW024": """\
The API server validates some fields of a Pod that it does not validate in the Pod template of a Job. So the
Job is created, and its controller fails to create a Pod, again and again: the Job has events with the reason
FailedCreate, and stays active until its deadline, if it has one, because nothing counts as a failed Pod.
The message repeats what the API server will say about the Pod:

- an image with white space around it, often from a template or a block scalar (`--fix` removes it);
- `nodeName` beside `schedulingGates`;
- a finalizer of the template without a domain (`example.com/cleanup`);
- an image volume without a reference (in Kubernetes 1.37 the Job is rejected);
- with `hostNetwork`, a port that two containers have: each of their ports is one of the node;
- requests or limits of the Pod (`spec.resources`) that the defaults of its containers exceed;
- `priority` or `preemptionPolicy` without the PriorityClass that has them, and `overhead` without a
  RuntimeClass: a manifest that was exported from a Pod has values that the API server computed;
- since 1.37, a negative `terminationGracePeriodSeconds`.

Not evaluated: quotas, limit ranges, Pod Security, webhooks, and whether the classes and service accounts that
the Pod names exist. JW416 is the same for the Jobs of a CronJob.""",
    "JW025": """\
The API server takes any text for an image. The kubelet parses it by the grammar of
[distribution/reference](https://github.com/distribution/reference), and if it cannot, the container waits
with the reason InvalidImageName. No limit of the Job counts that: only `activeDeadlineSeconds` ends it.

An image is `[registry[:port]/]repository[:tag][@digest]`: the repository in lower case; the tag of at most
128 letters, digits, `_`, `.` and `-` (so no `+` of a semantic version); the digest `sha256:` and 64
hexadecimal digits. A scheme such as `https://` is not part of it.

The hint names what a template engine left behind: `<no value>`, `None`, `null`, or a number such as
`2.4e+06`. A placeholder such as `${IMAGE}`, `<registry>/app` or `IMAGE_NAME` is an info finding, once for an
object: the manifest is a template. The fixes of a scheme and of uppercase letters are unsafe, because another
image may be meant.

The API server also takes any text for the `medium` of an emptyDir. The kubelet knows `Memory`, `HugePages`
and `HugePages-<size>`, in this spelling. With another one, such as `memory`, it cannot set up the volume, and
a Pod that mounts it waits in ContainerCreating. The fix is unsafe, because it may be another medium.""",
    "JW026": """\
`jobsworth validate --server` creates the object in the cluster as a dry run. The message is that of the
API server, or of the admission plugin or webhook that refuses it: a quota on Jobs, a policy, a namespace
that does not exist. Errors that the API server reports at a field have its own codes (JW001 to JW010).""",
    "JW027": """\
`jobsworth validate --server` creates the Pod that the Job controller would create, as a dry run. The
API server accepts the Job and refuses the Pod: because of a ResourceQuota, a LimitRange, the Pod Security
level of the namespace, a missing ServiceAccount, or an admission webhook. The Job would stay active without
Pods, with events of the reason FailedCreate, until its deadline, if it has one. A quota may have room again
later.""",
    "JW029": """\
Verdicts are those of the newest patch of a release. Kubernetes 1.36.0 and 1.36.1 let the template of a
suspended Job change only once the Job controller has written the condition Suspended into its status; 1.36.2
does so as soon as the Job is suspended and has not started. Update the API server, or repeat the change a
moment later.""",
    "JW028": """\
An API server calls a webhook in a dry run only if its configuration has `sideEffects: None` or
`NoneOnDryRun`, and refuses the request otherwise. What the webhook would do is not known, and what comes
after it was not checked.""",
    "JW090": """\
Nothing in the document was validated. The message says what cannot be parsed, and how to write it.""",
    "JW091": """\
Render the template and validate the result: `helm template chart/ | jobsworth validate -`. In a folder, the
templates outside of charts have one note with their number. A document that cannot be parsed for another
reason than a template expression is an error, also in a template.""",
    "JW092": """\
With `--mixed`, such a document is skipped. Without it, it is an error.""",
    "JW093": """\
Move bulk data out of the object, into a ConfigMap, a volume or an image.""",
    "JW094": """\
A patch has only the fields that change, so that it is never a valid Job. Validate what kustomize
renders: `jobsworth validate --kustomize overlay/`, or `--render` for all overlays.""",
    "JW095": """\
jobsworth validates Jobs and CronJobs, and what operators create from the kinds that `jobsworth kinds`
lists. An object of another kind may contain a Job as text (ConfigMap) or the template of a Pod. Write the
Job as a manifest of its own, or describe the kind under `kinds` in the configuration. Some kinds, such as a
Workflow of Argo, have no Pod template that could be validated; the finding says so. To make it fail a run,
raise its severity in the configuration: `severity: {JW095: error}`.""",
    "JW096": """\
kubectl decodes each document of a file as one object. For a list it stops with `json: cannot unmarshal
array`, so that nothing is created. Write each object as a document of its own, with `---` between them, or
make them the `items` of an object of the kind List (apiVersion `v1`).""",
    "JW097": """\
Nothing was validated there: the file is empty, or has only comments, values or text; the folder has no
manifest. Often the path is wrong. `--allow-empty` allows it. `--fail-on-empty` makes each named path
without a Job or CronJob an error with exit code 2, for CI. With `--mixed`, this is not reported, because a
hook names every file of a commit.""",
    "JW098": """\
With `--against` or `--git-ref`, the change is one that the API server rejects in an update: `field is
immutable`. But the object has an annotation with which its release tool deletes it before it creates it again
(a hook of Helm or Argo CD by its deletion policy, `Force=true` of Argo CD, `force: enabled` of Flux), so that
it is validated as a new one. Its Pods are deleted with it. A hook of which only failures are deleted is no
such object: its update fails.""",
    "JW099": """\
The templates of a Helm chart are not manifests before they are rendered. In a folder, each chart has one note
with their number. With `--render`, helm renders every chart, and the note is for those that have nothing to
render (library charts). `jobsworth validate --helm CHART` renders one chart.""",
}
"""The meaning of each code, and what to do."""


FAMILIES = {
    "JW1": "Failure policies",
    "JW2": "Jobs",
    "JW3": "The text of a manifest",
    "JW4": "CronJobs",
    "JW5": "Pods",
    "JW6": "Pod Security Standards",
    "JW7": "References to other objects",
    "JW8": "JobSets",
    "JW9": "Ignores",
}
"""Titles of the families of rules, by code prefix."""

_FIXES = {
    "": "none",
    "safe": "safe, with `--fix`: the behavior of the Job does not change",
    "unsafe": "unsafe, with `--fix --unsafe`: the behavior of the Job may change",
}

_CONFIDENCES = {
    "certain": "certain: it follows from the behavior of Kubernetes",
    "likely": "likely: true in at least 19 of 20 real manifests",
    "opinion": "opinion: reviewers disagree; `--min-confidence opinion` reports it",
}

_INTRODUCTION = """\
# Rules

Each finding of `jobsworth validate` has a code. `jobsworth rule JW101` prints the page of a rule, and
`jobsworth rule` lists them all. The command `jobsworth rule --directory docs/rules` generates these pages.

To ignore a finding, add the comment `# jobsworth: ignore[JW101] reason` on its line, the annotation
`jobsworth.dev/ignore`, or an entry in the configuration, with codes, names or code prefixes (`JW1`). Select a
rule that is off by default to enable it, or report all opinions with `--min-confidence opinion`; with
`--min-confidence certain` only what follows from the behavior of Kubernetes is reported.

Each page says how often the rule is reported on valid Jobs and CronJobs of public repositories, many of them
examples and test data; `benchmarks/rule_findings.py` counts them.
"""


class RuleExplanation:
    """The prose about a rule.

    Attributes:
        why: the effect of the problem, and its solution, in one or more paragraphs.
        bad: a manifest that the rule reports; a byte that is not UTF-8 is escaped (``\\xfc``).
        good: the same manifest, fixed.
        sources: KEP and section, documentation page, issue or source file behind the rule.
    """

    __slots__ = ("bad", "good", "sources", "why")

    def __init__(self, text: str) -> None:
        self.why = _section_of(text, "Why")
        self.bad = _without_fence(_section_of(text, "Bad"))
        self.good = _without_fence(_section_of(text, "Good"))
        self.sources = [line[2:] for line in _section_of(text, "Sources").splitlines()]


def explanation(rule: Rule) -> RuleExplanation:
    """Read the prose about a rule."""
    return RuleExplanation(_text(rule))


def file_name(rule: Rule | CatalogueEntry) -> str:
    """Return the file name of a code's page, and of a rule's prose, such as ``JW101-rule-shadowed.md``."""
    return f"{rule.code}-{rule.name}.md"


def page(rule: Rule, simulation: str = "") -> str:
    """Return the page of a rule: condition, effect, a bad and a good example, sources.

    Args:
        simulation: a section that shows the examples in a simulation; empty for none.
    """
    before, sources, rest = _text(rule).partition("## Sources")
    on = rule.is_reported_at(DEFAULT_CONFIDENCE)
    return f"""\
# {rule.code} {rule.name}

{rule.summary}

- Severity: {rule.severity}
- Confidence: {_CONFIDENCES[rule.confidence]}
- Fix: {_FIXES[rule.fixable]}
- Reported by default: {"yes" if on else f"no, select it: `--select default,{rule.code}`"}
{_frequency(rule)}
{before}{simulation}{sources}{rest}
## To ignore it

Add `# jobsworth: ignore[{rule.code}] reason` on the line of the finding, or before the first key of a
document to ignore it in the whole document.
"""


def _frequency(rule: Rule) -> str:
    """Return the line that says how often a rule is reported; empty if it was not measured."""
    table = _measured()
    if rule.code not in table["reported"]:
        return ""
    objects, repositories = table["reported"][rule.code]
    corpus = f"{table['objects']:,} valid Jobs and CronJobs"
    if not objects:
        return f"- In public repositories: in none of {corpus}\n"
    share = 100 * objects / table["objects"]
    shown = f"{share:.0f}" if share >= 1 else f"{share:.1f}"
    where = count(repositories, "repository")
    return f"- In public repositories: in {objects:,} of {corpus} ({shown} %), from {where}\n"


def _measured() -> dict[str, Any]:
    """Return the counts that ``benchmarks/rule_findings.py`` has written."""
    import json
    from importlib.resources import files

    text = (files(__package__) / "findings_in_public.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def _text(rule: Rule) -> str:
    from importlib.resources import files

    return (files(__package__) / "rule_pages" / file_name(rule)).read_text(encoding="utf-8")


def _section_of(text: str, title: str) -> str:
    return text.partition(f"## {title}\n\n")[2].partition("\n\n## ")[0].rstrip("\n")


def _without_fence(section: str) -> str:
    """Return an example without its code fence."""
    return section.partition("\n")[2].removesuffix("```")


def short_page(entry: CatalogueEntry) -> str:
    """Return the page of a code without a rule, such as ``JW004``."""
    if entry.verdict and entry.code < "JW09":
        note = "This is an error of the API server, in its own words. It cannot be ignored.\n"
    else:
        note = "No lint rule produces this finding, so it cannot be selected.\n"
    explained = f"{EXPLANATIONS[entry.code]}\n\n" if entry.code in EXPLANATIONS else ""
    head = f"# {entry.code} {entry.name}\n\n{entry.summary}\n\n- Severity: {entry.severity}\n\n"
    return f"{head}{explained}{note}"


def table(entries: Sequence[CatalogueEntry]) -> str:
    """Return codes as aligned lines: code, name, severity, fix, summary."""
    rows = [("code", "name", "severity", "fix", "summary")]
    for entry in entries:
        summary = entry.summary if entry.on else f"{entry.summary} (off by default)"
        rows.append((entry.code, entry.name, entry.severity, entry.fixable or "-", summary))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = (
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]])
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines)


def index(rules: Sequence[Rule], others: Iterable[CatalogueEntry]) -> str:
    """Return the index page: links to the pages of rules, and to those of other codes."""
    parts = [_INTRODUCTION]
    for beginning, title in FAMILIES.items():
        family = [rule for rule in rules if rule.code.startswith(beginning)]
        if family:
            rows = [
                _row(
                    f"[{rule.code}]({file_name(rule)})",
                    rule.name,
                    rule.severity if rule.on else f"{rule.severity}, off by default",
                    rule.fixable,
                    rule.summary,
                )
                for rule in family
            ]
            parts.append(_section(title, rows))
    without = [
        _row(
            f"[{entry.code}]({file_name(entry)})",
            entry.name,
            entry.severity,
            entry.fixable,
            entry.summary,
        )
        for entry in others
    ]
    parts.append(_section("The API server, and what is not validated", without))
    return "\n".join(parts)


def _section(title: str, rows: Sequence[str]) -> str:
    head = "| code | name | severity | fix | reported when |\n| --- | --- | --- | --- | --- |\n"
    return f"## {title}\n\n{head}{''.join(rows)}"


def _row(*cells: str) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |\n"
