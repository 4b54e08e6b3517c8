"""AdmissionReviews gone wrong: in their values, in their text, in their bytes. Seeded, so repeatable."""

from __future__ import annotations

import copy
import json
import lzma
import random
from pathlib import Path
from typing import Any

import jobsworth
from support.admission.admission_reviews import as_an_api_server_sends, review

CASES = Path(__file__).parents[2] / "oracle/cases"
CATEGORIES = ("job", "policy", "success", "cron", "pod", "update", "meta")
PARTS = ("object", "object", "object", "oldObject")
NAMESPACES = ("default", "ml-vision", "ci", "ci-nightly", "research", "payments", "kube-system")
USERS = ("developer", "system:serviceaccount:kube-system:cronjob-controller", "")
SMALL = 40  # of each category

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, -(2**31) - 1, 2**63, 10**30, 0.5, 1e300, "", "a", "1", "\x00",
    "ä", "\ud800", "x" * 300, "100%", "-1", "é" * 64, [], {}, [None], [[]], {"": None}, {"a": {"b": {}}},
    ["a"] * 200, "2026-11-21T10:00:00Z", "batch/v1", "Job", "CronJob", "CREATE", "* * * * *", "Never",
)  # fmt: skip

ODD_TEXTS: tuple[bytes, ...] = (
    b"", b" ", b"null", b"true", b"1", b'"text"', b"[]", b"{}", b"{", b"[" * 5000, b"NaN", b'{"a":NaN}',
    b"[" * 900 + b"]" * 900, b'{"a":' * 900 + b"1" + b"}" * 900, b"-", b"1" * 5000, b"1e999", b"\xff\xfe{}",
    b"\xef\xbb\xbf{}", b"{'a': 1}", b'{"a":1,}', b"\x00" * 100, b"apiVersion: v1\nkind: Job\n",
    '{"a":1}'.encode("utf-16"), b'{"request":' + b"9" * 4400 + b"}", b'{"a":"\x01"}', b"<xml/>",
)  # fmt: skip

ODD_HEADERS: tuple[dict[str, str], ...] = (
    {"Content-Type": "text/plain"}, {"Content-Type": "application/yaml"}, {"Content-Type": ""},
    {"Content-Type": "application/json; charset=utf-8"}, {"Content-Encoding": "gzip"},
    {"Content-Encoding": "identity"}, {"Content-Type": "application/vnd.kubernetes.protobuf"},
    {"X-Long": "x" * 7000}, {"Accept": "text/html"}, {"Expect": "100-continue"},
)  # fmt: skip


def originals() -> list[dict[str, Any]]:
    """Reviews of Jobs and CronJobs, good and bad, as written and as an API server sends them."""
    found = []
    for name in CATEGORIES:
        with lzma.open(CASES / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            cases = [json.loads(line) for _, line in zip(range(SMALL), lines, strict=False)]
        for case in cases:
            found.append(review(case["object"], case.get("old")))
            if case["code"] == 201:
                filled = jobsworth.default(case["object"], kubernetes_version="1.36")
                found.append(review(as_an_api_server_sends(filled, "uid-1")))
    return found


class Mutator:
    """Makes reviews that have gone wrong out of good ones."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._originals = originals()

    def body(self) -> bytes:
        """The next body."""
        chance = self._chance
        kind = chance.random()
        if kind < 0.02:
            return chance.choice(ODD_TEXTS)
        value = copy.deepcopy(chance.choice(self._originals))
        namespace = chance.choice(NAMESPACES)
        value["request"]["namespace"] = namespace
        value["request"]["userInfo"]["username"] = chance.choice(USERS)
        for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
            whole = chance.random() < 0.1
            self._change(value if whole else _part(value, chance.choice(PARTS)))
        body = json.dumps(value).encode()
        if kind < 0.06:
            return self._damage(body)
        if kind < 0.09:
            return self._deepen(body)
        return body

    def headers(self) -> dict[str, str]:
        """Headers to send with it; nearly always none."""
        return self._chance.choice(ODD_HEADERS) if self._chance.random() < 0.02 else {}

    def endpoint(self) -> str:
        """Return the path to send it to."""
        return self._chance.choice(("validate", "mutate"))

    def _change(self, value: Any) -> None:
        """Change one value, key or item somewhere."""
        chance = self._chance
        holder: Any = value
        while True:
            inner = [part for part in _parts(holder) if isinstance(part, dict | list) and part]
            if not inner or chance.random() < 0.15:
                break
            holder = chance.choice(inner)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key, action = chance.choice(keys), chance.random()
        if action < 0.5:
            holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))
        elif action < 0.7:
            del holder[key]
        elif action < 0.85 and isinstance(holder, dict):
            holder[f"{key}{chance.choice(('s', '', 'é', '.', '/', 'x' * 100))}"] = holder.pop(key)
        elif isinstance(holder, list):
            holder.extend(copy.deepcopy(holder[:50]))
        else:
            holder[key] = [holder[key]]

    def _damage(self, body: bytes) -> bytes:
        """Cut, flip or repeat some bytes."""
        chance = self._chance
        start = chance.randrange(len(body))
        end = min(len(body), start + chance.randrange(1, 40))
        what = chance.choice(
            (b"", bytes([chance.randrange(256)]), body[start:end] * 2, b'"', b"}", b"\xc3")
        )
        return body[:start] + what + (body[end:] if chance.random() < 0.8 else b"")

    def _deepen(self, body: bytes) -> bytes:
        """Put something deeply nested in the place of a small value."""
        depth = self._chance.choice((10, 100, 400, 900, 3000))
        deep = b'{"a":[' * depth + b"1" + b"]}" * depth
        places = [b'"busybox"', b'"Never"', b'"default"', b"false", b"null", b'"developer"', b"{}"]
        return body.replace(self._chance.choice(places), deep, 1)


def _part(value: dict[str, Any], name: str) -> Any:
    """A part of the request, or all of the review where that part is gone already."""
    request = value.get("request")
    part = request.get(name) if isinstance(request, dict) else None
    return part if part and isinstance(part, dict | list) else value


def _parts(holder: Any) -> list[Any]:
    return list(holder.values()) if isinstance(holder, dict) else list(holder)
