"""The document JobPolicyTest: test cases of policies."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from jobsworth.documents.declared import (
    Document,
    Meta,
    Schema,
    doc,
    published_schema,
    schema_of,
)
from jobsworth.policy.document import API_VERSION, TEST_KIND

IDENTIFIER = "https://jobsworth.dev/schemas/jobpolicytest.json"
_VERDICT = "^(allow|deny)$"
PATTERNS = {_VERDICT: "allow or deny"}
"""A phrase for each pattern of the schema, which completes "must be …"."""

Manifest = dict[str, Any] | str
Verdict = Literal["deny", "allow"]  # in the order of OnFailure: typing takes both for one type


class ExpectedFinding(Document):
    """A violation that is expected; all fields that are set must match."""

    code: Annotated[str | None, doc("The code, such as JP002.")] = None
    field: Annotated[str | None, doc("The path of the field.")] = None
    message: Annotated[str | None, doc("A part of the message or the hint.")] = None
    policy: Annotated[str | None, doc("The name of the policy.")] = None


ExpectedFindings = list[str | ExpectedFinding]
_LISTED = "each a mapping, or a part of the message. An empty list means none."


class Expect(Document):
    """The expected outcome."""

    verdict: Annotated[
        Verdict | None,
        doc("The verdict. The default is deny if denials are listed, and otherwise allow."),
    ] = None
    deny: Annotated[ExpectedFindings | None, doc(f"Violations that deny, {_LISTED}")] = None
    warn: Annotated[ExpectedFindings | None, doc(f"Violations that warn, {_LISTED}")] = None
    audit: Annotated[ExpectedFindings | None, doc(f"Violations of the audit log, {_LISTED}")] = None
    patch: Annotated[
        dict[str, Any] | None,
        doc(
            "Field paths and the values after the policies' defaults, null for an unset field. An empty "
            "mapping means that no default is set."
        ),
    ] = None


class CaseRequest(Document):
    """The circumstances of the request."""

    user: Annotated[str | None, doc("The requesting user.")] = None
    groups: Annotated[list[str] | None, doc("The groups of the user.")] = None
    namespace: Annotated[str | None, doc("The namespace of the request.")] = None
    namespace_labels: Annotated[dict[str, str] | None, doc("The labels of the namespace.")] = None
    time: Annotated[
        str | None, doc('The time of an update, in quotes, such as "2027-03-27T01:30:00Z".')
    ] = None


class PolicyCase(Document):
    """A test case."""

    name: Annotated[str, Meta("A sentence that describes the case.", min_length=1)]
    manifest: Annotated[Manifest, doc("The manifest, or the name of a file with one.")]
    old_manifest: Annotated[
        Manifest | None, doc("The stored object, which makes the request an update.")
    ] = None
    request: Annotated[CaseRequest | None, doc("The circumstances of the request.")] = None
    expect: Annotated[
        Annotated[str, Meta(pattern=_VERDICT)] | Expect,
        doc("The expected outcome: allow, deny, or details."),
    ]


class PolicyTestSpec(Document):
    """Test cases and the policies that they are about."""

    policies: Annotated[
        list[str] | None,
        doc(
            "Files and folders of policies, from the folder of this file. The default is the file of the "
            "same name, or else the whole folder."
        ),
    ] = None
    kubernetes_version: Annotated[
        str | None, doc('The Kubernetes release, in quotes, such as "1.36".')
    ] = None
    cases: Annotated[list[PolicyCase], Meta("The cases, at least one.", min_length=1)]


class PolicyTestDocument(Document):
    """Test cases of policies."""

    keywords: ClassVar[Schema] = {"description": "Test cases of policies."}
    api_version: Annotated[Literal["jobsworth.dev/v1alpha1"], doc("The version of the format.")]
    kind: Annotated[Literal["JobPolicyTest"], doc("The kind of the document.")]
    metadata: Annotated[dict[str, Any] | None, doc("Metadata, without effect.")] = None
    spec: Annotated[PolicyTestSpec, doc("The cases.")]


@cache
def case_schema() -> Schema:
    """Return the JSON Schema of a JobPolicyTest."""
    return published_schema(
        schema_of(PolicyTestDocument), IDENTIFIER, f"{TEST_KIND} ({API_VERSION})"
    )
