"""Read files and folders of JobPolicy documents, for every command with ``--policy``.

All errors are reported at once, each with its file, line and column.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import jobsworth.policy
from jobsworth.files.policies.chart_values import (
    PolicyInValues,
    files_in_values,
    policies_in_values,
)
from jobsworth.files.policies.profiles import Profile, ProfileName
from jobsworth.files.repository_root import manifests_in
from jobsworth.installation import how_to_install
from jobsworth.manifests import Document, ManifestError, expand_lists, read_file
from jobsworth.policy.cel.programs import INSTALL_LIBRARY
from jobsworth.policy.document import API_VERSION, KIND, TEST_KIND
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.problems import BadPolicy, Problem
from jobsworth.policy.reader import read
from jobsworth.printable import printable
from jobsworth.record import Record
from jobsworth.usage_error import InputError

TEST_FILE_ENDS = ("_test.yaml", "_test.yml", "_test.json")
"""File name endings of policy tests, which are not policies."""
NONE_FOUND = f"no {KIND} of {API_VERSION} found in it"
GROUP = API_VERSION.partition("/")[0]

PROFILE_FOLDER = os.path.join(os.path.dirname(jobsworth.policy.__file__), "profiles")
_POLICIES: dict[ProfileName, tuple[str, ...]] = {
    "baseline": ("baseline",),
    "strict": ("baseline", "strict"),
}
"""The policies of each profile."""


class PolicyFileError(Record):
    """An error in a policy, with its position.

    Attributes:
        file: its name.
        line, column: counted from 1; 0 for a path that does not exist.
        field: the field path in the document; empty for the whole document.
        message: the error and its correction.
    """

    file: str
    line: int
    column: int
    field: str
    message: str

    def __str__(self) -> str:
        field = f"{self.field}: " if self.field else ""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return printable(f"{place}: error: {field}{self.message}")


def errors_of_notes(document: Document) -> list[PolicyFileError]:
    """Return what a reader notes of a document, such as a duplicate key, as errors of its policy."""
    return [
        PolicyFileError(
            document.file, note.position.line, note.position.column, note.field, note.message
        )
        for note in document.notes
    ]


class BadPolicies(InputError):
    """Raised for invalid policies.

    Attributes:
        errors: all errors.
        unreadable: the paths that cannot be read, or have no policy.
        sound: the documents without an error.
    """

    def __init__(
        self,
        errors: Sequence[PolicyFileError],
        what: str = "the policies are invalid",
        unreadable: Collection[str] = (),
        sound: Sequence[Document] = (),
    ) -> None:
        super().__init__(f"{what}:", *map(str, errors))
        self.errors = tuple(errors)
        self.unreadable = unreadable
        self.sound = sound


def load_policies(paths: Sequence[str], profile: Profile | None = None) -> PolicySet:
    """Load the policies in some files and folders, and those of a profile, as one set.

    In a folder, policy tests and documents of other kinds are skipped; a named file must have a policy.
    A policy in a file replaces the profile's policy of the same name.

    Args:
        paths: files, folders, ``-`` for standard input.
        profile: the profile to apply as well.

    Raises:
        BadPolicies: a file is unreadable or invalid, or has no policy.
    """
    return load_with_documents(paths, profile)[0]


def load_with_documents(
    paths: Sequence[str], profile: Profile | None = None
) -> tuple[PolicySet, dict[str, Document]]:
    """Load policies as :func:`load_policies` does, and return them with their documents by name.

    Raises:
        BadPolicies: a file is unreadable or invalid, or has no policy.
    """
    sources = PolicySources(paths)
    errors = sources.errors
    if sources.empty and not errors:
        errors.append(PolicyFileError(sources.empty[0], 1, 1, "", NONE_FOUND))
    found = sources.documents
    shipped = sources.of_profile(profile, replaced_by=found)
    placed = [*found, *shipped]
    flawed = set(sources.flawed)
    try:
        policies = read(
            [document.value for document in found], [document.value for document in shipped]
        )
    except BadPolicy as error:
        errors.extend(map(sources.placed, error.problems))
        flawed.update(problem.document for problem in error.problems)
    if errors:
        sound = [each for number, each in enumerate(placed) if number not in flawed]
        unreadable = [*sources.unreadable, *sources.empty]
        raise BadPolicies(errors, unreadable=unreadable, sound=sound)
    return policies, by_name(placed)


def by_name(documents: Sequence[Document]) -> dict[str, Document]:
    """Return valid documents by the names of their policies."""
    values: list[Any] = [document.value for document in documents]
    return {
        value["metadata"]["name"]: document
        for value, document in zip(values, documents, strict=True)
    }


def files_in(path: str) -> Iterator[str | ManifestError]:
    """Return the files that may have policies: a file, or those of a folder without its policy tests."""
    folder = os.path.isdir(path)
    for file in manifests_in([path]):
        if isinstance(file, ManifestError) or not (folder and file.endswith(TEST_FILE_ENDS)):
            yield file


class PolicySources:
    """The policy documents in some files and folders, read on construction.

    Args:
        paths: files, folders, ``-`` for standard input. A file that is named may have values of the chart.

    Attributes:
        documents: the documents, valid or not.
        errors: the errors of files, and of the text of documents.
        unreadable: the files and folders with errors that concern no document.
        flawed: the numbers of the documents whose text has an error.
        empty: the paths without documents and errors.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.documents: list[Document] = []
        self.errors: list[PolicyFileError] = []
        self.unreadable: set[str] = set()
        self.flawed: set[int] = set()
        self.empty: list[str] = []
        self._shipped: list[Document] = []
        for path in paths:
            before = len(self.documents), len(self.errors)
            self._read(path)
            if (len(self.documents), len(self.errors)) == before:
                self.empty.append(path)

    def of_profile(
        self, profile: Profile | None, replaced_by: Sequence[Document] = ()
    ) -> list[Document]:
        """Return the documents of a profile, without those that a policy of the same name replaces."""
        self._shipped = [] if profile is None else _of_profile(profile, replaced_by)
        return self._shipped

    def placed(self, problem: Problem) -> PolicyFileError:
        """Return a problem with its position; its document is one of these, or of the profile."""
        documents = [*self.documents, *self._shipped]
        document, other = documents[problem.document], ""
        place = document.position(problem.field)
        if isinstance(document, PolicyInValues):
            problem = document.described(problem)
        if problem.hint == INSTALL_LIBRARY:
            problem = replace(problem, hint=how_to_install("policy"))
        if problem.other is not None:
            named = documents[problem.other]
            other = f"the policy at {named.file}:{named.position(problem.field).line}"
        text = problem.text(other)
        return PolicyFileError(document.file, place.line, place.column, problem.field, text)

    def _read(self, path: str) -> None:
        for file in files_in(path):
            if isinstance(file, ManifestError):
                self._reject(file)
            else:
                self._read_documents(read_file(file), named=not os.path.isdir(path))

    def _read_documents(self, documents: Iterable[Document], *, named: bool) -> None:
        for document in expand_lists(documents):
            if document.error is not None:
                self._reject(document.error)
                continue
            policies = [document] if is_meant_as_policy(document.value) else []
            if (
                named and not policies
            ):  # in a folder, values stand beside the files of which they are copies
                policies = [*policies_in_values(document)]
                self._read_files_in(document)
            if policies and document.notes:
                numbers = range(len(self.documents), len(self.documents) + len(policies))
                self.flawed.update(numbers)
                self.errors.extend(errors_of_notes(document))
            self.documents.extend(policies)

    def _read_files_in(self, values: Document) -> None:
        for part in files_in_values(values):
            if isinstance(part, ManifestError):
                self._reject(part)
                continue
            before = len(self.documents), len(self.errors)
            self._read_documents(part[1], named=False)
            if (len(self.documents), len(self.errors)) == before:
                place = values.position(part[0])
                message = f"{part[0]}: {NONE_FOUND}"
                self._reject(ManifestError(values.file, place.line, place.column, message))

    def _reject(self, error: ManifestError) -> None:
        self.unreadable.add(error.file)
        self.errors.append(PolicyFileError(error.file, error.line, error.column, "", error.message))


def profile_files(name: ProfileName) -> tuple[str, ...]:
    """Return the files with the policies of a profile."""
    return tuple(os.path.join(PROFILE_FOLDER, f"{policy}.yaml") for policy in _POLICIES[name])


def _of_profile(profile: Profile, found: Sequence[Document]) -> list[Document]:
    """Return the policies of a profile, without those that a policy of the same name replaces."""
    replaced = {_name(document.value) for document in found}
    shipped = [document for file in profile_files(profile.name) for document in read_file(file)]
    for document in shipped:
        value: Any = document.value
        value["spec"]["enforcement"] = profile.enforcement
    return [document for document in shipped if _name(document.value) not in replaced]


def _name(value: Any) -> object:
    metadata = value.get("metadata")
    return metadata.get("name") if isinstance(metadata, dict) else None


def is_meant_as_policy(value: object) -> bool:
    """Return True for a policy, or a document that is likely meant as one."""
    if not isinstance(value, dict) or value.get("kind") == TEST_KIND:
        return False
    version = value.get("apiVersion")
    ours = isinstance(version, str) and version.partition("/")[0] == GROUP
    return ours or value.get("kind") == KIND
