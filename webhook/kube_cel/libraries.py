"""The functions of CEL in kube-apiserver, by the release that lets a new policy use them.

An API server compiles the expressions of a new policy with the libraries of the release before its own, so
that a rollback works: a library of 1.30 can be used from 1.31 on. Sources: ``pkg/cel/environment`` of
k8s.io/apiserver, and what its releases accept (``tests/recorded``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Library:
    """Functions that came together.

    Attributes:
        name: of the library, for messages.
        since: the first release in which a new policy may use them.
        signatures: a line each: ``string.charAt(int) -> string`` is called on a string.
    """

    name: str
    since: str
    signatures: str


LIBRARIES = (
    Library(
        "URLs",
        "1.30",
        """
        isURL(string) -> bool
        kubernetes.URL.getEscapedPath() -> string
        kubernetes.URL.getHost() -> string
        kubernetes.URL.getHostname() -> string
        kubernetes.URL.getPort() -> string
        kubernetes.URL.getQuery() -> map(string, list(string))
        kubernetes.URL.getScheme() -> string
        url(string) -> kubernetes.URL
    """,
    ),
    Library(
        "authorizer",
        "1.30",
        """
        authorization.Authorizer.group(string) -> authorization.GroupCheck
        authorization.Authorizer.path(string) -> authorization.PathCheck
        authorization.Authorizer.serviceAccount(string, string) -> authorization.Authorizer
        authorization.Decision.allowed() -> bool
        authorization.Decision.error() -> string
        authorization.Decision.errored() -> bool
        authorization.Decision.reason() -> string
        authorization.GroupCheck.resource(string) -> authorization.ResourceCheck
        authorization.PathCheck.check(string) -> authorization.Decision
        authorization.ResourceCheck.check(string) -> authorization.Decision
        authorization.ResourceCheck.name(string) -> authorization.ResourceCheck
        authorization.ResourceCheck.namespace(string) -> authorization.ResourceCheck
        authorization.ResourceCheck.subresource(string) -> authorization.ResourceCheck
    """,
    ),
    Library(
        "core",
        "1.30",
        """
        bool(bool) -> bool
        bool(string) -> bool
        bytes(bytes) -> bytes
        bytes(string) -> bytes
        bytes.size() -> int
        double(double) -> double
        double(int) -> double
        double(string) -> double
        double(uint) -> double
        dyn(<A>) -> dyn
        int(double) -> int
        int(duration) -> int
        int(timestamp) -> int
        int(int) -> int
        int(string) -> int
        int(uint) -> int
        map(<A>, <B>).size() -> int
        size(bytes) -> int
        size(list(<A>)) -> int
        size(map(<A>, <B>)) -> int
        size(string) -> int
        string(bool) -> string
        string(bytes) -> string
        string(double) -> string
        string(duration) -> string
        string(timestamp) -> string
        string(int) -> string
        string(string) -> string
        string(uint) -> string
        type(<A>) -> type(<A>)
        uint(double) -> uint
        uint(int) -> uint
        uint(string) -> uint
        uint(uint) -> uint
    """,
    ),
    Library(
        "lists",
        "1.30",
        """
        list(<A>).indexOf(<A>) -> int
        list(<A>).lastIndexOf(<A>) -> int
        list(<A>).size() -> int
        list(bool).isSorted() -> bool
        list(bool).max() -> bool
        list(bool).min() -> bool
        list(bytes).isSorted() -> bool
        list(bytes).max() -> bytes
        list(bytes).min() -> bytes
        list(double).isSorted() -> bool
        list(double).max() -> double
        list(double).min() -> double
        list(double).sum() -> double
        list(duration).isSorted() -> bool
        list(duration).max() -> duration
        list(duration).min() -> duration
        list(duration).sum() -> duration
        list(timestamp).isSorted() -> bool
        list(timestamp).max() -> timestamp
        list(timestamp).min() -> timestamp
        list(int).isSorted() -> bool
        list(int).max() -> int
        list(int).min() -> int
        list(int).sum() -> int
        list(string).isSorted() -> bool
        list(string).max() -> string
        list(string).min() -> string
        list(uint).isSorted() -> bool
        list(uint).max() -> uint
        list(uint).min() -> uint
        list(uint).sum() -> uint
    """,
    ),
    Library(
        "optional values",
        "1.30",
        """
        optional.none() -> optional_type(<V>)
        optional.of(<V>) -> optional_type(<V>)
        optional.ofNonZeroValue(<V>) -> optional_type(<V>)
        optional_type(<V>).hasValue() -> bool
        optional_type(<V>).or(optional_type(<V>)) -> optional_type(<V>)
        optional_type(<V>).orValue(<V>) -> <V>
        optional_type(<V>).value() -> <V>
    """,
    ),
    Library(
        "quantities",
        "1.30",
        """
        isQuantity(string) -> bool
        kubernetes.Quantity.add(int) -> kubernetes.Quantity
        kubernetes.Quantity.add(kubernetes.Quantity) -> kubernetes.Quantity
        kubernetes.Quantity.asApproximateFloat() -> double
        kubernetes.Quantity.asInteger() -> int
        kubernetes.Quantity.compareTo(kubernetes.Quantity) -> int
        kubernetes.Quantity.isGreaterThan(kubernetes.Quantity) -> bool
        kubernetes.Quantity.isInteger() -> bool
        kubernetes.Quantity.isLessThan(kubernetes.Quantity) -> bool
        kubernetes.Quantity.sub(int) -> kubernetes.Quantity
        kubernetes.Quantity.sub(kubernetes.Quantity) -> kubernetes.Quantity
        quantity(string) -> kubernetes.Quantity
        sign(kubernetes.Quantity) -> int
    """,
    ),
    Library(
        "sets",
        "1.30",
        """
        sets.contains(list(<T>), list(<T>)) -> bool
        sets.equivalent(list(<T>), list(<T>)) -> bool
        sets.intersects(list(<T>), list(<T>)) -> bool
    """,
    ),
    Library(
        "strings",
        "1.30",
        """
        list(string).join() -> string
        list(string).join(string) -> string
        matches(string, string) -> bool
        string.charAt(int) -> string
        string.contains(string) -> bool
        string.endsWith(string) -> bool
        string.find(string) -> string
        string.findAll(string) -> list(string)
        string.findAll(string, int) -> list(string)
        string.format(list(dyn)) -> string
        string.indexOf(string) -> int
        string.indexOf(string, int) -> int
        string.lastIndexOf(string) -> int
        string.lastIndexOf(string, int) -> int
        string.lowerAscii() -> string
        string.matches(string) -> bool
        string.replace(string, string) -> string
        string.replace(string, string, int) -> string
        string.size() -> int
        string.split(string) -> list(string)
        string.split(string, int) -> list(string)
        string.startsWith(string) -> bool
        string.substring(int) -> string
        string.substring(int, int) -> string
        string.trim() -> string
        string.upperAscii() -> string
        strings.quote(string) -> string
    """,
    ),
    Library(
        "times",
        "1.30",
        """
        duration(duration) -> duration
        duration(string) -> duration
        duration.getHours() -> int
        duration.getMilliseconds() -> int
        duration.getMinutes() -> int
        duration.getSeconds() -> int
        timestamp.getDate() -> int
        timestamp.getDate(string) -> int
        timestamp.getDayOfMonth() -> int
        timestamp.getDayOfMonth(string) -> int
        timestamp.getDayOfWeek() -> int
        timestamp.getDayOfWeek(string) -> int
        timestamp.getDayOfYear() -> int
        timestamp.getDayOfYear(string) -> int
        timestamp.getFullYear() -> int
        timestamp.getFullYear(string) -> int
        timestamp.getHours() -> int
        timestamp.getHours(string) -> int
        timestamp.getMilliseconds() -> int
        timestamp.getMilliseconds(string) -> int
        timestamp.getMinutes() -> int
        timestamp.getMinutes(string) -> int
        timestamp.getMonth() -> int
        timestamp.getMonth(string) -> int
        timestamp.getSeconds() -> int
        timestamp.getSeconds(string) -> int
        timestamp(timestamp) -> timestamp
        timestamp(int) -> timestamp
        timestamp(string) -> timestamp
    """,
    ),
    Library(
        "IP addresses",
        "1.31",
        """
        cidr(string) -> net.CIDR
        ip(string) -> net.IP
        ip.isCanonical(string) -> bool
        isCIDR(string) -> bool
        isIP(string) -> bool
        net.CIDR.containsCIDR(net.CIDR) -> bool
        net.CIDR.containsCIDR(string) -> bool
        net.CIDR.containsIP(net.IP) -> bool
        net.CIDR.containsIP(string) -> bool
        net.CIDR.ip() -> net.IP
        net.CIDR.masked() -> net.CIDR
        net.CIDR.prefixLength() -> int
        net.IP.family() -> int
        net.IP.isGlobalUnicast() -> bool
        net.IP.isLinkLocalMulticast() -> bool
        net.IP.isLinkLocalUnicast() -> bool
        net.IP.isLoopback() -> bool
        net.IP.isUnspecified() -> bool
        string(net.CIDR) -> string
        string(net.IP) -> string
    """,
    ),
    Library(
        "authorizer",
        "1.32",
        """
        authorization.ResourceCheck.fieldSelector(string) -> authorization.ResourceCheck
        authorization.ResourceCheck.labelSelector(string) -> authorization.ResourceCheck
    """,
    ),
    Library(
        "named formats",
        "1.32",
        """
        format.byte() -> kubernetes.NamedFormat
        format.date() -> kubernetes.NamedFormat
        format.datetime() -> kubernetes.NamedFormat
        format.dns1035Label() -> kubernetes.NamedFormat
        format.dns1035LabelPrefix() -> kubernetes.NamedFormat
        format.dns1123Label() -> kubernetes.NamedFormat
        format.dns1123LabelPrefix() -> kubernetes.NamedFormat
        format.dns1123Subdomain() -> kubernetes.NamedFormat
        format.dns1123SubdomainPrefix() -> kubernetes.NamedFormat
        format.labelValue() -> kubernetes.NamedFormat
        format.named(string) -> optional_type(kubernetes.NamedFormat)
        format.qualifiedName() -> kubernetes.NamedFormat
        format.uri() -> kubernetes.NamedFormat
        format.uuid() -> kubernetes.NamedFormat
        kubernetes.NamedFormat.validate(string) -> optional_type(list(string))
    """,
    ),
    Library(
        "lists of optional values",
        "1.33",
        """
        list(<V>).first() -> optional_type(<V>)
        list(<V>).last() -> optional_type(<V>)
        list(optional_type(<V>)).unwrapOpt() -> list(<V>)
        optional.unwrap(list(optional_type(<V>))) -> list(<V>)
    """,
    ),
    Library(
        "versions",
        "1.34",
        """
        isSemver(string) -> bool
        isSemver(string, bool) -> bool
        kubernetes.Semver.compareTo(kubernetes.Semver) -> int
        kubernetes.Semver.isGreaterThan(kubernetes.Semver) -> bool
        kubernetes.Semver.isLessThan(kubernetes.Semver) -> bool
        kubernetes.Semver.major() -> int
        kubernetes.Semver.minor() -> int
        kubernetes.Semver.patch() -> int
        semver(string) -> kubernetes.Semver
        semver(string, bool) -> kubernetes.Semver
    """,
    ),
    Library(
        "lists",
        "1.35",
        """
        list(<T>).@sortByAssociatedKeys(list(bool)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(bytes)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(double)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(duration)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(timestamp)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(int)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(string)) -> list(<T>)
        list(<T>).@sortByAssociatedKeys(list(uint)) -> list(<T>)
        list(<T>).distinct() -> list(<T>)
        list(<T>).reverse() -> list(<T>)
        list(<T>).slice(int, int) -> list(<T>)
        list(bool).sort() -> list(bool)
        list(bytes).sort() -> list(bytes)
        list(double).sort() -> list(double)
        list(dyn).flatten(int) -> list(dyn)
        list(duration).sort() -> list(duration)
        list(timestamp).sort() -> list(timestamp)
        list(int).sort() -> list(int)
        list(list(<T>)).flatten() -> list(<T>)
        list(string).sort() -> list(string)
        list(uint).sort() -> list(uint)
        lists.range(int) -> list(int)
    """,
    ),
    Library(
        "lists",
        "1.38",
        """
        dyn.includes(dyn) -> bool
    """,
    ),
)

NOT_IN_KUBERNETES = """
    math.greatest(dyn) -> dyn
    math.greatest(dyn, dyn) -> dyn
    math.greatest(dyn, dyn, dyn) -> dyn
    math.greatest(dyn, dyn, dyn, dyn) -> dyn
    math.least(dyn) -> dyn
    math.least(dyn, dyn) -> dyn
    math.least(dyn, dyn, dyn) -> dyn
    math.least(dyn, dyn, dyn, dyn) -> dyn
    math.abs(int) -> int
    math.abs(uint) -> uint
    math.abs(double) -> double
    math.ceil(double) -> double
    math.floor(double) -> double
    math.round(double) -> double
    kubernetes.Quantity.sign() -> int
