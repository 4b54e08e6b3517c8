"""Read admission policies, bindings and params from the paths of ``--admission-policy``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.files.policies.policy_files import BadPolicies, PolicyFileError, errors_of_notes
from jobsworth.files.repository_root import manifests_in
from jobsworth.manifests import Document, ManifestError, expand_lists, read_file
from jobsworth.policy.admission_policies.policy_set import (
    AdmissionPolicySet,
    is_admission_policy,
    read,
)
from jobsworth.policy.problems import BadPolicy, Problem


def load_admission_policies(paths: Sequence[str], release: str) -> AdmissionPolicySet:
    """Load the policies in some files and folders, with bindings, params and namespaces from the same files.

    Args:
        paths: files, folders, ``-`` for standard input.
        release: the Kubernetes release whose CEL policies may use.

    Raises:
        BadPolicies: a file is unreadable, has none of them, or an object is invalid.
    """
    documents: list[Document] = []
    errors: list[PolicyFileError] = []
    for path in paths:
        found, wrong = _documents(path)
        if not wrong and not any(is_admission_policy(each.value) for each in found):
            message = (
                "no admission policy or binding of admissionregistration.k8s.io/v1 found in it"
            )
            wrong = [PolicyFileError(path, 1, 1, "", message)]
        documents += found
        errors += wrong
    values: list[Any] = [each.value for each in documents]
    policies: AdmissionPolicySet | None = None
    try:
        policies = read(values, release)
    except BadPolicy as error:
        errors += [_placed(problem, documents) for problem in error.problems]
    if errors or policies is None:
        raise BadPolicies(errors, "the admission policies are invalid")
    return policies


def _documents(path: str) -> tuple[list[Document], list[PolicyFileError]]:
    """Return the documents below a path, and the errors of those that cannot be read."""
    found: list[Document] = []
    errors: list[PolicyFileError] = []
    for file in manifests_in([path]):
        if isinstance(file, ManifestError):
            errors.append(_unreadable(file))
            continue
        for document in expand_lists(read_file(file)):
            if document.error is not None:
                errors.append(_unreadable(document.error))
                continue
            if is_admission_policy(document.value):
                errors += errors_of_notes(document)
            found.append(document)
    return found, errors


def _unreadable(error: ManifestError) -> PolicyFileError:
    return PolicyFileError(error.file, error.line, error.column, "", error.message)


def _placed(problem: Problem, documents: Sequence[Document]) -> PolicyFileError:
    document = documents[problem.document]
    place = document.position(problem.field)
    text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    return PolicyFileError(document.file, place.line, place.column, problem.field, text)
