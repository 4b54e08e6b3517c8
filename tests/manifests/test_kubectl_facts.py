"""Recorded answers of kubectl's own libraries, compared with the parser: see ``data/README.md``."""

from __future__ import annotations

import base64
import csv
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from jobsworth.manifests import read_text
from jobsworth.manifests.parsing.scalars import json_number

DATA = Path(__file__).parent / "data"

with lzma.open(DATA / "yaml-documents.json.xz", "rt", encoding="utf-8") as stored:
    DOCUMENTS: list[dict[str, Any]] = json.load(stored)
with lzma.open(DATA / "yaml-probes.tsv.xz", "rt", encoding="utf-8", newline="") as stored:
    PROBES = list(csv.DictReader(stored, delimiter="\t"))

UNLIKE_KUBECTL = {
    "int32 parallelism: 9223372036854775808": "kubectl sends what a float64 makes of an integer "
    "beyond int64, 9223372036854776000; we keep the number of the file, and the verdict is the same",
    "label value: 12345678901234567890": "as above: kubectl sends 12345678901234567000",
}
"""The probes in which our value is another, and why."""

UNRECORDED = {"deep nest 10001 flow"}
"""The input was too long to be recorded: ``test_hostile`` has it."""

SHORTENED = {"long key >1024", "deep nest 200"}
"""The answer was too long to be recorded in full."""


def canonical(value: Any) -> Any:
    """A value with the types of its numbers: 3 is not 3.0, and 1 is not true."""
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [canonical(item) for item in value]
    return type(value).__name__, value


def from_json(text: str) -> Any:
    """Return the JSON that kubectl makes of it by reading and writing it."""
    return json.loads(text, parse_float=lambda number: json_number(float(number)))


@pytest.mark.parametrize("known", DOCUMENTS, ids=lambda known: repr(known["yaml"]))
def test_a_small_document_becomes_what_sigs_yaml_makes_of_it(known: dict[str, Any]) -> None:
    documents = read_text(known["yaml"].encode(), "file.yaml")

    if known["error"]:
        assert documents[0].error is not None
    else:
        expected = [] if known["kubectl"] == "null" else [from_json(known["kubectl"])]
        assert canonical([document.value for document in documents]) == canonical(expected)
        assert all(document.error is None for document in documents)


def probed(probe: dict[str, str]) -> list[Any]:
    expected = []
    for document in json.loads(probe["kubectl_docs"]):
        if document != "<skipped>":
            raw = document.removeprefix("RAW ").partition(" !unstructured")[0]
            expected.append(from_json(raw))
    return expected


@pytest.mark.parametrize(
    "probe",
    [probe for probe in PROBES if probe["name"] not in UNRECORDED | SHORTENED],
    ids=lambda probe: f"{probe['mode']} {probe['name']!r}",
)
def test_a_stream_becomes_what_kubectl_makes_of_it(probe: dict[str, str]) -> None:
    documents = read_text(base64.b64decode(probe["input_b64"]), "file.yaml")

    broken = [number for number, document in enumerate(documents) if document.error is not None]
    assert bool(broken) == bool(probe["kubectl_err"])
    # kubectl stops at the first broken document; we go on.
    before = documents[: broken[0]] if broken else documents
    same = canonical([document.value for document in before]) == canonical(probed(probe))
    assert same == (probe["name"] not in UNLIKE_KUBECTL)


@pytest.mark.parametrize("name", sorted(SHORTENED))
def test_a_long_value_begins_as_kubectl_s_does(name: str) -> None:
    probe = next(probe for probe in PROBES if probe["name"] == name)
    (document,) = read_text(base64.b64decode(probe["input_b64"]), "file.yaml")

    recorded = probe["kubectl_docs"].removeprefix('["').removeprefix("RAW ").rstrip("…")
    ours = json.dumps(json.dumps(document.value, separators=(",", ":")))
    assert ours[1:].startswith(recorded[:300])


