"""Short forms of policies are rewritten in their files: same meaning, same comments, same layout."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.api.formats.quantity import parse
from jobsworth.files.fixing.policy_rewriting import rewrite_short_forms
from jobsworth.files.policies.policy_files import PolicyFileError, load_policies
from jobsworth.manifests import read_text
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.short_forms import short_forms
from jobsworth.usage_error import UsageError
from support.law_examples import number_of_examples
from support.policy.policy_requests import document

HEAD = "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: house}\nspec:\n"


def rewritten(folder: Path, text: str) -> str:
    """Return the text of a policy file after its short forms were rewritten."""
    file = folder / "policy.yaml"
    file.write_bytes(text.encode())
    errors = [one for one in rewrite_short_forms([str(file)]) if isinstance(one, PolicyFileError)]
    assert not errors
    return file.read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "  match:  # whom\n    # our teams\n    namespaces: [team-*]  # by name\n\n    kinds: [Job]\n  priority: 1\n",
            "  match:  # whom\n    # our teams\n    - namespaces: [team-*]  # by name\n\n      kinds: [Job]\n  priority: 1\n",
        ),
        (
            "  exempt: {users: [ops]}  # on duty\n",
            "  exempt: [{users: [ops]}]  # on duty\n",
        ),
        (
            "  match: &them\n    namespaces: [a]\n  exempt: *them\n",
            "  match:\n    - &them\n      namespaces: [a]\n  exempt: [*them]\n",
        ),
        (
            "  defaults:\n    backoffLimit: 0x3  # three\n    suspend: on\n    labels:\n      team: 'it''s'\n"
            "      note: a, b\n      text: |-  # two lines\n        a\n        b\n    managedBy: &m x.io/y\n",
            "  defaults:\n    backoffLimit: {value: 0x3}  # three\n    suspend: {value: on}\n    labels:\n"
            "      team: {value: 'it''s'}\n      note: {value: 'a, b'}\n"
            "      text: {value: \"a\\nb\"}  # two lines\n    managedBy: {value: &m x.io/y}\n",
        ),
        (
            "  defaults: {backoffLimit: 3, annotations: {a.b/c: x}}\n",
            "  defaults: {backoffLimit: {value: 3}, annotations: {a.b/c: {value: x}}}\n",
        ),
        (
            "  immutable:\n  - backoffLimit  # once\n  - label: team\n  - pod.restartPolicy\n",
            "  immutable:\n  - {field: backoffLimit}  # once\n  - label: team\n  - {field: pod.restartPolicy}\n",
        ),
        (
            "  limits:\n    resources:\n      requests:\n        cpu: {maximum: 0.5}\n        memory: {maximum: 1e9}\n",
            "  limits:\n    resources:\n      requests:\n        cpu: {maximum: \"0.5\"}\n        memory: {maximum: 1e9}\n",
        ),
        ("  priority: 1\r\n  immutable: [suspend]\r\n", "  priority: 1\r\n  immutable: [{field: suspend}]\r\n"),
    ],
)  # fmt: skip
def test_the_text_stays_but_for_the_short_form(tmp_path: Path, before: str, after: str) -> None:
    assert rewritten(tmp_path, HEAD + before) == HEAD + after
    assert rewritten(tmp_path, HEAD + after) == HEAD + after


def test_json_and_the_items_of_a_list_are_rewritten_too(tmp_path: Path) -> None:
    policy = document(match={"kinds": ["Job"]}, immutable=["suspend"])
    other = document("other", defaults={"backoffLimit": 3})
    found = rewritten(
        tmp_path,
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [policy, other]}, indent=2),
    )
    assert [item["spec"] for item in json.loads(found)["items"]] == [
        {"match": [{"kinds": ["Job"]}], "immutable": [{"field": "suspend"}]},
        {"defaults": {"backoffLimit": {"value": 3}}},
    ]


def test_each_rewritten_form_is_named_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(HEAD + "  match: {kinds: [Job]}\n  defaults:\n    backoffLimit: 3\n")
    assert [str(one) for one in rewrite_short_forms([str(tmp_path)])] == [
        f"fixed: {file}:5: spec.match: wrote a list of matchers, [{{kinds: …}}]",
        f"fixed: {file}:7: spec.defaults.backoffLimit: wrote {{value: 3}}",
    ]


def test_a_file_that_cannot_be_rewritten_stays_as_it_is(tmp_path: Path) -> None:
    text = f"base: &base\n  match: {{kinds: [Job]}}\n{HEAD.removesuffix(chr(10))}\n  <<: *base\n"
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    (error,) = rewrite_short_forms([str(file)])
    assert str(error).startswith(f"{file}:2:3: error: spec.match: not fixed: a merge key")
    assert file.read_text() == text


def test_standard_input_has_no_file_to_rewrite() -> None:
    with pytest.raises(UsageError, match="give files or folders instead of -"):
        list(rewrite_short_forms(["-"]))


NAMES = st.sampled_from(["a", "team-*", "it's", "a, b", "yes", "1", "x: y", "#x", "[a]", "ü", "-"])
MATCHERS = st.fixed_dictionaries(
    {"namespaces": st.lists(NAMES, min_size=1, max_size=2, unique=True)},
    optional={"kinds": st.just(["Job", "CronJob"]), "users": st.just(["system:*"])},
)
WHEN = st.sampled_from([{}, {"when": "always"}])


def default(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda value, when: {"value": value, **when}, values, WHEN)


TEXTS = st.text(st.sampled_from("ab1 ,:#{}[]'\"\n-é"), max_size=6)
DEFAULTS = st.fixed_dictionaries(
    {"annotations": st.dictionaries(st.sampled_from(["a", "b.c/d"]), default(TEXTS), min_size=1)},
    optional={
        "backoffLimit": default(st.integers(0, 9)),
        "suspend": default(st.booleans()),
        "maxFailedIndexes": default(st.sampled_from([3, "10%"])),
        "podReplacementPolicy": default(st.just("Failed")),
        "podFailurePolicy": st.just({"rulesBefore": [{"action": "Ignore", "onPodConditions": [{"type": "X"}]}]}),
    },
)  # fmt: skip
IMMUTABLE = st.lists(st.sampled_from([*FIELDS]), min_size=1, max_size=3, unique=True).flatmap(
    lambda names: st.tuples(
        *(st.sampled_from([{"field": name}, {"field": name, "message": "x"}]) for name in names)
    ).map(list)
)
QUANTITIES = st.sampled_from([2, "500m", "0.5", "0.25", "1Gi", "2000.5"])
SPECS = st.fixed_dictionaries(
    {"defaults": DEFAULTS},
    optional={
        "match": st.lists(MATCHERS, min_size=1, max_size=2),
        "exempt": st.lists(MATCHERS, min_size=1, max_size=2),
        "immutable": IMMUTABLE,
        "limits": st.builds(
            lambda cpu: {"resources": {"requests": {"cpu": {"maximum": cpu}}}}, QUANTITIES
        ),
    },
)


def shortened(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a spec in the old form, short wherever that was possible."""
    short = copy.deepcopy(spec)
    for part in ("match", "exempt"):
        if len(short.get(part, [])) == 1:
            (short[part],) = short[part]
    for holder in (short["defaults"], short["defaults"]["annotations"]):
        for name, value in holder.items():
            if value.keys() == {"value"} and name != "podFailurePolicy":
                holder[name] = value["value"]
    short["immutable"] = [
        item["field"] if item.keys() == {"field"} else item for item in short.get("immutable", [])
    ]
    if not short["immutable"]:
        del short["immutable"]
    cpu = short.get("limits", {}).get("resources", {}).get("requests", {}).get("cpu", {})
    if cpu.get("maximum") in ("0.5", "0.25", "2000.5"):
        cpu["maximum"] = float(cpu["maximum"])
    return short


