"""CEL expressions of every kind, and admission requests to evaluate them on.

``cel_recording`` records what kube-apiserver makes of them. An expression is compiled as a variable, which may have any
type, unless it stands in :data:`CONDITIONS` or :data:`MESSAGES`.
"""

from __future__ import annotations

from typing import Any

from cluster.native_policies import Request

VARIABLES = (
    {"name": "pod", "expression": "object.spec.template.spec"},
    {"name": "three", "expression": "1 + 2"},
    {"name": "names", "expression": "['a', 'b']"},
    {"name": "broken", "expression": "1 / 0 == 1"},
    {"name": "six", "expression": "variables.three * 2"},
)
"""The variables of expressions that name ``variables``."""

VALUES: dict[str, tuple[str, ...]] = {
    "literals": (
        "1", "-1", "0x1F", "-0x1f", "1u", "0xFFu", "1.5", "-1.5e3", ".5", "1e3", "1e-3", "true", "false", "null",
        "'a'", '"a"', "'''a\nb'''", '"""a"""', "r'a\\n'", "R'\\d'", "b'abc'", "b'\\xff'", "b'ÿ'", "br'\\n'",
        "'\\n\\t\\r\\\\\\'\\\"\\`\\?'", "'\\x41\\u00e9\\U0001F600'", "'\\101'", "'\\a\\b\\f\\v'", "'é😀'", "'😀'.size()",
        "[]", "[1, 2]", "[1, 2,]", "{}", "{'a': 1}", "{'a': 1,}", "{1: 'a', 2: 'b'}", "{true: 1, false: 0}", "{1u: 2}",
        "9223372036854775807", "-9223372036854775808", "18446744073709551615u", "9223372036854775808",
        "-9223372036854775809", "18446744073709551616u", "1e400", "1 // a comment", "// only a comment", "",
        " \t\n 1 ", "{1.5: 'a'}", "{null: 1}", "{'a': 1, 'a': 2}", "[[1], [2, 3]]", "[{'a': 1}]", "{'a': {'b': [1]}}",
    ),
    "arithmetic": (
        "1 + 2 * 3", "(1 + 2) * 3", "7 / 2", "-7 / 2", "7 % 3", "-7 % 3", "7.0 / 2.0", "1.0 / 0.0", "-1.0 / 0.0",
        "0.0 / 0.0", "1 / 0", "1 % 0", "1u / 0u", "1u - 2u", "3u * 4u", "5u % 3u", "--1", "-(-1)", "!true", "!!true",
        "9223372036854775807 + 1", "-9223372036854775808 - 1", "9223372036854775807 * 2", "-9223372036854775808 / -1",
        "-(-9223372036854775808)", "18446744073709551615u + 1u", "1 + 1u", "1 + 1.0", "1.5 % 1.0", "-1u", "-'a'", "!1",
        "'a' + 'b'", "b'a' + b'b'", "[1] + [2]", "'a' + 1", "[1] + ['a']", "{'a': 1} + {'b': 2}", "0.1 + 0.2",
        "1e308 * 10.0", "9007199254740993 + 0", "2.0 - 0.5", "-object.spec.parallelism", "'a' * 2",
        "-9223372036854775808 % -1", "true + true",
    ),
    "comparisons": (
        "1 == 1", "1 != 2", "1 < 2", "2 <= 2", "'a' < 'b'", "'a' < 'B'", "b'a' < b'b'", "false < true", "1 == 1.0",
        "1 == 1u", "1 < 1.5", "1u > 0", "1.0 >= 1u", "dyn(1) == dyn(1.0)", "dyn(1) == dyn(1u)", "dyn(1) == 'a'",
        "dyn(1) < 'a'", "dyn(1) < dyn('a')", "'a' == 1", "[1] == [1.0]", "[1, 2] == [1, 2]", "[1] == ['a']",
        "{'a': 1} == {'a': 1}", "{'a': 1} == {'a': 2}", "{'a': 1} == {1: 'a'}", "null == null", "1 == null",
        "dyn(1) == null", "object == null", "oldObject == null", "[] == {}", "[] == []", "[1] < [2]", "null < null",
        "0.0 == -0.0", "0.0 / 0.0 == 0.0 / 0.0", "dyn([1]) == dyn([1.0])", "dyn([1]) == dyn(['a'])", "int == int",
        "type(1) == int", "type(1) == uint", "type('a') == string", "type(type(1)) == type", "type([]) == list",
        "type({}) == map", "type(null) == null_type", "type(1.0) == double", "type(b'') == bytes", "type(true) == bool",
        "type(timestamp('2026-01-01T00:00:00Z')) == google.protobuf.Timestamp", "1 < 2 < 3", "1 == 1 == true",
        "9007199254740993 == 9007199254740992.0", "9223372036854775807 < 9223372036854775808.0",
        "dyn(9223372036854775807) == dyn(9223372036854775807.0)", "type(object) == map", "type(object.spec) == map",
        "type(object.spec.parallelism) == int", "type(quantity('1'))", "type(1)", "type([1])", "type(optional.none())",
        "duration('1h') == duration('60m')", "duration('1h') < duration('61m')", "-1 < 0u", "18446744073709551615u > -1",
    ),
    "logic": (
        "true && false", "true || false", "false || 1 / 0 == 1", "true || 1 / 0 == 1", "1 / 0 == 1 || true",
        "1 / 0 == 1 || false", "1 / 0 == 1 && false", "false && 1 / 0 == 1", "1 / 0 == 1 && true", "true && 1 / 0 == 1",
        "1 / 0 == 1 || 2 % 0 == 1", "true ? 1 : 2", "false ? 1 : 2", "true ? 1 : 1 / 0", "false ? 1 / 0 : 2",
        "1 / 0 == 1 ? 1 : 2", "1 ? 2 : 3", "true && 1", "1 || true", "'a' && true", "object.nope || true",
        "true || object.nope", "object.nope || false", "object.nope && false", "object.spec.parallelism || true",
        "dyn('a') || true", "dyn('a') && false", "dyn('a') || false", "dyn('a') ? 1 : 2", "!dyn('a')",
        "true ? 1 : 'a'", "true ? dyn(1) : 'a'", "true ? 1 : dyn('a')", "true ? [] : [1]", "true ? null : 1",
        "true ? object.spec : null", "false ? 'a' : true ? 'b' : 'c'", "true || false && false", "[1, 2].exists(x, x / 0 == 1)",
    ),
    "strings": (
        "'abc'.contains('b')", "'abc'.startsWith('a')", "'abc'.endsWith('c')", "'abc'.matches('^a.c$')",
        "'abc'.matches('b')", "matches('abc', 'b')", "'abc'.matches('[')", "'abc'.matches('(?i)B')", "'a\\nb'.matches('a.b')",
        "'abc'.matches(object.metadata.name)", "'é'.matches('^.$')", "'abc'.matches('(?=a)')", "'aa'.matches('(a)\\\\1')",
        "size('abc')", "'abc'.size()", "'é'.size()", "size(b'é')", "'abc'.charAt(1)", "'abc'.charAt(3)", "'abc'.charAt(4)",
        "'abc'.charAt(-1)", "'abcb'.indexOf('b')", "'abcb'.indexOf('b', 2)", "'abc'.indexOf('')", "'abc'.indexOf('z')",
        "'abc'.indexOf('a', 9)", "'abcb'.lastIndexOf('b')", "'abcb'.lastIndexOf('b', 2)", "'abc'.lastIndexOf('')",
        "'ABC'.lowerAscii()", "'abc'.upperAscii()", "'É'.lowerAscii()", "'aXbX'.replace('X', '-')",
        "'aXbX'.replace('X', '-', 1)", "'aXbX'.replace('X', '-', 0)", "'aXbX'.replace('X', '-', -1)", "'ab'.replace('', '-')",
        "'a,b,c'.split(',')", "'a,b,c'.split(',', 2)", "'a,b,c'.split(',', 0)", "'a,b,c'.split(',', 1)",
        "'a,b,c'.split(',', -1)", "'abc'.split('')", "''.split(',')", "'abc'.substring(1)", "'abc'.substring(1, 2)",
        "'abc'.substring(3)", "'abc'.substring(4)", "'abc'.substring(2, 1)", "'abc'.substring(-1)", "'héé'.substring(1, 2)",
        "' a\\t'.trim()", "'\\u00a0a\\u2003'.trim()", "['a', 'b'].join()", "['a', 'b'].join(', ')", "[].join(',')",
        "[1, 2].join(',')", "strings.quote('a\"b\\n')", "strings.quote('é\\u0007')", "'abc'.reverse()", "'abc'[0]",
        "'a' in 'abc'", "'abc'.find('b+')", "'abcbb'.find('b+')", "'abc'.find('z')", "'abcbb'.findAll('b')",
        "'abcbb'.findAll('b', 1)", "'abc'.findAll('z')", "'abcbb'.findAll('b', -1)", "'abc'.findAll('b', 0)", "'abc'.find('[')",
        "'abc'.contains(1)", "'abc'.toUpperCase()", "object.metadata.name.upperAscii()", "object.metadata.name.startsWith('tr')",
    ),
    "format": (
        "'%s'.format(['a'])", "'%d'.format([3])", "'%d'.format([3u])", "'%d'.format([3.0])", "'%f'.format([1.5])",
        "'%.1f'.format([1.25])", "'%.0f'.format([2.5])", "'%e'.format([1234.5])", "'%.2e'.format([1234.5])", "'%x'.format([255])",
        "'%X'.format([255])", "'%x'.format(['abc'])", "'%x'.format([b'abc'])", "'%o'.format([8])", "'%b'.format([5])",
        "'%b'.format([true])", "'%%'.format([])", "'%s %s'.format(['a'])", "'a'.format(['b'])", "'%s'.format([[1, 2]])",
        "'%s'.format([{'b': 1, 'a': [true, null]}])", "'%s'.format([null])", "'%s'.format([1.0])", "'%s'.format([1.5])",
        "'%s'.format([true])", "'%s'.format([b'abc'])", "'%s'.format([duration('90s')])", "'%s'.format([type(1)])",
        "'%s'.format([timestamp('2026-01-31T09:00:00Z')])", "'%q'.format(['a'])", "'%d'.format(['a'])", "'%'.format([1])",
        "'%s'.format([quantity('1Gi')])", "'%s'.format([optional.of(1)])", "'%d of %s'.format([object.spec.parallelism, 'x'])",
        "'%f'.format([1])", "'%s'.format([0.0 / 0.0])", "'%f'.format([1.0 / 0.0])", "'%.3s'.format(['abcdef'])",
        "'%s'.format(object.metadata.name)", "'%s'.format([object.metadata.labels])", "'%s'.format(['a', 1])",
        "'%5d'.format([1])", "'%s'.format([1e20])", "'%d'.format([-9223372036854775808])", "'%x'.format([-255])",
    ),
    "lists and maps": (
        "[1, 2, 3][0]", "[1, 2, 3][3]", "[1, 2, 3][-1]", "[1][0u]", "[1][0.0]", "[1][1.5]", "[1]['a']", "[1][dyn('a')]",
        "{'a': 1}['a']", "{'a': 1}['b']", "{'a': 1}.a", "{'a': 1}.b", "{1: 'a'}[1]", "{1: 'a'}[1.0]", "{1: 'a'}[1u]",
        "{1: 'a'}[dyn(1.0)]", "{1: 'a'}[dyn(1u)]", "1 in [1, 2]", "1.0 in [1, 2]", "dyn(1.0) in [1, 2]", "'a' in {'a': 1}",
        "1 in {'a': 1}", "dyn(1) in {'a': 1}", "3 in [1, 2]", "'a' in ['b']", "size([1, 2])", "size({'a': 1})", "[1, 2].size()",
        "[1, 2, 3].min()", "[1, 2, 3].max()", "[1, 2, 3].sum()", "[1.5, 2.5].sum()", "[1u, 2u].sum()", "[].sum()", "[].min()",
        "['b', 'a'].min()", "['b', 'a'].sum()", "[duration('1s'), duration('2s')].sum()", "[1, 2, 2].isSorted()",
        "[2, 1].isSorted()", "['a', 'b'].isSorted()", "[].isSorted()", "[1, 2, 1].indexOf(1)", "[1, 2, 1].lastIndexOf(1)",
        "[1].indexOf(2)", "[[1]].isSorted()", "[9223372036854775807, 1].sum()", "[dyn(1), dyn(2)].sum()",
        "[dyn(1), dyn(2.5)].max()", "object.spec.template.spec.containers.map(c, c.name).isSorted()",
        "sets.contains([1, 2], [2])", "sets.contains([1, 2], [3])", "sets.equivalent([1, 2], [2, 1, 1])", "sets.intersects([1], [1, 2])",
        "sets.intersects([], [])", "sets.contains([1], ['a'])", "sets.contains([1, 2], [1.0])", "[1, 2].contains(1)", "{'a': 1}.size()",
        "{'a': 1}.contains('a')", "[quantity('1'), quantity('2')].sum()", "[quantity('1'), quantity('2')].max()", "{'a': null}.a",
    ),
    "ext lists": (
        "lists.range(4)", "lists.range(0)", "lists.range(-1)", "[1, 2, 2].distinct()", "[1, 1.0].distinct()", "['b', 'a'].sort()",
        "[3, 1, 2].sort()", "[3, 'a'].sort()", "[dyn(3), dyn('a')].sort()", "[[1], [2, [3]]].flatten()", "[[1], [2]].flatten()",
        "[[1], [[2]]].flatten(2)", "[[1]].flatten(-1)", "[1, 2, 3].slice(1, 2)", "[1, 2, 3].slice(0, 9)", "[1, 2, 3].slice(2, 1)",
        "[1, 2, 3].reverse()", "[{'a': 2}, {'a': 1}].sortBy(e, e.a)", "[1, 2].first()", "[1, 2].last()", "[].first()",
        "lists.range(3).map(i, i * i)", "[1].first().value()", "lists.range(2000000).size()", "[[1]].sort()",
        "[3, 1, 2].sortBy(e, -e)", "lists.range('a')",
    ),
    "macros": (
        "[1, 2].all(x, x > 0)", "[1, 2].all(x, x > 1)", "[].all(x, x > 1)", "[1, 2].exists(x, x > 1)", "[1, 2].exists_one(x, x > 1)",
        "[1, 2].existsOne(x, x > 1)", "[2, 2].exists_one(x, x == 2)", "[1, 2].map(x, x * 2)", "[1, 2].map(x, x > 1, x * 2)",
        "[1, 2].filter(x, x > 1)", "{'a': 1}.all(k, k == 'a')", "{'a': 1}.exists(k, k == 'b')", "{'a': 1}.map(k, k + 'x')",
        "{'a': 1, 'b': 2}.filter(k, k != 'a')", "[1, 0].all(x, 1 / x > 0)", "[0, 1].exists(x, 1 / x == 1)",
        "[0, 1].all(x, 1 / x > 2)", "[0, 2].exists(x, 1 / x == 1)", "[0, 1].exists_one(x, 1 / x == 1)", "[1, 0].map(x, 1 / x)",
        "[1, 2].all(x, x)", "[1, 2].map(x, [x].map(y, x + y))", "[1].map(x, [2].map(x, x))", "'abc'.all(x, x == 'a')", "1.all(x, true)",
        "has({'a': 1}.a)", "has({'a': 1}.b)", "has({'a': {'b': 1}}.a.b)", "has({'a': {}}.b.c)", "has('a')", "has(1)", "has(a.b)",
        "has({'a': null}.a)", "[1, 2].all(1, true)", "[1, 2].all(x.y, true)", "[1, 2].map(x)", "[1].all(x, y)", "[1].exists(__result__, true)",
        "[true, false].all(x, x)", "[1, 2, 3].filter(x, x % 2 == 1).map(x, x * 10)", "object.spec.template.spec.containers.all(c, c.name != '')",
        "object.metadata.labels.all(k, k.size() < 64)", "object.metadata.labels.exists(k, object.metadata.labels[k] == 'batch')",
        "dyn([1, 2]).all(x, x > 0)", "dyn(1).all(x, x > 0)", "[1, 2].exists(i, true) && i == 1", "[dyn(1), dyn('a')].all(x, x == 1)",
        "[dyn(1), dyn('a')].exists(x, x == 'a')", "[[1, 2], [3]].all(l, l.all(x, x > 0))", "has(object.spec.parallelism)", "has(object.nope)",
        "has(object.nope.deeper)", "has(object.spec['parallelism'])", "all([1], x, true)", "[1, 2].fold(x, 0, x)",
        "object.spec.template.spec.containers.map(c, c.image).filter(i, i.contains(':'))", "[1, 2].exists_one(x, true)",
    ),
    "two variables": (
        "[1, 2].all(i, v, v == i + 1)", "{'a': 1}.all(k, v, k == 'a' && v == 1)", "[1, 2].exists(i, v, i == 1 && v == 2)",
        "[1, 2].existsOne(i, v, v == 2)", "[1, 2].exists_one(i, v, v == 2)", "[1, 2].transformList(i, v, i * v)",
        "[1, 2].transformList(i, v, i > 0, v)", "{'a': 1}.transformList(k, v, k)", "{'a': 1}.transformMap(k, v, v + 1)",
        "['a', 'b'].transformMap(i, v, v)", "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v)", "{'a': 'b'}.transformMapEntry(k, v, {v: k})",
        "['a', 'a'].transformMapEntry(i, v, {v: i})", "[1, 2].all(i, i, true)", "[0, 1].all(i, v, 1 / v > 2)",
        "object.spec.template.spec.containers.all(i, c, i < 5)", "object.metadata.labels.all(k, v, v != '')", "[1].map(i, v, v)",
        "[1, 2].filter(i, v, v > 1)", "{'a': 1, 'b': 2}.exists(k, v, v / 0 == 1)",
    ),
    "optionals": (
        "optional.of(1)", "optional.none()", "optional.ofNonZeroValue(0)", "optional.ofNonZeroValue('a')", "optional.ofNonZeroValue([])",
        "optional.of(1).value()", "optional.none().value()", "optional.of(1).hasValue()", "optional.none().hasValue()",
        "optional.none().orValue(2)", "optional.of(1).orValue(2)", "optional.none().or(optional.of(3)).value()", "optional.of(1).or(optional.none())",
        "optional.of(1).orValue('a')", "optional.of(1).optMap(x, x + 1)", "optional.none().optMap(x, x + 1)",
        "optional.of(1).optFlatMap(x, optional.of(x + 1))", "optional.of(1).optFlatMap(x, x)", "optional.of(1) == optional.of(1)",
        "optional.none() == optional.none()", "optional.of(1) == optional.none()", "{'a': 1}.?a", "{'a': 1}.?b", "{'a': {'b': 1}}.?a.b",
        "{'a': {'b': 1}}.?a.?c", "{'a': 1}[?'a']", "{'a': 1}[?'b']", "[1, 2][?0]", "[1, 2][?5]", "[?optional.of(1), ?optional.none()]",
        "{?'a': optional.of(1), ?'b': optional.none()}", "[?1]", "object.?spec.?parallelism.orValue(1)", "object.?nope.?deeper.orValue('no')",
        "object.spec.?completions.orValue(0) > 100", "object.?metadata.labels[?'team'].orValue('none')",
        "object.?metadata.?annotations[?'x'].hasValue()", "oldObject.?spec.hasValue()", "oldObject.?spec.?parallelism.orValue(-1)",
        "object.metadata.?labels.?team.value()", "has(object.?spec.parallelism)", "has({'a': 1}.?a)", "1.?a", "'abc'[?0]", "optional.of(1) + 1",
        "object.?nope.value()", "object.spec.template.spec.?initContainers.orValue([]).size()",
        "object.spec.template.spec.containers.all(c, c.?resources.?limits.?cpu.hasValue())", "optional.unwrap([optional.of(1), optional.none()])",
        "[optional.of(1), optional.none()].unwrapOpt()", "optional.of(optional.of(1)).value()", "dyn(1).?a", "{'a': null}.?a", "optional.of(null)",
        "optional.ofNonZeroValue(null)", "optional.of(1).?a", "type(optional.of(1)) == optional_type", "optional.of(dyn(1)).?a",
    ),
    "conversions": (
        "int('12')", "int('a')", "int('0x1f')", "int(' 1')", "int(1.9)", "int(-1.9)", "int(1u)", "int(18446744073709551615u)", "int(1e30)",
        "int(true)", "int(timestamp('1970-01-01T00:01:00Z'))", "int(9223372036854775807.0)", "uint('12')", "uint(-1)", "uint(1.9)", "uint('-1')",
        "double('1.5')", "double('a')", "double(1)", "double('inf')", "double('NaN')", "string(1)", "string(1u)", "string(1.5)", "string(1.0)",
        "string(1e21)", "string(1e20)", "string(0.000001)", "string(true)", "string(b'abc')", "string(b'\\xff')", "string(null)", "string([1])",
        "string(timestamp('2026-01-31T09:00:00.5Z'))", "string(duration('90m'))", "string(type(1))", "string(object.spec.parallelism)", "bytes('é')",
        "bool('true')", "bool('T')", "bool('1')", "bool('yes')", "bool(1)", "bool('tRue')", "dyn(1) + 1", "dyn('a') + 1", "dyn(1) + dyn('a')",
        "int(dyn('7'))", "string(dyn([1]))", "double(9007199254740993)", "int(int(1))", "int('9223372036854775808')", "int(quantity('1'))",
        "string(quantity('1Gi'))", "uint(18446744073709551616.0)", "int('1e3')", "double('1_000')", "int('1_000')", "string(-0.0)",
        "string(0.0 / 0.0)", "string(1.0 / 0.0)", "type(dyn(1))",
    ),
    "times": (
        "timestamp('2026-01-31T09:00:00Z')", "timestamp('2026-01-31T09:00:00+02:00')", "timestamp('2026-01-31')", "timestamp('2026-13-31T09:00:00Z')",
        "timestamp(0)", "timestamp('2026-01-31T09:00:00Z') + duration('1h')", "timestamp('2026-01-31T09:00:00Z') - timestamp('2026-01-30T09:00:00Z')",
        "timestamp('2026-01-31T09:00:00Z') < timestamp('2026-02-01T09:00:00Z')", "timestamp('2026-01-31T09:00:00Z').getFullYear()",
        "timestamp('2026-01-31T09:00:00Z').getMonth()", "timestamp('2026-01-31T09:00:00Z').getDate()", "timestamp('2026-01-31T09:00:00Z').getDayOfMonth()",
        "timestamp('2026-01-31T09:00:00Z').getDayOfWeek()", "timestamp('2026-01-31T09:00:00Z').getDayOfYear()",
        "timestamp('2026-01-31T09:00:00Z').getHours('+02:00')", "timestamp('2026-01-31T09:00:00Z').getHours('Europe/Berlin')",
        "timestamp('2026-01-31T09:00:00Z').getHours('Nowhere')", "timestamp('2026-01-31T09:10:11.5Z').getMinutes()",
        "timestamp('2026-01-31T09:10:11.5Z').getSeconds()", "timestamp('2026-01-31T09:10:11.5Z').getMilliseconds()", "duration('1h30m')",
        "duration('1.5s')", "duration('-90s')", "duration('1d')", "duration('a')", "duration('1')", "duration('0')", "duration('90m').getHours()",
        "duration('90m').getMinutes()", "duration('90m').getSeconds()", "duration('1.5s').getMilliseconds()", "duration('1h') + duration('1m')",
        "duration('1h') - duration('2h')", "duration('1h') * 2", "duration('400000h')", "timestamp('9999-12-31T23:59:59Z') + duration('1h')",
        "timestamp('10000-01-01T00:00:00Z')", "duration(object.metadata.name)", "-duration('1h')", "duration('1us500ns')", "timestamp(1.5)",
        "duration('9223372036s')", "duration(60)",
    ),
    "quantities": (
        "quantity('1Gi')", "quantity('1024Mi')", "quantity('100m')", "quantity('0.1')", "quantity('1e3')", "quantity('1E3')", "quantity('1 GB')",
        "quantity('')", "quantity(1)", "isQuantity('1Gi')", "isQuantity('1GB')", "isQuantity(1)", "quantity('1Gi') == quantity('1024Mi')",
        "quantity('1') == quantity('1000m')", "quantity('1.0') == quantity('1')", "quantity('1Gi').isGreaterThan(quantity('1G'))",
        "quantity('100m').isLessThan(quantity('1'))", "quantity('1').compareTo(quantity('1000m'))", "quantity('2').compareTo(quantity('1'))",
        "quantity('1').add(quantity('500m'))", "quantity('1').add(2)", "quantity('1').sub(2)", "quantity('1').sub(quantity('200m')).sub(1)",
        "quantity('-1').sign()", "quantity('0').sign()", "quantity('1500m').isInteger()", "quantity('3k').isInteger()", "quantity('3k').asInteger()",
        "quantity('1500m').asInteger()", "quantity('1500m').asApproximateFloat()", "quantity('1n').asApproximateFloat()",
        "quantity('9223372036854775808').isInteger()", "quantity('99999999999999999999').asInteger()", "quantity('1Gi').add(1)",
        "quantity('1') < quantity('2')", "quantity('1') + quantity('2')", "quantity('1').isGreaterThan(1)", "[quantity('1')].exists(q, q == quantity('1000m'))",
        "quantity(object.spec.template.spec.containers[0].resources.requests.cpu).asApproximateFloat()",
        "quantity(object.spec.template.spec.containers[0].resources.requests.memory).isLessThan(quantity('2Gi'))",
        "object.spec.template.spec.containers.map(c, quantity(c.resources.requests.cpu)).all(q, q.isLessThan(quantity('4')))",
        "quantity('0.000000000001')", "quantity('1Ei').asInteger()", "quantity('8Ei').asInteger()", "quantity('12e-1')", "quantity('+1')",
        "quantity('1') == 1", "quantity('1').mul(2)", "quantity(object.metadata.name)", "quantity('1.5Gi')", "quantity('1Ki').add(quantity('1k'))",
    ),
    "urls": (
        "url('https://user:pw@example.com:8443/a/b?x=1&x=2&y=%20#f')", "url('https://example.com:8443/a').getHost()",
        "url('https://example.com:8443/a').getHostname()", "url('https://example.com:8443/a').getPort()", "url('https://example.com/a').getPort()",
        "url('https://example.com/a%20b').getEscapedPath()", "url('https://example.com').getEscapedPath()", "url('https://example.com/a').getScheme()",
        "url('https://example.com/a?x=1&x=2&y=%20').getQuery()", "url('/a/b').getScheme()", "url('example.com')", "url('../a')", "url('https://[::1]:80/').getHostname()",
        "url('https://[::1]:80/').getHost()", "isURL('https://example.com')", "isURL('../a')", "isURL('/a')", "isURL('')", "url('https://a b.com/')", "url('https://example.com:x/')",
        "url('https://a.com/') == url('https://a.com/')", "url('HTTPS://EXAMPLE.com/').getScheme()", "isURL(1)", "url('mailto:a@b.c').getHost()",
    ),
    "addresses": (
        "ip('192.168.0.1')", "ip('::ffff:1.2.3.4')", "ip('fe80::1%eth0')", "ip('192.168.0.256')", "ip('192.168.00.1')", "ip('::1')", "ip('0:0:0:0:0:0:0:1')",
        "isIP('10.0.0.1')", "isIP('x')", "isIP('::ffff:1.2.3.4')", "ip.isCanonical('::1')", "ip.isCanonical('0:0::1')", "ip.isCanonical('x')", "ip('10.0.0.1').family()",
        "ip('::1').family()", "ip('0.0.0.0').isUnspecified()", "ip('127.0.0.1').isLoopback()", "ip('224.0.0.1').isLinkLocalMulticast()",
        "ip('169.254.1.1').isLinkLocalUnicast()", "ip('10.0.0.1').isGlobalUnicast()", "ip('255.255.255.255').isGlobalUnicast()", "string(ip('10.0.0.1'))",
        "ip('10.0.0.1') == ip('10.0.0.1')", "ip('10.0.0.1') == '10.0.0.1'", "cidr('10.0.0.0/8')", "cidr('10.1.0.0/8')", "cidr('10.0.0.0/33')", "cidr('10.0.0.0')",
        "isCIDR('10.0.0.0/8')", "isCIDR('10.0.0.0')", "isCIDR('::ffff:1.2.3.0/112')", "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
        "cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))", "cidr('10.0.0.0/8').containsIP('x')", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
        "cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", "cidr('10.0.0.0/8').prefixLength()", "cidr('10.1.2.3/8').ip()", "cidr('10.1.2.3/8').masked()",
        "string(cidr('10.1.2.3/8'))", "cidr('::1/128').ip().family()", "cidr('10.0.0.0/8') == cidr('10.0.0.0/8')", "cidr('10.0.0.0/8').containsIP('::1')",
    ),
    "named formats": (
        "format.dns1123Label()", "format.dns1123Label().validate('a-b')", "format.dns1123Label().validate('A_b')", "format.dns1123Subdomain().validate('a.b')",
        "format.dns1035Label().validate('1a').value()", "format.qualifiedName().validate('a/b')", "format.labelValue().validate('a b').hasValue()",
        "format.dns1123LabelPrefix().validate('a-')", "format.dns1123SubdomainPrefix().validate('a.')", "format.dns1035LabelPrefix().validate('a-')",
        "format.uri().validate('https://a.b')", "format.uri().validate('x')", "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')", "format.uuid().validate('x')",
        "format.byte().validate('aGk=')", "format.byte().validate('!')", "format.date().validate('2026-01-31')", "format.date().validate('31.1.2026')",
        "format.datetime().validate('2026-01-31T09:00:00Z')", "format.datetime().validate('x')", "format.named('dns1123Label')", "format.named('nope')",
        "format.named('uuid').value().validate('x').hasValue()", "!format.dns1123Label().validate(object.metadata.name).hasValue()", "format.email()",
    ),
    "versions": (
        "semver('1.2.3')", "semver('v1.2.3')", "semver('v1.2', true)", "semver('1.2.3-rc.1+build')", "semver('1.2')", "isSemver('1.2.3')", "isSemver('v1.2.3')",
        "isSemver('v1', true)", "isSemver('1.02.3')", "semver('1.2.3').major()", "semver('1.2.3').minor()", "semver('1.2.3').patch()",
        "semver('1.2.3').isLessThan(semver('1.10.0'))", "semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))", "semver('1.2.3').compareTo(semver('1.2.4'))",
        "semver('1.2.3') == semver('1.2.3+build')", "semver('1.2.3') < semver('1.2.4')",
    ),
    "not in Kubernetes": (
        "math.greatest(1, 2)", "math.least(1, 2)", "math.abs(-1)", "math.ceil(1.5)", "math.floor(1.5)", "math.round(1.5)", "math.sqrt(4.0)", "math.bitAnd(1, 3)",
        "cel.bind(x, 1, x + 1)", "base64.encode(b'a')", "base64.decode('YQ==')", "json.unmarshal('{}')", "regex.extract('a', 'a')", "regex.replace('a', 'a', 'b')",
        "jsonpatch.escapeKey('a/b')", "hash.sha256('a')", "now()", "size(1)", "unknown(1)", "unknown", "object.unknown()", "network.ip('a')", "proto.hasExt(a, b)",
        "Object{}", "Object.spec{}", "quantity('1').unknown()", "sets.unknown([1])", "strings.unknown('a')", "google.protobuf.Duration{}", "cel.unknown()",
    ),
    "mixed types": (
        "[1, 'a']", "[1, 2.0]", "[dyn(1), 'a']", "[dyn(1), dyn('a')]", "{'a': 1, 'b': 'x'}", "{'a': 1, 'b': dyn('x')}", "{'a': 1, 1: 2}", "[[1], ['a']]", "[1, null]", "[1, 1u]",
        "['a', null]", "[object.metadata.name, 1]", "[object.metadata.name, object.spec]", "[1, 'a'].size()", "size({'a': 1, 'b': [1]})", "[{}, {'a': 1}]", "[[], [1]]",
        "[optional.of(1), optional.none()]", "[quantity('1'), 1]", "[duration('1s'), timestamp('2026-01-01T00:00:00Z')]", "{'a': []}", "{'a': [], 'b': [1]}", "[type(1), int]",
        "[[1], []] == [[1], []]", "['a'] == [1]", "1 in ['a']", "'a' in [object.metadata.name]", "{'a': 1}['b'] == 'x'", "[1].map(x, [x, 'a'])", "true ? [1] : ['a']",
        "true ? {'a': 1} : {}", "[1, 2].exists(x, x == 'a')", "[object.spec, object.metadata].size()", "{object.metadata.name: 1, 'b': 2}", "{object.metadata.name: 1, 2: 2}",
    ),
    "fields": (
        "object.metadata.name", "object.metadata.namespace", "object.metadata.__namespace__", "object.kind", "object.apiVersion", "object.spec.parallelism", "object.spec.nope",
        "object.spec.completions", "object['spec']['parallelism']", "object.spec['nope']", "object.metadata.labels", "object.metadata.labels.team", "object.metadata.labels['team']",
        "'team' in object.metadata.labels", "object.metadata.annotations", "object.spec.template.spec.containers[0].image", "object.spec.template.spec.containers[9].image",
        "object.spec.template.spec.containers.size()", "object.spec.suspend", "object.status", "object.metadata.creationTimestamp", "object.metadata.uid",
        "object.spec.template.spec.containers[0].resources", "object.spec.template.spec.containers[0].command", "object.metadata.generateName",
        "object.spec.template.metadata", "object.spec.podFailurePolicy.rules[0].onExitCodes.values", "object.spec.template.spec.containers[0].env[0].value",
        "object.metadata.name.size()", "object.spec.parallelism.x", "object.metadata.name.x", "object.spec.template.spec.containers.image", "object.spec == oldObject.spec",
        "object == oldObject", "oldObject.spec.parallelism", "oldObject.metadata.name", "object.spec.backoffLimit", "object.spec.template.spec.containers[0].ports[0].containerPort",
        "object.spec.template.spec.containers[0].name == 'main' && object.kind == 'Job'", "object.spec.in", "object.spec.if", "object.spec.__if__", "object.for", "namespace", "package", "object.metadata.labels.all",
        "object.spec.`template`", "object.metadata.labels.`example.com/team`", "object.metadata.labels['example.com/team']", "has(object.metadata.labels.`example.com/team`)",
        "object.spec.template.spec.volumes[0].emptyDir", "object.spec.template.spec.volumes[0].emptyDir.sizeLimit", "object.spec.schedule", "object.spec.jobTemplate.spec.template.spec.containers[0].name",
    ),
    "request": (
        "request.operation", "request.name", "request.namespace", "request.kind", "request.kind.kind", "request.resource.resource", "request.subResource", "request.requestKind.group",
        "request.requestResource.version", "request.userInfo.username", "request.userInfo.groups", "'ml' in request.userInfo.groups", "request.userInfo.extra", "request.userInfo.uid",
        "request.dryRun", "request.options", "request.options.kind", "request.nope", "request.object", "has(request.subResource)", "has(request.userInfo.groups)", "has(request.userInfo.extra)", "has(request.uid)",
        "request.userInfo.username.startsWith('system:')", "request.operation in ['CREATE', 'UPDATE']", "request.userInfo.nope", "request['operation']", "request.?userInfo.?groups.orValue([])",
        "request.name == 1", "request.kind == {'kind': 'Job'}", "request", "request.userInfo.?extra[?'scopes'].orValue([])", "request.requestSubResource", "has(request.name)",
        "namespaceObject", "namespaceObject.metadata.name", "namespaceObject.metadata.labels", "namespaceObject.metadata.labels.tier", "namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
        "has(namespaceObject.metadata.annotations)", "namespaceObject.metadata.annotations", "namespaceObject.metadata.ownerReferences", "namespaceObject.status.phase", "namespaceObject.spec.finalizers",
        "namespaceObject.metadata.?labels[?'tier'].orValue('none')", "namespaceObject.nope", "namespaceObject.kind", "namespaceObject == null", "namespaceObject.metadata.labels.exists(k, k == 'tier')",
        "params", "params.data.max", "int(params.data.max)", "params.data['nope']", "params == null", "has(params.data)", "params.?data.?max.orValue('9')", "params.metadata.name", "params.kind", "params.data.max + 1",
        "variables.three", "variables.six", "variables.names", "variables.pod.containers.size()", "variables.broken", "true || variables.broken", "variables.nope", "variables.three == 'a'", "variables.names.exists(n, n == 'b')",
        "has(variables.three)", "has(variables.nope)", "variables", "variables.names[0] + variables.three", "variables.pod.restartPolicy", "variables.?three",
        "authorizer.group('').resource('pods').namespace('batch').check('create').allowed()", "authorizer.path('/healthz').check('get').reason()",
        "authorizer.requestResource.check('update').allowed()", "authorizer.serviceAccount('batch', 'default').group('').resource('pods').check('list').allowed()",
        "authorizer.group('').resource('pods').fieldSelector('a=b').check('list').allowed()", "authorizer.group('').resource('pods').check('create').errored()", "authorizer", "authorizer.nope()", "type(authorizer)",
    ),
    "syntax": (
        "1 +", "(1", "1)", "[1", "{'a' 1}", "'a", "a b", "1..2", "a.", ".a", "a[", "a ? b", "a ? b :", "a === b", "a = b", "a & b", "a | b", "1 and 2", "not true", "!", "@a", "#a", "$a", "a.b.", "f(", "f(,)",
        "[1,,2]", "{,}", "'\\q'", "'\\u12'", "b'\\u0041'", "0x", "1e", "1.", "08", "1_000", "1L", "a.b(c", "\"a'", "r'", "'a\nb'", "😀", "a😀", "if", "in", "true.x", "null.x", "for x in y", "x => x", "a ?? b", "a?.b", "a.?b", "[?]",
        "{?}", "a[?]", "'a' 'b'", "((((((((((1))))))))))", "1;2", "// \n 1", "while", "const", "break.x", "a.in", "object.in", "object.true", "f()()", "(f)(1)", "object.spec()", "\\", "1 ? 2", "..",
    ),
}  # fmt: skip

