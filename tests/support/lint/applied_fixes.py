"""Manifests with fixes applied in this process, short enough for tables of texts."""

from __future__ import annotations

from textwrap import dedent, indent

from jobsworth.api.api_server import parse_gates
from jobsworth.cli.options import words_of
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.files.fixing.autofix_loop import FixedFile, autofix
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import FixAttempt
from jobsworth.lint.selection import selected


def file_evaluator(
    *, select: str = "JW0", release: str = "1.36", gates: str | None = None, mixed: bool = False
) -> FileEvaluator:
    """Return an evaluator for a release and feature gates, which runs only the named lint rules."""
    settings = Settings(
        select=selected(words_of(select)), release=release, gates=parse_gates(gates or "")
    )
    options = EvaluationOptions(tolerate_templates=mixed)
    return FileEvaluator(Configurations(settings, isolated=True), options=options)


def autofixed(
    text: str,
    *,
    unsafe: bool = False,
    select: str = "JW0",
    release: str = "1.36",
    file: str = "job.yaml",
) -> FixedFile:
    """Return a manifest after all fixes that help."""
    return autofix(
        file_evaluator(select=select, release=release), file, text.encode(), unsafe=unsafe
    )


def findings_left(done: FixedFile) -> list[Finding]:
    """Return the remaining findings."""
    return [located.finding for result in done.results for located in result.findings]


def attempts(done: FixedFile) -> list[FixAttempt]:
    """The fixes that were tried."""
    return [attempt for result in done.results for attempt in result.attempts]


def job_text(spec: str = "", pod: str = "restartPolicy: Never", container: str = "") -> str:
    """Return a Job as a user writes it, with these lines in its spec, Pod and container."""
    return _text(JOB, spec, pod, container)


def cron_job_text(spec: str = "", job: str = "", pod: str = "restartPolicy: Never") -> str:
    """Return a CronJob as a user writes it, with these lines in its spec, its Job's and its Pod's."""
    return _text(CRON_JOB, spec, job, pod)


def _text(template: str, *parts: str) -> str:
    text = dedent(template)
    for number, part in enumerate(parts):
        mark = f"<{number}>"
        (line,) = (line for line in text.split("\n") if mark in line)
        lines = indent(dedent(part).strip("\n"), line[: line.index(mark)])
        text = text.replace(f"{line}\n", f"{lines}\n" if lines.strip() else "")
    return text


JOB = """\
    # Trains the model.
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: train  # at night
    spec:
      <0>
      template:
        spec:
          <1>
          containers:
            - name: main
              image: "busybox:1.36"
              <2>
    """

CRON_JOB = """\
    # Reports.
    apiVersion: batch/v1
    kind: CronJob
    metadata:
      name: report
    spec:
      <0>
      jobTemplate:
        spec:
          <1>
          template:
            spec:
              <2>
              containers:
                - name: main
                  image: busybox:1.36
    """