def with_comments(text: str) -> str:
    """Return block YAML with a comment above and behind each line."""
    lines = []
    for number, line in enumerate(text.splitlines()):
        margin = " " * (len(line) - len(line.lstrip(" ")))
        lines += [f"{margin}# above {number}", f"{line}  # behind {number}"]
    return "\n".join(lines) + "\n"


STYLES = {
    "block": lambda value: yaml.safe_dump(value, allow_unicode=True, width=1 << 20),
    "flow in block": lambda value: yaml.safe_dump(
        value, default_flow_style=None, allow_unicode=True, width=1 << 20
    ),
    "flow": lambda value: yaml.safe_dump(value, default_flow_style=True, width=40),
    "JSON": json.dumps,
    "indented JSON": lambda value: json.dumps(value, indent=4),
}


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=number_of_examples(40), deadline=None)
@given(spec=SPECS)
def test_a_policy_in_the_old_form_becomes_a_valid_one_with_the_same_meaning(
    tmp_path_factory: pytest.TempPathFactory, style: str, spec: dict[str, Any]
) -> None:
    old = document(**shortened(spec))
    text = STYLES[style](old)
    if style == "block" and not re.search(r"\n\s*\n|: [|>'\"].*[^'\"]\n", text):
        text = with_comments(text)
    folder = tmp_path_factory.mktemp("policies")
    found = rewritten(folder, text)
    (reread,) = read_text(found.encode(), "policy.yaml")
    value: Any = reread.value
    assert not list(short_forms(value))
    assert re.findall(r"# (?:above|behind) \d+", found) == re.findall(
        r"# (?:above|behind) \d+", text
    )
    for each in (value["spec"], spec):
        cpu = each.get("limits", {}).get("resources", {}).get("requests", {}).get("cpu", {})
        if cpu:
            cpu["maximum"] = parse(cpu["maximum"]).canonical()
    assert value["spec"] == spec
    load_policies([str(folder)])