CONDITIONS: tuple[str, ...] = (
    "object.spec.suspend", "object.spec.suspend == true", "true", "'true'", "1", "null", "dyn(true)", "object", "has(object.spec)", "object.spec.parallelism > 1",
    "oldObject == null || object.spec == oldObject.spec", "!object.spec.suspend", "object.spec.suspend || false", "object.spec.suspend ? true : false", "bool(object.spec.suspend)",
    "variables.three > 2", "variables.broken", "variables.pod", "variables.pod.hostNetwork", "params.data.strict", "params.data.strict == 'true'", "request.dryRun", "optional.of(true)",
    "optional.of(true).value()", "object.?spec.suspend.orValue(true)", "[true][0]", "{'a': true}.a", "object.spec.template.spec.containers.all(c, c.tty)",
    "object.spec.template.spec.containers.all(c, has(c.tty) && c.tty)", "[object.spec.suspend].all(x, x)", "object.spec.suspend && object.spec.suspend", "true ? object.spec.suspend : false",
    "true ? false : object.spec.suspend", "object.metadata.labels.all(k, v, v == 'x')", "",
)  # fmt: skip

MESSAGES: tuple[str, ...] = (
    "'a'", "1", "object.metadata.name", "'name ' + object.metadata.name", "string(object.spec.parallelism)", "'%d'.format([object.spec.parallelism])", "null", "dyn('a')",
    "object.?metadata.name.orValue('x')", "true ? 'a' : object.metadata.name", "['a'].join(',')", "variables.names[0]", "params.data.max", "object.metadata.name + ''", "{'a': 'b'}.a",
)  # fmt: skip