MORE = {
    "a last line that fills kubectl's buffer and does not end is lost": (
        b"a: 1\nb: " + b"x" * 4093,
        [{"a": 1}],
    ),
    "one that is a byte shorter is not": (b"a: 1\nb: " + b"x" * 4092, [{"a": 1, "b": "x" * 4092}]),
    "a document with less indentation than the one before it in the chunk is dropped": (
        b"  a: 1\nb: 2\n",
        [{"a": 1}],
    ),
    "a value that JSON has not is forgiven when a later key replaces it": (
        b"k: .inf\nk: 1\n",
        [{"k": 1}],
    ),
    "an apostrophe may be escaped in double quotes": (
        b"a: \"don\\'t \\'x\\'\"\nb: \"it\\'s\"\n",
        [{"a": "don't 'x'", "b": "it's"}],
    ),
    "a byte order mark at the start of a line is part of the key": (
        b"a:\n\xef\xbb\xbfb: 1\n",
        [{"a": None, "\ufeffb": 1}],
    ),
    "a bare tag makes a string": (b"a: ! 1\nb: !  yes\nc: &x ! 08\n", [{"a": "1", "b": "yes", "c": "08"}]),
    "a bare tag does not keep << from merging": (b"a: &a {b: 1}\nc: {! <<: *a}\n", [{"a": {"b": 1}, "c": {"b": 1}}]),
    "`0b` may stand before a sign": (b"[0b+1, 0b-1, -0b11]\n", [[1, -1, -3]]),
    "a float as a key has six digits at most before it gets an exponent": (
        b"{1234567.0: a, 123456.0: b, 0.00001: c}\n",
        [{"1.234567e+06": "a", "123456": "b", "1e-05": "c"}],
    ),
    "a document may end before its line": (b"{a: 1} b\n---\nc: 1\n", [{"a": 1}, {"c": 1}]),
    "JSON values follow each other": (b'{"a":1} {"b":2}\n\n{"c":3}', [{"a": 1}, {"b": 2}, {"c": 3}]),
    "YAML may follow one JSON value": (b'{"a":1}\n---\nb: 2\n---\nc: 3\n', [{"a": 1}, {"b": 2}, {"c": 3}]),
    "JSON with a comment behind it is JSON, and then an empty YAML document": (b'{"a":1.0} # c\n', [{"a": 1}]),
    "JSON behind 4096 bytes of white space is not seen": (b" " * 4095 + b'{"a":"\\/"}', [{"a": "/"}]),
    "half a surrogate pair in JSON is replaced": (b'{"a":"\\ud83d x \\ud83d\\ude00"}', [{"a": "\ufffd x \U0001f600"}]),
    "bytes that are no UTF-8 are replaced in JSON, each": (b'{"a":"x\xe2\x80y"}', [{"a": "x\ufffd\ufffdy"}]),
    "a separator ends even a text in quotes": (b'a: 1\n---\nb: 2\n---\n', [{"a": 1}, {"b": 2}]),
}  # fmt: skip
REJECTED = {
    "a question mark in a plain value between brackets": b"k: [http://host/x?y=1]\n",
    "an unsigned number as a key": b"18446744073709551615: a\n",
    "JSON too short for a second look": b"{a}",
    "three bytes behind JSON": b'{"a":1} #c',
    "YAML behind two JSON values": b'{"a":1}{"b":2}\nc: 3\n',
    "JSON behind more than 4096 bytes of white space": b" " * 4096 + b'{"a":"\\/"}',
    "a merge of an alias of a list": b"a: &a [{b: 1}]\nc:\n  <<: *a\n",
    "an alias inside of its own anchor": b"a: &a\n  b: [*a]\n",
    "!!float of what only fits an unsigned integer": b"a: !!float 9223372036854775808\n",
}


@pytest.mark.parametrize("case", MORE)
def test_kubectl_takes_it_that_(case: str) -> None:
    data, expected = MORE[case]
    documents = read_text(data, "file.yaml")

    assert [document.error for document in documents] == [None] * len(expected)
    assert canonical([document.value for document in documents]) == canonical(expected)


@pytest.mark.parametrize("case", REJECTED)
def test_kubectl_rejects_these_documents(case: str) -> None:
    documents = read_text(REJECTED[case], "file.yaml")

    assert any(document.error for document in documents)
