"""A manifest that cannot be read: the place, and what would be right."""

from __future__ import annotations

import pytest

from jobsworth.manifests import ManifestError, read_text
from jobsworth.manifests.parsing.block_scalars import fallen_line
from support.scaling.cost_growth import Action, superlinear_calls


def error_of(data: bytes, file: str = "file.yaml") -> ManifestError:
    errors = [document.error for document in read_text(data, file) if document.error]
    assert errors
    return errors[0]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\nb: {{ .Values.b }}\n", 2, 4, "helm template"),
        ("{{- if .Values.a }}\na: 1\n{{- end }}\n", 1, 1, "helm template"),
        ("a:\n{{ toYaml .Values | indent 2 }}\n", 2, 1, "helm template"),
        ("{% if x %}\na: 1\n{% endif %}\n", 1, 1, "Jinja"),
        ("{# note #}\na: 1\n", 1, 1, "Jinja"),
        ("a: [${X}]\n", 1, 5, "substitute"),
        ('a: "{{ fine }}"\nb: c: d\n', 2, 5, 'put it in quotes: "c: d"'),
        ("a:\n\t- b\n", 2, 1, "use spaces"),
        ("a:\n  b: 1\n \tc: 2\n", 3, 2, "use spaces"),
        ("-\ta\n", 1, 2, "use spaces"),
        ("schedule: */5 * * * *\n", 1, 11, 'put it in quotes: "*/5 * * * *"'),
        ("schedule: @daily # each day\n", 1, 11, 'put it in quotes: "@daily"'),
        ("a: %b\n", 1, 4, 'put it in quotes: "%b"'),
        ("a: [b, |\n  c\n]\n", 1, 8, "`|` cannot begin a text inside `[ ]`; write each item"),
        ("a: {b: >\n  c\n}\n", 1, 8, "`>` cannot begin a text inside `{ }`; write each key"),
        ("a: `b`\n", 1, 4, 'put it in quotes: "`b`"'),
        ("a: & b\n", 1, 4, "begins an anchor"),
        ("a: *b\n", 1, 4, 'put it in quotes: "*b"'),
        ("a: &b [*b]\n", 1, 8, "contain itself"),
        ("a: b: c\n", 1, 5, 'put it in quotes: "b: c"'),
        ("a: 1\n b: 2\n", 2, 3, "indentation"),
        ("a\nb: 2\n", 2, 2, "lacks its colon"),
        ("a: 1\nb\n", 2, 1, "no colon"),
        ("a: 1\nb:c\n", 2, 1, "a colon and a space"),
        ("a:\n  - b\n c: 1\n", 3, 2, "column 1"),
        ("- a\nb: 1\n", 2, 1, "expected `- ` in column 1"),
        ('a: "b" c\n', 1, 8, 'closing `"`'),
        (": a\n", 1, 1, "key is missing"),
        ("a: [b, c\nd: 1\n", 2, 2, "`[` in line 1, column 4"),
        ("a: {b: c\nd: 1\n", 2, 2, "`{` in line 1, column 4"),
        ("a: [b, , c]\n", 1, 8, "value is missing"),
        ("x: [\n", 1, 4, "the `[` is not closed; add `]`"),
        ("a:\n  x: [ # a list\n", 2, 6, "the `[` is not closed; add `]`"),
        ("a: [[1], {b: [2],\n", 1, 10, "the `{` is not closed; add `}`"),
        ("x: [\n---\ny: 1\n", 1, 4, "the `[` is not closed; add `]`"),
        ("a: - b\n", 1, 4, "a line of its own"),
        ("a: ? b\n", 1, 4, "in quotes"),
        ("a: |x\n  b\n", 1, 5, "on the lines below"),
        ('a: "b\nc: 1\n', 1, 4, "double quote is not closed"),
        ("a: 'b\nc: 1\n", 1, 4, "single quote is not closed"),
        ('a: "b\n---\nc"\n', 1, 4, "not closed"),
        ('a: "C:\\dir"\n', 1, 7, "write the backslash twice, `\\\\d`"),
        ('a: "\\ud83d\\ude00"\n', 1, 7, "write the character itself"),
        ('{a: "\\/x"}\n', 1, 6, "write `/`"),
        ("a: [b?c]\n", 1, 6, "cannot contain `?`"),
        ("%YAML 1.1\n---\na: 1\n", 1, 10, "remove the line"),
        ("--- {a: 1}\n", 1, 1, "move `{a: 1}` to the next line"),
        ("a: 1\n----\nb: 2\n", 2, 1, "exactly three hyphens"),
        ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> b\n", 1, 1, "conflict"),
        ("a: !h!x 1\n", 1, 4, "not defined"),
        ("a: !!int 3.5\n", 1, 4, "tagged !!int and reads as !!float"),
        ("a: !!binary x\n", 1, 4, "base64"),
        ("b: 1\na: .inf\n", 2, 4, "neither infinity nor NaN"),
        ("b:\n  ~: 1\n", 2, 3, "cannot be null"),
        ("[a]: 1\n", 1, 1, "cannot be a key"),
        ("a: {b: 1}\n<<: 1\n", 2, 5, "a mapping or a list of mappings"),
        ("a: b\x07\n", 1, 5, "U+0007"),
        ("a: b\x00\n", 1, 5, "binary"),
    ],
)
def test_an_error_names_its_place_and_what_would_be_right(
    text: str, line: int, column: int, words: str
) -> None:
    error = error_of(text.encode())

    assert words in error.message
    assert (error.line, error.column) == (line, column)
    assert error.file == "file.yaml"