CREATED: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {
        "name": "train",
        "namespace": "ml-vision",
        "uid": "8cbd1f0a-27d6-4f46-9a2c-1f5f0f0f7f11",
        "creationTimestamp": "2026-01-31T09:00:00Z",
        "labels": {"team": "vision", "example.com/team": "vision", "app": "batch"},
    },
    "spec": {
        "parallelism": 3,
        "completions": 200,
        "backoffLimit": 6,
        "suspend": False,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42, 43]}},
            ]
        },
        "template": {
            "metadata": {"labels": {"team": "vision"}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example.com/train:7",
                        "command": ["train", "--epochs=10"],
                        "env": [{"name": "E", "value": "é"}],
                        "ports": [{"containerPort": 8080}],
                        "resources": {
                            "requests": {"cpu": "1500m", "memory": "1Gi"},
                            "limits": {"cpu": "2"},
                        },
                    },
                    {
                        "name": "side",
                        "image": "busybox",
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                    },
                ],
                "volumes": [{"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}}],
            },
        },
    },
}

UPDATED: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "plain", "namespace": "default"},
    "spec": {
        "parallelism": 1,
        "suspend": True,
        "template": {
            "spec": {
                "restartPolicy": "OnFailure",
                "containers": [{"name": "main", "image": "busybox"}],
            }
        },
    },
}

CRON_JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"generateName": "nightly-", "namespace": "ml-vision"},
    "spec": {"schedule": "0 3 * * *", "suspend": False, "jobTemplate": {"spec": UPDATED["spec"]}},
}

PARAMS: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "limits", "namespace": "ml-vision"},
    "data": {"max": "5", "strict": "true"},
}

CASES: tuple[Request, ...] = (
    {
        "object": CREATED,
        "userInfo": {
            "username": "alice",
            "uid": "7",
            "groups": ["ml", "system:authenticated"],
            "extra": {"scopes": ["a", "b"]},
        },
        "namespaceObject": {"metadata": {"labels": {"tier": "research"}}},
        "params": PARAMS,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
    },
    {
        "object": UPDATED,
        "oldObject": {**UPDATED, "spec": {**UPDATED["spec"], "parallelism": 2}},
        "userInfo": {"username": "system:serviceaccount:kube-system:job-controller"},
        "dryRun": True,
    },
    {"object": CRON_JOB, "userInfo": {"username": "bob"}},
)
"""A Job that is created, one that is updated, and a CronJob that is created."""
