"""A call of each function, operator and macro of CEL, as costly for its steps as we could make it.

Each expression stands for one turn of a loop over ``i``; ``n`` is the size of what it reads. Texts, lists and
maps come from an object, so that they cost no steps to build. Arguments that depend on ``i`` keep caches from
helping.
"""

from __future__ import annotations

from typing import Any

CALLS: dict[str, tuple[str, ...]] = {
    # Operators.
    "_==_": ("object.list == object.other", "object.map == object.same", "i == 1.5"),
    "_!=_": ("object.map != object.same",),
    "_<_": ("object.text < object.longer", "i < 3"),
    "_<=_": ("object.text <= object.longer",),
    "_>_": ("object.text > object.longer",),
    "_>=_": ("object.text >= object.longer",),
    "_+_": ("object.text + object.longer", "object.list + object.other", "i + 9223372036854775807"),
    "_-_": ("i - 3", "timestamp('2026-01-31T09:00:00Z') - duration('1h')"),
    "_*_": ("i * 9223372036854775807",),
    "_/_": ("i / 0",),
    "_%_": ("i % 0",),
    "@in": (
        "0 in numbers", "1 in numbers", "true in numbers", "'zz' in object.map", "-1 in object.list", "[i] in object.map",
    ),
    "_[_]": ("numbers[0]", "numbers[1.0]", "numbers[true]", "object.map['zz']", "object.list[i]"),
    "_[?_]": ("numbers[?0]", "numbers[?1]", "object.map[?'zz']"),
    "!_": ("!true", "!i"),
    "-_": ("-i", "-true"),
    "_&&_": ("true && (1 / 0 == 1)", "1 && 2"),
    "_||_": ("(1 / 0 == 1) || (1 / 0 == 1)",),
    "_?_:_": ("i > 3 ? 1 : 2", "i ? 1 : 2"),
    "select": ("object.nothing", "has(object.nothing)", "object.?nothing", "i.nothing", "nothing"),
    "literal": ("{'a': i, true: i}", "[i, i]", "{?'a': optional.of(i)}"),
    # Macros.
    "all": ("object.list.all(x, 1 / 0 == x)", "object.map.all(k, v, true)"),
    "exists": ("object.list.exists(x, false)", "object.list.exists(x, x)"),
    "exists_one": ("object.list.exists_one(x, false)",),
    "existsOne": ("object.map.existsOne(k, v, false)",),
    "filter": ("object.list.filter(x, true)",),
    "map": ("object.list.map(x, x)",),
    "transformList": ("object.map.transformList(k, v, v)",),
    "transformMap": ("object.map.transformMap(k, v, v)",),
    "transformMapEntry": ("[object.map].transformMapEntry(j, x, x)", "object.list.transformMapEntry(j, x, {j: x})"),
    "sortBy": ("object.list.sortBy(x, -x)", "object.texts.sortBy(x, x)"),
    "optMap": ("optional.of(i).optMap(x, x)",),
    "optFlatMap": ("optional.of(i).optFlatMap(x, optional.of(x))",),
    # Functions.
    ".add": ("quantity('1Gi').add(quantity('1'))", "quantity('1').add(i)"),
    ".asApproximateFloat": ("quantity('1e300').asApproximateFloat()",),
    ".asInteger": ("quantity('1500m').asInteger()", "quantity('3k').asInteger()"),
    ".charAt": ("object.text.charAt(i)",),
    ".compareTo": ("quantity('1Gi').compareTo(quantity('1Mi'))", "semver('1.2.3').compareTo(semver('1.2.4-a.b'))"),
    ".contains": ("object.text.contains('ab')",),
    ".containsCIDR": ("cidr('::/0').containsCIDR('2001:db8::/32')", "cidr('::/0').containsCIDR(cidr('::/8'))"),
    ".containsIP": ("cidr('10.0.0.0/8').containsIP('10.1.1.1')", "cidr('::/0').containsIP('2001:db8::1')"),
    ".distinct": ("object.list.distinct()",),
    ".endsWith": ("object.longer.endsWith(object.text)",),
    ".family": ("ip('::').family()",),
    ".find": ("object.text.find('b+' + string(i))",),
    ".findAll": ("object.text.findAll('a')", "object.text.findAll('')"),
    ".first": ("object.list.first()", "[].first()"),
    ".flatten": ("object.lists.flatten()",),
    ".format": ("'%s'.format([object.list])", "'%d %x'.format([i, i])", "'%.300f'.format([1.5])", "'%s'.format([object.map])"),
    **{
        f".{name}": (f"timestamp('2026-01-31T09:00:00Z').{name}()", f"timestamp('2026-01-31T09:00:00Z').{name}('Europe/Berlin')")
        for name in (
            "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth",
            "getHours", "getMinutes", "getSeconds", "getMilliseconds",
        )
    },
    **{
        f".{name}": (f"url('http://[::1]:80/a?b=c').{name}()",)
        for name in ("getEscapedPath", "getHost", "getHostname", "getPort", "getQuery", "getScheme")
    },
    ".hasValue": ("optional.of(i).hasValue()",),
    ".includes": ("object.list.includes(-1)", "object.list.includes(object.other)"),
    ".indexOf": ("object.text.indexOf('ab')", "object.list.indexOf(-1)"),
    ".ip": ("cidr('10.0.0.0/8').ip()",),
    **{
        f".{name}": (f"ip('2001:db8::1').{name}()", f"ip('127.0.0.1').{name}()")
        for name in ("isGlobalUnicast", "isLinkLocalMulticast", "isLinkLocalUnicast", "isLoopback", "isUnspecified")
    },
    ".isGreaterThan": ("quantity('1Gi').isGreaterThan(quantity('1'))",),
    ".isInteger": ("quantity('1500m').isInteger()",),
    ".isLessThan": ("quantity('1Gi').isLessThan(quantity('1'))", "semver('1.2.3').isLessThan(semver('1.2.4'))"),
    ".isSorted": ("object.list.isSorted()",),
    ".join": ("object.texts.join('-')",),
    ".last": ("object.list.last()",),
    ".lastIndexOf": ("object.text.lastIndexOf('ab')", "object.list.lastIndexOf(-1)"),
    ".lowerAscii": ("object.text.lowerAscii()",),
    ".upperAscii": ("object.text.upperAscii()",),
    ".major": ("semver('1.2.3').major()",),
    ".minor": ("semver('1.2.3').minor()",),
    ".patch": ("semver('1.2.3').patch()",),
    ".masked": ("cidr('10.1.2.3/8').masked()",),
    ".matches": ("object.text.matches('^(a+)+$b' + string(i))", "'a'.matches('(a{1,30}){1,30}' + string(i))", "'a'.matches('a')", "'a'.matches('[')"),
    ".max": ("object.list.max()", "object.texts.max()"),
    ".min": ("object.list.min()",),
    ".prefixLength": ("cidr('10.0.0.0/8').prefixLength()",),
    ".replace": ("object.text.replace('a', 'b')", "'a'.replace('', 'b')"),
    ".reverse": ("object.text.reverse()", "object.list.reverse()"),
    ".sign": ("quantity('5').sign()",),
    ".size": ("object.list.size()",),
    ".slice": ("object.list.slice(0, object.list.size())",),
    ".sort": ("object.list.sort()", "object.texts.sort()"),
    ".split": ("object.text.split('')", "object.text.split('b')"),
    ".startsWith": ("object.longer.startsWith(object.text)",),
    ".sub": ("quantity('5').sub(quantity('7'))",),
    ".substring": ("object.text.substring(1)",),
    ".sum": ("object.list.sum()", "[duration('1h')].sum()"),
    ".trim": ("object.blank.trim()",),
    ".unwrapOpt": ("[optional.of(i)].unwrapOpt()",),
    ".validate": ("format.dns1123Label().value().validate(object.text)", "format.uuid().value().validate('a')", "format.datetime().value().validate('a')"),
    ".value": ("optional.of(i).value()", "optional.none().value()"),
    "bool": ("bool('true')", "bool('x')"),
    "bytes": ("bytes(object.text)",),
    "cidr": ("cidr('10.0.0.0/8')", "cidr('2001:db8::/32')", "cidr('a')"),
    "double": ("double('1.5')", "double('a')", "double(i)"),
    "duration": ("duration('1h')", "duration('1h2m3s4ms5us6ns')", "duration('a')"),
    "dyn": ("dyn(i)",),
    **{
        f"format.{name}": (f"format.{name}()", f"format.{name}().value().validate(object.text)")
        for name in (
            "byte", "date", "datetime", "dns1035Label", "dns1035LabelPrefix", "dns1123Label", "dns1123LabelPrefix",
            "dns1123Subdomain", "dns1123SubdomainPrefix", "labelValue", "qualifiedName", "uri", "uuid",
        )
    },
    "format.named": ("format.named('dns1123Label')", "format.named('x')"),
    "int": ("int('1')", "int('a')", "int(1.5)", "int(timestamp('2026-01-31T09:00:00Z'))"),
    "ip": ("ip('::')", "ip('10.1.1.1')", "ip('2001:db8:1:2:3:4:5:6')", "ip('a')"),
    "ip.isCanonical": ("ip.isCanonical('::')", "ip.isCanonical('2001:DB8::1')"),
    "isCIDR": ("isCIDR('::/0')", "isCIDR('a')"),
    "isIP": ("isIP('::')", "isIP('a')", "isIP('10.1.1.1')"),
    "isQuantity": ("isQuantity('1Gi')", "isQuantity('a')"),
    "isSemver": ("isSemver('1.2.3')", "isSemver('a')"),
    "isURL": ("isURL('http://a/b')", "isURL('a')", "isURL('/' + object.text)"),
    "lists.range": ("lists.range(object.list.size())",),
    "matches": ("matches(object.text, 'b' + string(i))",),
    "math.abs": ("math.abs(-1)",),
    "math.ceil": ("math.ceil(1.5)",),
    "math.floor": ("math.floor(1.5)",),
    "math.greatest": ("math.greatest(object.list)", "math.greatest(1, 2)"),
    "math.least": ("math.least(object.list)",),
    "math.round": ("math.round(1.5)",),
    "optional.none": ("optional.none()",),
    "optional.of": ("optional.of(i)",),
    "optional.ofNonZeroValue": ("optional.ofNonZeroValue(object.list)",),
    "optional.unwrap": ("optional.unwrap([optional.of(i)])",),
    "quantity": ("quantity('1Gi')", "quantity('a')", "quantity('1e300')"),
    "semver": ("semver('1.2.3')", "semver('1.2.3-a.b.c+d')", "semver('v1.2', true)", "semver('a')"),
    "sets.contains": ("sets.contains(object.list, object.other)",),
    "sets.equivalent": ("sets.equivalent(object.list, object.other)",),
    "sets.intersects": ("sets.intersects(object.list, object.texts)",),
    "sign": ("sign(quantity('5'))",),
    "size": ("size(object.text)", "size(1)"),
    "string": ("string(i)", "string(1.5)", "string(timestamp('2026-01-31T09:00:00Z'))", "string(b'\\xff')", "string(duration('1h'))"),
    "jsonpatch.escapeKey": ("jsonpatch.escapeKey(object.text)",),
    "strings.quote": ("strings.quote(object.text)",),
    "timestamp": ("timestamp('2026-01-31T09:00:00Z')", "timestamp('a')", "timestamp(i)"),
    "type": ("type(i)",),
    "uint": ("uint('1')", "uint('a')"),
    "url": ("url('http://[::1]:80/a?b=c')", "url('a')"),
}  # fmt: skip
"""Expressions by the name of what they call."""


def variables(n: int) -> dict[str, Any]:
    """The variables of the expressions; `n` is their size."""
    texts = [f"{'a' * 20}{number:06d}" for number in range(n)]
    numbers: dict[Any, Any] = {n - number: number for number in range(n)}
    numbers[0] = numbers[1] = 7
    return {
        "numbers": numbers,
        "object": {
            "list": list(range(n)),
            "other": [*range(n - 1), -1],
            "lists": [[number] for number in range(n)],
            "texts": texts,
            "text": "a" * n,
            "longer": "a" * n + "b",
            "blank": " " * n,
            "map": dict.fromkeys(texts, 1),
            "same": dict.fromkeys(texts[:-1], 1) | {"z": 2},
        },
    }