@pytest.mark.parametrize(
    ("data", "line", "column", "words"),
    [
        (b"a: \xc3\xa9\nb: \xe9t\xe9\n", 2, 4, "byte 0xE9 is not UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, 1, "UTF-16"),
        ("a: 1\n".encode("utf-16-le"), 1, 2, "NUL"),
        (b"a: 1\n---\n\xff\xfeb\0:\0", 3, 1, "UTF-16"),
        (b"\x7fELF\x02\x01\x01\0\0\0", 1, 8, "binary"),
        (b"\x1f\x8b\x08x", 1, 2, "0x8B is not UTF-8"),
    ],
)
def test_bytes_that_are_no_text_are_reported_as_such(
    data: bytes, line: int, column: int, words: str
) -> None:
    error = error_of(data)

    assert words in error.message
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"a": 1,}', 1, 9, "no comma before `}`"),
        ('{"a": [1, ]}', 1, 11, "no comma before `]`"),
        ('{"a": 1 // one\n}', 1, 9, "no comments"),
        ("# one\n{}", 1, 1, "no comments"),
        ("{'a': 1}", 1, 2, "double quotes"),
        ("{a: 1}", 1, 2, "a key in double quotes"),
        ('{"a" 1}', 1, 6, 'a colon after the key "a"'),
        ('{"a": 1 "b": 2}', 1, 9, "a comma or `}`"),
        ('{"a": NaN}', 1, 7, "neither NaN nor infinity"),
        ('{"a": True}', 1, 7, "lower case"),
        ('{"a": 010}', 1, 7, "no leading zeros"),
        ('{"a": 1.}', 1, 9, "digit is missing"),
        ('{"a": -}', 1, 8, "digit is missing"),
        ('{"a": 1e999}', 1, 7, "too large"),
        ('{"a": ' + "9" * 5000 + "}", 1, 7, "too large"),
        ('{"a": "x\ny"}', 1, 9, "line break"),
        ('{"a": "\\d"}', 1, 8, "write the backslash twice"),
        ('{"a": "x', 1, 7, "not closed"),
        ('{"a": [', 1, 7, "this `[` is not closed"),
        ('{"a": 1}\n]', 2, 1, "expected a value here"),
        ('{"a": {{ .x }}}', 1, 8, "render it first"),
        ('{"a":', 1, 1, "not closed"),
        ("kind: Job\n", 1, 1, "expected a value here"),
    ],
)
def test_a_json_file_has_errors_of_json(text: str, line: int, column: int, words: str) -> None:
    error = error_of(text.encode(), "file.json")

    assert words in error.message
    assert (error.line, error.column) == (line, column)


def test_broken_json_in_a_yaml_file_is_explained_as_json() -> None:
    assert "`[` is not closed" in error_of(b'{"a": 1, "b": [1, 2').message
    assert "helm" in error_of(b"{{ .Values.x }}\n").message


def test_a_broken_document_does_not_keep_the_others_from_being_read() -> None:
    text = b"a: 1\n---\nb: [\n---\nc: 3\n---x\nd: 4\n---\ne: 5\n"
    documents = read_text(text, "file.yaml")

    assert [document.value for document in documents] == [{"a": 1}, None, None, {"e": 5}]
    assert [document.index for document in documents] == [0, 1, 2, 3]
    errors = [document.error for document in documents if document.error]
    assert [error.line for error in errors] == [3, 6]


def test_documents_behind_broken_json_are_read() -> None:
    documents = read_text(b'{"a":1}{"b":2}{"c":}\n---\nd: 4\n', "file.yaml")

    assert [document.value for document in documents] == [{"a": 1}, {"b": 2}, None, {"d": 4}]


def test_an_error_reads_like_a_compiler_s() -> None:
    assert str(ManifestError("a.yaml", 3, 7, "wrong")) == "a.yaml:3:7: wrong"


