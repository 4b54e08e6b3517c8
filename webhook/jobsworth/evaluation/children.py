"""Evaluate what operators create from an object of another kind, and report it at the object's own fields.

An object that an operator creates passes the same evaluation as a manifest of its own. Its findings are the
parent's: their paths lead to the field that has the value, or to the one that made the operator set it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import at, is_part_of, locate
from jobsworth.findings.finding import Finding, Reported
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import near
from jobsworth.kinds.child import Child
from jobsworth.kinds.children import children_of
from jobsworth.kinds.kind_table import METADATA, KindTable
from jobsworth.kinds.operator_kinds import OperatorKind, operator_kind
from jobsworth.kinds.template_parameters import has_unknown_parameter
from jobsworth.validation.verdict_findings import findings_from_errors

Evaluate = Callable[[Subject], Evaluation]

UNKNOWN_FIELD = "JW001"
NAME = "metadata.name"
_CHILD_PATH = re.compile(
    r"(?<![\w.])spec(?:\.\w+(?:\[[^\]\s]*\])*)+|(?:(?<= in )|(?<=to ))spec(?![\w.-])"
)
"""A field path in the words of a finding."""


LIST_ADVICE = (
    "kubectl cannot decode a list of objects: write --- between the objects, or make them the items of a "
    "List (apiVersion: v1, kind: List)"
)


def evaluate_children(
    subject: Subject, table: KindTable, server: ApiServer, evaluate: Evaluate, most: int
) -> Evaluation | None:
    """Evaluate what operators create from a manifest; None if nothing in it can be validated.

    Args:
        subject: the manifest, of a kind that the API server does not validate as a Job.
        table: the kinds that contain templates.
        server: the API server that receives what is created.
        evaluate: evaluates an object that is created.
        most: the number of findings after which no further template is evaluated.
    """
    value = subject.value
    if not isinstance(value, dict) or not table.templates_of(
        value.get("apiVersion"), value.get("kind")
    ):
        return None
    found = FoundInChildren(value, server, _object_findings(value, subject, table, server))
    for child in children_of(value, table):
        if len(found) > most:
            break
        found.add(child, evaluate(subject_of(child, subject)))
    kind = operator_kind(value["apiVersion"], value["kind"])
    if kind is not None:
        for errors in (found.api, found.lint):
            errors[:] = [_with_place_in_object(each, kind) for each in errors]
    return found.evaluation(value) if found.known else None


def _with_place_in_object(error: Finding, kind: OperatorKind) -> Finding:
    """Return the error of an unknown field of a template, with the hint that the object has it."""
    name = error.field.rpartition(".")[2]
    if error.code != UNKNOWN_FIELD or error.hint or name not in kind.fields:
        return error
    moved = Edit("move", error.field, f"spec.{name}")
    fix = Fix("Move it to spec", moved, safe=False)
    return error.changed(hint="this field belongs in spec", fix=fix)


def _object_findings(
    value: dict[str, Any], subject: Subject, table: KindTable, server: ApiServer
) -> Sequence[Finding]:
    """Return the errors about an object of a shipped kind beside its templates."""
    version, kind = value["apiVersion"], value["kind"]
    shipped = operator_kind(version, kind)
    if shipped is None or not table.is_shipped(version, kind):
        return ()
    from jobsworth.evaluation.operator_objects import object_findings

    found = object_findings(value, shipped, table.templates_of(version, kind)[0].operator, server)
    if subject.written is None or not found:
        return found
    from jobsworth.api.batch.job import Job  # whose metadata is that of any object
    from jobsworth.evaluation.fixes.api_fixes import with_fixes

    of_metadata = [
        each if each.rule else each.changed(rule="Job.metadata")
        for each in found
        if each.field.startswith("metadata.")
    ]
    others = [each for each in found if not each.field.startswith("metadata.")]
    return [*with_fixes(of_metadata, value, server, subject.written, Job), *others]


def findings_on_unvalidated(value: Any, table: KindTable, server: ApiServer) -> list[Finding]:
    """Return a note on the Jobs and Pod templates of a document that are not validated, and the errors about
    its schedules; or the error for a list of Jobs.
    """
    from jobsworth.kinds.unvalidated import is_list_of_jobs, unvalidated, unvalidated_jobs
    from jobsworth.lint.manifest_rules import TOP_LEVEL_LIST, UNVALIDATED

    if is_list_of_jobs(value):
        return [TOP_LEVEL_LIST.finding("", LIST_ADVICE)]
    note, field = unvalidated(value, table), ""
    if not note:
        note, field = unvalidated_jobs(value)
    found = [UNVALIDATED.finding(field, note)] if note else []
    if isinstance(value, dict):
        kind = table.unvalidated_kind(value.get("apiVersion"), value.get("kind"))
        if kind is not None and kind.schedules:
            from jobsworth.evaluation.operator_objects import schedule_findings

            found += schedule_findings(value, kind, server)
    return found


def subject_of(child: Child, subject: Subject) -> Subject:
    """Return the subject of a child, as a manifest of its own."""

    def written(path: str) -> str | None:
        origin = child.origin(path)
        return None if origin is None or subject.written is None else subject.written(origin)

    return Subject(
        child.value,
        namespace=subject.object_namespace,
        file=subject.file,
        beside=subject.beside,
        neighbors=subject.neighbors,
        most_values=subject.most_values,
        owner=child.owner,
        variables=(*subject.variables, *child.variables),
        written=None if subject.written is None else written,
    )


class FoundInChildren:
    """The findings about all children of an object, at the fields of the object.

    Args:
        value: the object.
        server: the API server that receives the children.
        api: its verdict on the object itself.

    Attributes:
        known: True if one of the children is of a kind that is evaluated.
        api: the verdict of the API server on the object itself.
        lint: findings of lint rules, and errors of the API server about children.
        further: what the API server would report once earlier errors are fixed.
        violations: the violations of policies by children.
    """

    def __init__(
        self, value: dict[str, Any], server: ApiServer, api: Sequence[Finding] = ()
    ) -> None:
        self._value = value
        self._server = server
        self.known = bool(api)
        self.api: list[Finding] = list(api)
        self.lint: list[Finding] = []
        self.further: list[Finding] = []
        self.violations: list[Reported] = []
        self.withheld: list[Fix] = []
        self.withheld_reason = ""
        self._seen: set[tuple[str, str, str]] = set()
        # What follows from a wrong name is not reported again.
        self._has_wrong_name = any(each.field == NAME for each in api)
        self._codes: set[str] = set()

    def __len__(self) -> int:
        return len(self.api) + len(self.lint)

    def add(self, child: Child, evaluation: Evaluation, *, is_created: bool = True) -> None:
        """Add the findings about a child.

        Args:
            child: the child.
            evaluation: its evaluation.
            is_created: False if errors of the parent keep the operator from creating it.
        """
        if not evaluation.known:
            return
        self.known = True
        if child.is_complete:
            errors = [*evaluation.api, *(_pruned(path) for path in child.unknown)]
            of_owner = findings_from_errors(child.errors, self._server)
            own = self._mapped(child, errors)
            own += map(self._with_near_value, self._mapped(child, of_owner))
            self.api += self._of_definition(child, own)
            if not child.what:
                self.api += own
            elif is_created:
                self.lint += own
            else:
                self.further += self._behind(own)
            self.further += self._mapped(child, evaluation.further, evaluation)
            for policy, finding in evaluation.violations:
                self.violations += ((policy, each) for each in self._mapped(child, [finding]))
        self.lint.extend(self._mapped(child, evaluation.lint))
        if child.replaced:
            from jobsworth.lint.job_set_rules import replaced_fields

            self.lint += replaced_fields(child.replaced)
        self._codes.update(finding.code for finding in evaluation.lint)
        self.withheld += evaluation.withheld
        self.withheld_reason = self.withheld_reason or evaluation.withheld_reason

    def _with_near_value(self, finding: Finding) -> Finding:
        """Return an error of what the object says, with the fix of a misspelled value."""
        place = locate(self._value, finding.field)
        written = None if place.missing else at(self._value, place.steps)
        meant = near(written, finding.supported) if isinstance(written, str) else None
        if meant is None:
            return finding
        edit = Edit("set", finding.field, meant.name)
        return finding.with_fix(Fix(f"Set {meant.name}", edit, safe=meant.sure))

    def _of_definition(self, child: Child, errors: list[Finding]) -> list[Finding]:
        """Return what the CRD of the parent rejects in a template, but for what has an error already."""
        if child.template is None:
            return []
        from jobsworth.evaluation.operator_objects import definition_errors

        path, fields = child.template.path, [each.field for each in errors]
        found = definition_errors(child.template.type, child.template.value)
        return [
            each.changed(field=f"{path}.{each.field}")
            for each in findings_from_errors(found, self._server)
            if not any(_overlap(f"{path}.{each.field}", field) for field in fields)
        ]

    def _behind(self, errors: list[Finding]) -> list[Finding]:
        """Return the errors of a child that its parent has not; the parent's take the fixes of the others."""
        places = {(finding.code, finding.field): index for index, finding in enumerate(self.api)}
        others = []
        for error in errors:
            index = places.get((error.code, error.field))
            if index is None:
                others.append(error)
            elif self.api[index].fix is None:
                hint = self.api[index].hint or error.hint
                self.api[index] = self.api[index].changed(fix=error.fix, hint=hint)
        return others

    def _mapped(
        self, child: Child, findings: Sequence[Finding], evaluation: Evaluation | None = None
    ) -> list[Finding]:
        mapped = []
        for finding in findings:
            if finding.code in child.ignores or not _concerns(child, finding):
                continue
            if finding.code in child.once and finding.code in self._codes:
                continue
            field = finding.written_field if child.what else finding.field
            origin = child.origin(field)
            if evaluation is not None and evaluation.repaired is not None and origin is not None:
                origin = child.origin(evaluation.repaired.written_path(field))
            if origin is None or (origin == NAME and self._has_wrong_name):
                continue
            if self._is_of_unknown_parameter(origin):
                continue
            key = (finding.code, origin, finding.message)
            if key not in self._seen:
                self._seen.add(key)
                mapped.append(_at(finding, origin, child))
        return mapped

    def _is_of_unknown_parameter(self, field: str) -> bool:
        """Return True for a value that a parameter of an OpenShift Template gets when it is processed."""
        if self._value.get("kind") != "Template":
            return False
        place = locate(self._value, field)
        text = None if place.missing else at(self._value, place.steps)
        return has_unknown_parameter(text, self._value.get("parameters"))

    def evaluation(self, value: Any) -> Evaluation:
        """Return the evaluation of the parent."""
        return Evaluation(
            value,
            self.api,
            self.lint,
            further=self.further,
            withheld=self.withheld,
            withheld_reason=self.withheld_reason,
            child_violations=self.violations,
        )


