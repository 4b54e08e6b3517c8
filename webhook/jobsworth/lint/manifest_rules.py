"""The rules that are not asked about a Job, but applied before, while its manifest is read.

What they are about is gone once a Job has been decoded. The reader (:mod:`jobsworth.manifests`) takes
notes on the text, each of a kind that is the name of a rule here; near misses are no Jobs
(:mod:`jobsworth.lint.misidentified`); comments are no part of an object
(:mod:`jobsworth.evaluation.ignores`).
So these rules have no condition of their own, and are not among those of the linter: they tell what
is found there.
"""

from __future__ import annotations

from jobsworth.lint import examples, misidentified
from jobsworth.lint.codes import NOTES, UNUSED_IGNORE, UNUSED_IGNORE_NAME
from jobsworth.lint.rule import Complaint, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.findings.finding import Severity
    from jobsworth.lint.linted_job import Subject

YAML_READER = "go.yaml.in/yaml/v2, which kubectl reads with, https://pkg.go.dev/go.yaml.in/yaml/v2"
FROM_THE_TEXT = """\
It is found while the text is read: an object that is handed over in Python, or at admission, no
longer shows it."""


def _found_while_reading(job: Subject) -> Iterator[Complaint]:
    """Nothing: a Job that has been decoded no longer shows it."""
    return iter(())


def _rule(
    code: str,
    name: str,
    *,
    summary: str,
    why: str,
    sources: tuple[str, ...],
    bad: str,
    good: str,
    severity: Severity = "warning",
    fixable: str = "",
) -> Rule:
    return Rule(
        code,
        name,
        severity=severity,
        summary=summary,
        why=f"{why}\n\n{FROM_THE_TEXT}",
        sources=sources,
        bad=bad,
        good=good,
        check=_found_while_reading,
        fixable=fixable,
    )


def _labelled(labels: str, template_labels: str = "") -> str:
    metadata = f"  template:\n    metadata:\n      labels:\n{template_labels}    spec:\n"
    text = examples.job("").replace("  name: train\n", f"  name: train\n{labels}")
    return text.replace("  template:\n    spec:\n", metadata) if template_labels else text


RULES = (
    _rule(
        NOTES["duplicate-key"],
        "duplicate-key",
        summary="A key stands twice in a mapping.",
        why="""\
kubectl keeps the last of the two and drops the other before the API server sees the manifest, so
that not even strict validation notices. Often it is a block that was pasted a second time, and the
value that is read first by people is the one that does not count.""",
        sources=(
            "kubernetes/kubernetes#125885, https://github.com/kubernetes/kubernetes/issues/125885",
        ),
        bad=examples.job("  backoffLimit: 2\n  activeDeadlineSeconds: 3600\n  backoffLimit: 6\n"),
        good=examples.job("  backoffLimit: 2\n  activeDeadlineSeconds: 3600\n"),
    ),
    _rule(
        NOTES["merge-override"],
        "merge-override",
        summary="A merge key `<<` comes after a key that it replaces.",
        why="""\
Elsewhere the keys of a mapping itself win over those that it merges. In the library that kubectl
uses the later one wins, so that `<<` behind a key of its own undoes it. With `<<` in front, all
agree.""",
        sources=(YAML_READER, "YAML, Merge Key, https://yaml.org/type/merge.html"),
        bad=_labelled(
            "  labels: &labels\n    app: train\n",
            "        app: train-worker\n        <<: *labels\n",
        ),
        good=_labelled(
            "  labels: &labels\n    app: train\n",
            "        <<: *labels\n        app: train-worker\n",
        ),
    ),
    _rule(
        NOTES["coerced-key"],
        "coerced-key",
        summary="A key is no string, and becomes one that reads otherwise.",
        why="""\
In the YAML of kubectl `on`, `y` and `no` are booleans, `1e3` and `010` numbers, and as keys they
become "true", "false", "1000" and "8". A label or annotation then has a name that nobody wrote,
and nothing selects it.""",
        sources=(YAML_READER, "YAML 1.1, Boolean, https://yaml.org/type/bool.html"),
        bad=_labelled("  labels:\n    on: spot\n"),
        good=_labelled('  labels:\n    "on": spot\n'),
    ),
    _rule(
        NOTES["dropped-content"],
        "dropped-content",
        summary="kubectl reads a part of the file as if it were not there.",
        why="""\
A document ends at a line `...` or at a line that is indented less than its first one, and kubectl
goes on at the next `---`. What stands in between is lost without a word: a second Job that was
meant to be created is not.""",
        sources=(YAML_READER, "YAML 1.1, Document end, https://yaml.org/spec/1.1/"),
        bad=examples.job("") + "...\n" + examples.job("").replace("train", "evaluate"),
        good=examples.job("") + "---\n" + examples.job("").replace("train", "evaluate"),
    ),
    _rule(
        NOTES["replaced-bytes"],
        "replaced-bytes",
        summary="Bytes of a JSON file are not UTF-8, and are replaced.",
        why="""\
Kubernetes puts the replacement character U+FFFD where it meets a byte that is no UTF-8, as in a
file that was saved as Latin-1. A password or a path with an umlaut then is another one. YAML files
with such bytes are refused instead.""",
        sources=(
            "encoding/json, Unmarshal, https://pkg.go.dev/encoding/json#Unmarshal",
            "RFC 8259, section 8.1, https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
        ),
        bad=examples.JSON.replace("CUSTOMER", "M\udcfcller"),
        good=examples.JSON.replace("CUSTOMER", "Müller"),
    ),
    _rule(
        misidentified.CODE,
        misidentified.NAME,
        severity="error",
        summary="An object was meant to be a Job or CronJob, and the API server has no such kind.",
        why="""\
A slip in kind or apiVersion hides an object from everything that judges Jobs, so that a check of
the manifests passes, and the deployment fails. Kinds of other groups, such as the Job of Volcano,
are no near misses: a group of custom resources has a dot in its name.""",
        sources=(
            "Kubernetes, Deprecated API migration guide, "
            "https://kubernetes.io/docs/reference/using-api/deprecation-guide/#cronjob-v125",
        ),
        bad=examples.job("").replace("kind: Job", "kind: Jobb"),
        good=examples.job(""),
        fixable="safe",
    ),
    _rule(
        UNUSED_IGNORE,
        UNUSED_IGNORE_NAME,
        summary="An ignore comment or annotation has no finding to ignore.",
        why="""\
The finding was mended, or the comment stands on another line than it. Left where it is, it hides
the next finding that comes up there, and nobody remembers why.""",
        sources=(
            "ruff, unused-noqa, https://docs.astral.sh/ruff/rules/unused-noqa/",
            "stackrox/kube-linter#1180, https://github.com/stackrox/kube-linter/issues/1180",
        ),
        bad=examples.cron_job(
            '  schedule: "0 6 1 * *"  # jobsworth: ignore[JW402] asked for by accounting\n'
            "  timeZone: Etc/UTC\n"
        ),
        good=examples.cron_job(
            '  schedule: "0 6 31 * *"  # jobsworth: ignore[JW402] asked for by accounting\n'
            "  timeZone: Etc/UTC\n"
        ),
    ),
)