def test_template_markup_within_a_script_is_not_blamed_for_an_error_elsewhere() -> None:
    error = error_of(b"script: |\n  echo {{ x }}\nb: c: d\n")

    assert "put it in quotes" in error.message
    assert error.line == 3


HEAD = "spec:\n  args:\n    - |\n      set -e\n"
IN_TEXT = (
    "this line is indented less than the text that began with `|` in line 3, so it ends that text; "
)


@pytest.mark.parametrize(
    ("rest", "line", "column", "advice"),
    [
        ("import sys, os\n", 5, 1, "indent it by 6"),
        ("    echo done here\n      b\n", 5, 5, "indent it by 2"),
        ('print("a:b")\n', 5, 1, "indent it by 6"),
        ("}\n", 5, 1, "indent it by 6"),
        ("*.txt\n", 5, 1, "indent it by 6"),
        ("   %s: done\n", 5, 4, "indent it by 3"),
        ("# a comment\n      run it now\n", 5, 1, "indent it by 6"),
        ("run.sh\n", 5, 1, "indent it by 6 if it belongs to it, or write `key: value`"),
        (
            "      cat <<'END'\nx, y\nEND\n      b\n",
            6,
            1,
            "indent it by 6, and so every line up to `END`",
        ),
        # The body looks like the manifest, and its last line is not where the text ended.
        (
            "      cat > f <<END\n  level: 1\nEND\n",
            6,
            3,
            "indent it by 6, and so every line up to `END`",
        ),
        ("      cat <<-END\n- a\nEND\n", 6, 1, "indent it by 6, and so every line up to `END`"),
    ],
)
def test_a_line_that_fell_out_of_a_block_scalar_is_to_be_indented(
    rest: str, line: int, column: int, advice: str
) -> None:
    error = error_of((HEAD + rest).encode())
    assert (error.line, error.column) == (line, column)
    assert error.message == IN_TEXT + advice


@pytest.mark.parametrize(
    ("text", "column", "missing"),
    [
        ("a:\n- |\nfor i in 1 2; do\n", 1, 2),
        ("  a: |\n  run it now\n", 3, 2),
    ],
)
def test_a_text_that_is_not_indented_at_all_is_to_be_indented(
    text: str, column: int, missing: int
) -> None:
    error = error_of(text.encode())
    assert (error.line, error.column) == (text.count("\n"), column)
    assert (
        f"must be indented more than that line; indent this line, and the rest of the text, by {missing}"
        in (error.message)
    )


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("  env: [a, b\nc: 1\n", "missing comma"),
        ("   env: 1\n", "the indentation of this line"),
        ("  env: 1\n  name\n", "this line has no colon; add it"),
        ("      cat <<END\n  env: 1\n  name\n", "this line has no colon; add it"),
        ("      cat <<<END\n  name: 'a\nEND: 1\n", "single quote is not closed"),
        ("{{ .Values.more }}\n", "helm template"),
        ("\techo\n", "use spaces"),
        ("  b: |\n  c: x: y\n", 'put it in quotes: "x: y"'),
    ],
)
def test_other_errors_after_a_block_scalar_keep_their_cause(rest: str, words: str) -> None:
    assert words in error_of((HEAD + rest).encode()).message


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: {b: 1}\n ---\nb: 1\n", 2, 2, "only if it begins in column 1"),
        ("a: {b: 1}\n  --- # next\nb: 1\n", 2, 3, "only if it begins in column 1"),
        ("a: {b: 1}\n-- -\nb: 1\n", 2, 1, "`-- -` does not separate two documents; write `---`"),
        ("a: {b: 1}\n--\nb: 1\n", 2, 1, "`--` does not separate"),
        ("a: {b: 1}\n\u2014\nb: 1\n", 2, 1, "`\u2014` does not separate"),
        ("a: {b: 1}\n\u2014-\nb: 1\n", 2, 1, "`\u2014-` does not separate"),
        ("a: {b: 1}\n===\nb: 1\n", 2, 1, "`===` does not separate"),
        ("a: {b: 1}\n----\nb: 1\n", 2, 1, "exactly three hyphens"),
    ],
)
def test_a_mistyped_separator_is_named(text: str, line: int, column: int, words: str) -> None:
    error = error_of(text.encode())
    assert (error.line, error.column) == (line, column)
    assert words in error.message


@pytest.mark.parametrize(
    "line", ["      a <<{0}\n  b: 1\n", "  a: |\n    b\n", "  a: |\n#\n", "    - "]
)
def test_the_search_for_fallen_lines_is_linear(line: str) -> None:
    def searched(count: int) -> Action:
        text = HEAD + "".join(line.format(f"E{number}") for number in range(count)) + "\nx"
        return lambda: fallen_line(text, (len(text) - 1,))

    assert superlinear_calls(searched) == {}