def _pruned(path: str) -> Finding:
    """Return the finding about a field of a template's metadata that the CRD of the parent does not have."""
    return Finding(
        source="api",
        severity="error",
        code=UNKNOWN_FIELD,
        field=path,
        reason="UnknownField",
        rule="unknown_field",
        message=f'unknown field "{path}"',
        hint=f"remove it: of a template's metadata the CRD has only {', '.join(METADATA)}",
        fix=Fix(f"Remove {path.rpartition('.')[2]}", Edit("delete", path), safe=True),
    )


def _overlap(one: str, other: str) -> bool:
    return is_part_of(one, other) or is_part_of(other, one)


def _concerns(child: Child, finding: Finding) -> bool:
    """Return False for findings about the Job of a Pod that has none."""
    if not child.is_pod:
        return True
    if finding.source == "lint":
        from jobsworth.lint.linter import POD_RULES

        return finding.code in POD_RULES
    return finding.source != "policy"


def _at(finding: Finding, origin: str, child: Child) -> Finding:
    """Return a finding of a child at the field of its parent."""
    message, hint = _words(finding.message, child), _words(finding.hint, child)
    source = finding.source
    if source == "api" and child.what:
        source = "child"
        if finding.severity != "error":
            message = f"In {child.what}: {message}"
        elif finding.code != UNKNOWN_FIELD:  # which the API server finds in the parent
            message = f"The API server rejects {child.what}: {message}"
    fix = _fix(finding.fix, child)
    return finding.changed(source=source, field=origin, message=message, hint=hint, fix=fix)


def _words(text: str, child: Child) -> str:
    """Return the words of a finding with the field paths of the parent."""

    def origin(match: re.Match[str]) -> str:
        return child.origin(match[0]) or match[0]

    return _CHILD_PATH.sub(origin, text) if "spec" in text else text


def _fix(fix: Fix | None, child: Child) -> Fix | None:
    """Return a fix with the fields of the parent; None if the parent has not all of them."""
    if fix is None:
        return None
    edits = []
    for edit in fix.edits:
        field = _own(edit.field, child)
        new = _own(edit.value, child) if edit.action == "move" else edit.value
        if field is None or (edit.action == "move" and new is None):
            return None
        edits.append(Edit(edit.action, field, new))
    return Fix(_words(fix.title, child), *edits, safe=fix.safe)


def _own(path: object, child: Child) -> str | None:
    """Return the field of the parent that has a part of the child; None for what the operator sets."""
    if not isinstance(path, str):
        return None
    origin = child.origin(path)
    return origin if origin is not None and origin not in child.causes.values() else None
