"""``jobsworth policy explain``: which policy says what to a manifest, and why."""

from __future__ import annotations

import sys

from jobsworth.cli import server_options
from jobsworth.cli.command import Command, Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.api.server import ApiServer
    from jobsworth.evaluation.evaluation import PolicyResult
    from jobsworth.evaluation.subject import Subject

EXIT_DONE, EXIT_UNREADABLE = 0, 2


def run(values: dict[str, Any]) -> int:
    """Tell of each manifest what each policy says, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a policy is.
    """
    from jobsworth.cli.file_evaluation import read_documents, read_existing
    from jobsworth.cli.inputs.existing_objects import Existing
    from jobsworth.cli.inputs.policy_files import load_policies
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.manifests import ManifestError
    from jobsworth.validation.engine import CannotDecode, UnknownKind

    if len(values["paths"]) < 2:
        raise UsageError("name the policies and a manifest: jobsworth policy explain FILE JOB")
    policies = load_policies(values["paths"][:1])
    chosen, code = server_options.server_of(values), EXIT_DONE
    evaluator = Evaluator(chosen, policies=policies)
    existing = Existing(read_existing(values["against"])[0] if values["against"] else {})
    for document in read_documents(values["paths"][1:]):
        error = document if isinstance(document, ManifestError) else document.error
        if error is not None or isinstance(document, ManifestError):
            print(f"error: {error}", file=sys.stderr)
            code = EXIT_UNREADABLE
            continue
        try:
            subject = _subject(document.value, existing.old(document), values)
            request = evaluator.policy_request(subject)
        except UnknownKind:
            continue
        except CannotDecode as failure:
            print(f"error: {document.file}: {failure}", file=sys.stderr)
            code = EXIT_UNREADABLE
            continue
        print("\n".join(_told(evaluator.apply(request), chosen)))
    return code


def _subject(value: Any, old: Any, values: dict[str, Any]) -> Subject:
    from jobsworth.evaluation.subject import Subject

    return Subject(
        value,
        old=old,
        namespace=values["namespace"] or "",
        user=values["user"],
        groups=tuple((values["group"] or "").split(",")) if values["group"] else (),
        namespace_labels=_labels(values["namespace_labels"]),
    )


def _labels(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    labels = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f'--namespace-labels: "{part}" is not of the form KEY=VALUE')
        labels[key] = value
    return labels


def _told(result: PolicyResult, chosen: ApiServer) -> Iterator[str]:
    request = result.request
    user = f" by {request.user}" if request.user else ""
    name = request.name or "(unnamed)"
    yield (
        f"{request.kind} {name} in namespace {request.namespace}: {request.operation}{user}, "
        f"Kubernetes {chosen.release}"
    )
    for policy, decision in result.decisions:
        speaks = "speaks" if decision.applies else "is silent"
        yield f"\n{policy.name} (priority {policy.priority}, {policy.enforcement}) {speaks}"
        yield f"  because     {decision.because}"
        yield from _said_by(policy.name, result)
    findings = result.judgement.findings
    counts = dict.fromkeys(("deny", "warn", "audit"), 0)
    for verdict in findings:
        counts[verdict.effect] += 1
    outcome = "denied" if result.judgement.denied else "allowed"
    told = ", ".join(f"{count} {effect}" for effect, count in counts.items() if count)
    yield f"\n{outcome}{f': {told}' if told else ''}\n"


def _said_by(name: str, result: PolicyResult) -> Iterator[str]:
    mutation = result.mutation
    assert mutation is not None
    for applied in mutation.applied:
        if name in applied.policy.split(", "):
            before, after = _shown(applied.before), _shown(applied.after)
            yield f"  fills in    {applied.field}: {before} becomes {after}"
    for policy, field, why in mutation.skipped:
        if policy == name:
            yield f"  leaves      {field}: {why}"
    for left_out in mutation.left_out:
        if name in left_out.policy.split(", "):
            yield f"  left out    {left_out.field}: {left_out.why}"
    for verdict in result.judgement.findings:
        if verdict.policy == name:
            yield f"  {verdict.effect:<11} {verdict}"


def _shown(value: Any) -> str:
    import json

    return "unset" if value is None else json.dumps(value, ensure_ascii=False)


COMMAND = Command(
    "policy explain",
    help="""Tell what each policy says to a manifest, and why: whether it speaks, what it fills in, what
it refuses.

FILE is a file or folder of JobPolicy documents, JOB a file or folder of manifests, or - for standard
input. Policies are told in the order of precedence.""",
    epilog="""\b
Examples:
  jobsworth policy explain policies/ job.yaml
  jobsworth policy explain policies/ job.yaml --user alice --group ml --namespace research
  jobsworth policy explain policies/ job.yaml --against deployed/    # as an update
""",
    options=(
        *server_options.OPTIONS,
        Option(
            "--namespace",
            short="-n",
            metavar="NAME",
            help="The namespace of manifests that have none; default.",
        ),
        Option(
            "--namespace-labels",
            metavar="KEY=VALUE,...",
            help="Labels of the namespace, where they are known.",
        ),
        Option("--user", metavar="NAME", help="Who will send the manifest, where that is known."),
        Option(
            "--group", metavar="NAME", repeated=True, help="A group of the user; several times."
        ),
        Option(
            "--against",
            metavar="PATH",
            help="What the manifests are updates of: objects of the same kind, namespace and name.",
        ),
    ),
    run=run,
    arguments="FILE JOB...",
)