"""
"""Functions that no API server has; expressions of a JobPolicy may use them."""

OF_PATCHES = """
    jsonpatch.escapeKey(string) -> string
"""
"""The functions that only mutations may use."""

ORDERED = ("bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration")
"""The types whose values have an order."""

OPERATORS = """
    !_(bool) -> bool
    -_(double) -> double
    -_(int) -> int
    @in(<A>, list(<A>)) -> bool
    @in(<A>, map(<A>, <B>)) -> bool
    _!=_(<A>, <A>) -> bool
    _==_(<A>, <A>) -> bool
    _&&_(bool, bool) -> bool
    _||_(bool, bool) -> bool
    _?_:_(bool, <A>, <A>) -> <A>
    _%_(int, int) -> int
    _%_(uint, uint) -> uint
    _*_(double, double) -> double
    _*_(int, int) -> int
    _*_(uint, uint) -> uint
    _/_(double, double) -> double
    _/_(int, int) -> int
    _/_(uint, uint) -> uint
    _+_(bytes, bytes) -> bytes
    _+_(double, double) -> double
    _+_(duration, duration) -> duration
    _+_(duration, timestamp) -> timestamp
    _+_(timestamp, duration) -> timestamp
    _+_(int, int) -> int
    _+_(list(<A>), list(<A>)) -> list(<A>)
    _+_(string, string) -> string
    _+_(uint, uint) -> uint
    _-_(double, double) -> double
    _-_(duration, duration) -> duration
    _-_(timestamp, duration) -> timestamp
    _-_(timestamp, timestamp) -> duration
    _-_(int, int) -> int
    _-_(uint, uint) -> uint
    _[_](list(<A>), int) -> <A>
    _[_](map(<A>, <B>), <A>) -> <B>
    _[_](optional_type(list(<V>)), int) -> optional_type(<V>)
    _[_](optional_type(map(<K>, <V>)), <K>) -> optional_type(<V>)
    _[?_](list(<V>), int) -> optional_type(<V>)
    _[?_](map(<K>, <V>), <K>) -> optional_type(<V>)
    _[?_](optional_type(list(<V>)), int) -> optional_type(<V>)
    _[?_](optional_type(map(<K>, <V>)), <K>) -> optional_type(<V>)
"""
COMPARISONS = ("_<_", "_<=_", "_>_", "_>=_")
NUMBERS = ("int", "uint", "double")

QUOTED_NAMES_SINCE = "1.37"
"""The first release that reads members between backticks."""

FORMATS_CHECKED_SINCE = "1.31"
"""The first release that checks the arguments of ``format`` against a template that is a literal."""

TYPE_OF_OPTIONALS_SINCE = "1.31"
"""The first release in which ``optional_type`` is the name of a type."""

MACROS: dict[str, tuple[tuple[str, int], ...]] = {
    "1.30": (
        ("all", 2), ("exists", 2), ("exists_one", 2), ("filter", 2), ("map", 2), ("map", 3),
        ("optMap", 2), ("optFlatMap", 2),
    ),
    "1.33": (
        ("all", 3), ("exists", 3), ("existsOne", 3), ("exists_one", 3), ("transformList", 3),
        ("transformList", 4), ("transformMap", 3), ("transformMap", 4), ("transformMapEntry", 3),
        ("transformMapEntry", 4),
    ),
    "1.35": (("sortBy", 2),),
}  # fmt: skip
"""Names and numbers of arguments of the macros that are called on a value, by the first release with them."""
