"""Yearly clock changes (daylight saving time) of time zones.

Source: the rules active at the end of each file of the IANA time zone database 2025c, in the form
of POSIX ``TZ`` (IEEE Std 1003.1, section 8.3): ``M3.5.0/2`` is the fifth, that is the last, Sunday
(day 0) of March, at 02:00. Zones that follow the lunar calendar (Morocco) have no
such rule.

    >>> spring, autumn = changes("Europe/Berlin")
    >>> spring.skips, spring.month, spring.days, spring.weekday, spring.minutes
    (True, 3, range(25, 32), 0, range(120, 180))
    >>> autumn.skips, autumn.minutes
    (False, range(120, 180))
    >>> changes("Etc/UTC")
    ()
"""

from __future__ import annotations

from functools import cache

from jobsworth.api.formats.time_zones import read_names
from jobsworth.record import Record

_DAY = 24 * 60
_HOUR = 60
_AT_TWO = 2 * _HOUR
_LAST = 5
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class ClockChange(Record, kw_only=True):
    """A yearly change of the clocks of a time zone.

    Attributes:
        skips: True if clocks go forward and skip the minutes; False if they go back and repeat them.
        month: the month, from 1.
        days: the seven possible days of the month, one of which is the weekday.
        weekday: the day of the week, 0 for Sunday.
        minutes: the minutes of the day that clocks skip or repeat, counted from midnight.
    """

    skips: bool
    month: int
    days: range
    weekday: int
    minutes: range


def changes(zone: str) -> tuple[ClockChange, ...]:
    """Return the yearly changes of a time zone, in the order of its rule; empty without a rule."""
    rule = _rules().get(zone)
    return () if rule is None else _changes(rule)


@cache
def _rules() -> dict[str, str]:
    return {zone: rule for rule, names in ZONES.items() for zone in read_names(names)}


def _changes(rule: str) -> tuple[ClockChange, ...]:
    offsets, begin, end = rule.split(",")
    standard, rest = _offset(offsets)
    summer = _offset(rest)[0] if any(map(str.isdigit, _after_name(rest))) else standard + _HOUR
    return (_change(begin, summer - standard), _change(end, standard - summer))


def _offset(text: str) -> tuple[int, str]:
    """Parse a named offset; return (minutes east of UTC, rest of the text)."""
    text = _after_name(text)
    rest = text.lstrip("+-0123456789:")
    return -_minutes(text[: len(text) - len(rest)]), rest


def _after_name(text: str) -> str:
    if text[:1] == "<":
        return text.partition(">")[2]
    return text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _minutes(text: str) -> int:
    sign = -1 if text[:1] == "-" else 1
    hours, _, minutes = text.lstrip("+-").partition(":")
    return sign * (int(hours) * _HOUR + int(minutes or "0"))


def _change(when: str, forward: int) -> ClockChange:
    """Return a change by `forward` minutes; clocks that go back repeat the minutes before it."""
    day, _, time = when.partition("/")
    month, week, weekday = (int(part) for part in day[1:].split("."))
    begin = (_minutes(time) if time else _AT_TWO) + min(forward, 0)
    shift, minute = divmod(begin, _DAY)
    first = _MONTHS[month - 1] - 6 if week == _LAST else 7 * (week - 1) + 1
    return ClockChange(
        skips=forward > 0,
        month=month,
        days=range(first + shift, first + shift + 7),
        weekday=(weekday + shift) % 7,
        minutes=range(minute, minute + abs(forward)),
    )


