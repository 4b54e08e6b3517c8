"""Loading the parser: light, without side effects, and in spite of missing parts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jobsworth.manifests
from jobsworth.manifests.editing.ranges import spans_of

ROOM = Path(jobsworth.manifests.__file__).parent

PREAMBLE = f"""
import sys
package = type(sys)("jobsworth")  # only this room of the package, to see what it imports
package.__path__ = [{str(ROOM.parent)!r}]
sys.modules["jobsworth"] = package
from jobsworth.manifests import read_text
from jobsworth.manifests.parsing import libyaml

def value(text):
    return [document.value for document in read_text(text, "file.yaml")]
"""


def run(code: str) -> str:
    """Run code in a fresh interpreter, with the project on its path."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    result = subprocess.run(
        [sys.executable, "-c", PREAMBLE + code],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def has_libyaml() -> bool:
    from jobsworth.manifests.parsing.libyaml import backend

    return backend().kind == "libyaml"


needs_libyaml = pytest.mark.skipif(not has_libyaml(), reason="PyYAML was built without libyaml")


@needs_libyaml
def test_reading_a_file_imports_nothing_that_takes_time() -> None:
    heavy = "re typing dataclasses enum json pathlib collections functools datetime inspect yaml"
    code = f"""
before = set(sys.modules)
assert value(b"a: [1, x]") == [{{"a": [1, "x"]}}]
found = [name for name in {heavy.split()!r} if name in sys.modules]
print(found, libyaml.backend().kind, [name for name in sys.modules if name.startswith("yaml")])
"""
    assert run(code) == "[] libyaml []\n"


@needs_libyaml
def test_yaml_can_be_imported_afterwards_and_is_complete() -> None:
    code = """
value(b"a: 1")
import datetime
import yaml
import yaml.constructor, yaml.resolver
assert yaml.__with_libyaml__
for loader in (yaml.SafeLoader, yaml.CSafeLoader):
    assert yaml.load("a: 2001-01-01", loader) == {"a": datetime.date(2001, 1, 1)}
    for error in (yaml.parser.ParserError, yaml.error.MarkedYAMLError, yaml.YAMLError):
        try:
            yaml.load("a: [1", loader)
        except error as problem:
            assert problem.problem_mark is not None
    try:
        yaml.load("a: \\x01", loader)
    except yaml.reader.ReaderError:
        pass
    try:
        yaml.load("a: *b", loader)
    except yaml.composer.ComposerError:
        pass
    assert type(yaml.compose("a", loader)) is yaml.nodes.ScalarNode
    assert type(list(yaml.scan("a", loader))[1]) is yaml.tokens.ScalarToken
    assert type(list(yaml.parse("a", loader))[2]) is yaml.events.ScalarEvent
for dumper in (yaml.SafeDumper, yaml.CSafeDumper):
    assert yaml.dump({"a": [1]}, Dumper=dumper) == "a:\\n- 1\\n"
assert yaml._yaml.CParser is yaml.cyaml.CParser
print(value(b"a: [1, x]"), value(b"a: &a 1\\nb: *a"), read_text(b"a: [1", "f")[0].error.message)
"""
    assert run(code).startswith("[{'a': [1, 'x']}] [{'a': 1, 'b': 1}] missing comma or `]`")


@needs_libyaml
def test_yaml_that_is_imported_already_is_used() -> None:
    code = """
import yaml
print(value(b"a: [1, x]"), value(b"on: 1"), libyaml.backend().names is yaml._yaml)
"""
    assert run(code) == "[{'a': [1, 'x']}] [{'true': 1}] True\n"


@needs_libyaml
def test_any_surprise_is_met_by_importing_yaml() -> None:
    code = """
libyaml._CLASSES.clear()
print(value(b"a: [1, x]"), libyaml.backend().kind, "yaml" in sys.modules)
"""
    assert run(code) == "[{'a': [1, 'x']}] libyaml True\n"


WITHOUT_LIBYAML = """
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "yaml._yaml":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""


def test_without_libyaml_the_python_parser_is_used() -> None:
    code = f"""{WITHOUT_LIBYAML}
print(value(b"a:\\t[1,\\tx]\\t# tabs\\n"), value(b"on: 1"), libyaml.backend().kind)
error = read_text(b"a:\\n\\t- b\\n", "f")[0].error
print(error.line, error.column, error.message)
"""
    first, second = run(code).splitlines()
    assert first == "[{'a': [1, 'x']}] [{'true': 1}] python"
    assert second.startswith("2 1 YAML does not allow tabs")


def test_the_python_parser_agrees_with_kubectl_too() -> None:
    tests = Path(__file__).parent
    code = f"""{WITHOUT_LIBYAML}
sys.path.insert(0, {str(tests)!r})
import test_kubectl_facts as facts
assert libyaml.backend().kind == "python"
for known in facts.DOCUMENTS:
    facts.test_a_small_document_becomes_what_sigs_yaml_makes_of_it(known)
for probe in facts.PROBES:
    if probe["name"] not in facts.UNRECORDED | facts.SHORTENED:
        facts.test_a_stream_becomes_what_kubectl_makes_of_it(probe)
print("agrees")
"""
    assert run(code) == "agrees\n"


def test_the_python_parser_reads_deep_text_on_one_line_like_that_on_many() -> None:
    code = f"""{WITHOUT_LIBYAML}
import time
def seconds(text):
    began = time.process_time()
    assert read_text(text, "f.txt")[0].error is None
    return time.process_time() - began
seconds(b"[]")
print(seconds(b"[" * 10_000 + b"]" * 10_000) < 8 * seconds(b"[\\n" * 10_000 + b"]\\n" * 10_000))
"""
    assert run(code) == "True\n"


def test_text_is_edited_that_is_deeper_than_libyaml_reads() -> None:
    depth = 1_200
    span = spans_of("[" * depth + "a" + "]" * depth)
    for _ in range(depth):
        assert span is not None
        (span,) = span.items
    assert span is not None
    assert (span.start, span.end) == (depth, depth + 1)


@pytest.mark.parametrize("text", ['a: "\\ud800"', 'a: "\\U00110000"', "a: \x01", "{" * 300])
def test_the_python_parser_never_fails_but_with_an_error(text: str) -> None:
    code = f"{WITHOUT_LIBYAML}\nprint(read_text({text.encode()!r}, 'f.txt')[0].error is not None)"

    assert run(code) == "True\n"