ZONES = {
    "CET-1CEST,M3.5.0,M10.5.0/3": """
CET MET Poland Africa: Ceuta Arctic: Longyearbyen Atlantic: Jan_Mayen Europe: Amsterdam
Andorra Belgrade Berlin Bratislava Brussels Budapest Busingen Copenhagen Gibraltar Ljubljana
Luxembourg Madrid Malta Monaco Oslo Paris Podgorica Prague Rome San_Marino Sarajevo Skopje
Stockholm Tirane Vaduz Vatican Vienna Warsaw Zagreb Zurich
""",
    "EST5EDT,M3.2.0,M11.1.0": """
EST5EDT America: Detroit Fort_Wayne Grand_Turk Indianapolis Iqaluit Louisville Montreal
Nassau New_York Nipigon Pangnirtung Port-au-Prince Thunder_Bay Toronto America/Indiana:
Indianapolis Marengo Petersburg Vevay Vincennes Winamac America/Kentucky: Louisville
Monticello Canada: Eastern US: East-Indiana Eastern Michigan
""",
    "CST6CDT,M3.2.0,M11.1.0": """
CST6CDT America: Chicago Knox_IN Matamoros Menominee Ojinaga Rainy_River Rankin_Inlet
Resolute Winnipeg America/Indiana: Knox Tell_City America/North_Dakota: Beulah Center
New_Salem Canada: Central US: Central Indiana-Starke
""",
    "EET-2EEST,M3.5.0/3,M10.5.0/4": """
EET Asia: Famagusta Nicosia Europe: Athens Bucharest Helsinki Kiev Kyiv Mariehamn Nicosia
Riga Sofia Tallinn Uzhgorod Vilnius Zaporozhye
""",
    "MST7MDT,M3.2.0,M11.1.0": """
MST7MDT Navajo America: Boise Cambridge_Bay Ciudad_Juarez Denver Edmonton Inuvik Shiprock
Yellowknife Canada: Mountain US: Mountain
""",
    "AEST-10AEDT,M10.1.0,M4.1.0/3": """
Antarctica: Macquarie Australia: ACT Canberra Currie Hobart Melbourne NSW Sydney Tasmania
Victoria
""",
    "PST8PDT,M3.2.0,M11.1.0": """
PST8PDT America: Ensenada Los_Angeles Santa_Isabel Tijuana Vancouver Canada: Pacific Mexico:
BajaNorte US: Pacific
""",
    "AKST9AKDT,M3.2.0,M11.1.0": """
America: Anchorage Juneau Metlakatla Nome Sitka Yakutat US: Alaska
""",
    "AST4ADT,M3.2.0,M11.1.0": """
America: Glace_Bay Goose_Bay Halifax Moncton Thule Atlantic: Bermuda Canada: Atlantic
""",
    "GMT0BST,M3.5.0/1,M10.5.0": "GB GB-Eire Europe: Belfast Guernsey Isle_of_Man Jersey London",
    "WET0WEST,M3.5.0/1,M10.5.0": """
Portugal WET Atlantic: Canary Faeroe Faroe Madeira Europe: Lisbon
""",
    "ACST-9:30ACDT,M10.1.0,M4.1.0/3": "Australia: Adelaide Broken_Hill South Yancowinna",
    "NZST-12NZDT,M9.5.0,M4.1.0/3": "NZ Antarctica: McMurdo South_Pole Pacific: Auckland",
    "<-02>2<-01>,M3.5.0/-1,M10.5.0/0": "America: Godthab Nuuk Scoresbysund",
    "HST10HDT,M3.2.0,M11.1.0": "America: Adak Atka US: Aleutian",
    "IST-2IDT,M3.4.4/26,M10.5.0": "Israel Asia: Jerusalem Tel_Aviv",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0": "Australia: LHI Lord_Howe",
    "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45": "NZ-CHAT Pacific: Chatham",
    "<-04>4<-03>,M9.1.6/24,M4.1.6/24": "America: Santiago Chile: Continental",
    "<-06>6<-05>,M9.1.6/22,M4.1.6/22": "Chile: EasterIsland Pacific: Easter",
    "CST5CDT,M3.2.0/0,M11.1.0/1": "Cuba America: Havana",
    "EET-2EEST,M3.4.4/50,M10.4.4/50": "Asia: Gaza Hebron",
    "EET-2EEST,M3.5.0,M10.5.0/3": "Europe: Chisinau Tiraspol",
    "EET-2EEST,M4.5.5/0,M10.5.4/24": "Egypt Africa: Cairo",
    "IST-1GMT0,M10.5.0,M3.5.0/1": "Eire Europe: Dublin",
    "NST3:30NDT,M3.2.0,M11.1.0": "America: St_Johns Canada: Newfoundland",
    "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3": "Antarctica: Troll",
    "<+11>-11<+12>,M10.1.0,M4.1.0/3": "Pacific: Norfolk",
    "<-01>1<+00>,M3.5.0/0,M10.5.0/1": "Atlantic: Azores",
    "<-03>3<-02>,M3.2.0,M11.1.0": "America: Miquelon",
    "EET-2EEST,M3.5.0/0,M10.5.0/0": "Asia: Beirut",
}
"""The zone names of each rule, in the format of ``time_zone_names``."""
