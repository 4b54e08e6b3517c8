"""The time zone that was meant by a name that the tz database does not have.

A similar spelling does not mean a near place: Munich is not in Zurich's zone. So only a slip in a name of the
same region counts as a typo, and a table has the large cities and the abbreviations that people write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jobsworth.findings.near_names import near
from jobsworth.record import Record

_CITIES_OF_ZONES = {
    "Africa/Cairo": "Alexandria Giza",
    "Africa/Casablanca": "Rabat Marrakesh Fez",
    "Africa/Johannesburg": "Cape_Town Capetown Durban Pretoria Soweto",
    "Africa/Lagos": "Abuja Kano Ibadan",
    "Africa/Nairobi": "Mombasa",
    "America/Bogota": "Medellin Cali",
    "America/Chicago": "Austin Dallas Houston San_Antonio Minneapolis Milwaukee St_Louis Saint_Louis "
    "New_Orleans Nashville Memphis Kansas_City Omaha",
    "America/Denver": "Salt_Lake_City Albuquerque Colorado_Springs Boulder",
    "America/Los_Angeles": "San_Francisco San_Diego San_Jose Seattle Portland Las_Vegas Sacramento Oakland "
    "Palo_Alto Mountain_View",
    "America/Mexico_City": "Guadalajara Puebla",
    "America/New_York": "Boston Washington Miami Atlanta Philadelphia Pittsburgh Cleveland Columbus "
    "Charlotte Orlando Tampa Baltimore Newark Raleigh Buffalo",
    "America/Phoenix": "Tucson Scottsdale",
    "America/Sao_Paulo": "Rio_de_Janeiro Rio Brasilia Belo_Horizonte Porto_Alegre Curitiba",
    "America/Toronto": "Ottawa Quebec Hamilton Mississauga",
    "America/Vancouver": "Burnaby",
    "America/Edmonton": "Calgary",
    "Asia/Dubai": "Abu_Dhabi Sharjah",
    "Asia/Ho_Chi_Minh": "Hanoi Da_Nang",
    "Asia/Jakarta": "Bandung Surabaya",
    "Asia/Jerusalem": "Haifa",
    "Asia/Karachi": "Islamabad Lahore",
    "Asia/Kolkata": "Mumbai Delhi New_Delhi Bangalore Bengaluru Chennai Hyderabad Pune Ahmedabad Bombay "
    "Madras Gurgaon Noida",
    "Asia/Riyadh": "Jeddah Mecca",
    "Asia/Seoul": "Busan Incheon",
    "Asia/Shanghai": "Beijing Peking Shenzhen Guangzhou Hangzhou Chengdu Nanjing Wuhan Tianjin Xian Suzhou",
    "Asia/Taipei": "Kaohsiung Taichung",
    "Asia/Tokyo": "Osaka Kyoto Yokohama Nagoya Sapporo Fukuoka Kobe",
    "Australia/Brisbane": "Gold_Coast Cairns",
    "Australia/Sydney": "Wollongong Newcastle",
    "Europe/Amsterdam": "Rotterdam Utrecht Eindhoven The_Hague Den_Haag",
    "Europe/Athens": "Thessaloniki",
    "Europe/Berlin": "Munich Muenchen Hamburg Frankfurt Cologne Koeln Stuttgart Dusseldorf Duesseldorf "
    "Leipzig Dresden Hanover Hannover Bremen Nuremberg Nuernberg Karlsruhe Bonn Mannheim Walldorf",
    "Europe/Brussels": "Antwerp Ghent",
    "Europe/Copenhagen": "Aarhus",
    "Europe/Dublin": "Cork",
    "Europe/Helsinki": "Espoo Tampere",
    "Europe/Kyiv": "Lviv Kharkiv Odesa",
    "Europe/Lisbon": "Porto",
    "Europe/London": "Manchester Birmingham Edinburgh Glasgow Cambridge Oxford Bristol Leeds Liverpool",
    "Europe/Madrid": "Barcelona Valencia Seville Bilbao",
    "Europe/Oslo": "Bergen Trondheim",
    "Europe/Paris": "Lyon Marseille Toulouse Nice Lille Bordeaux Strasbourg Nantes",
    "Europe/Prague": "Brno",
    "Europe/Rome": "Milan Milano Turin Torino Naples Napoli Florence Venice Bologna",
    "Europe/Stockholm": "Gothenburg Malmo",
    "Europe/Vienna": "Graz Linz Salzburg",
    "Europe/Warsaw": "Krakow Wroclaw Gdansk Poznan",
    "Europe/Zurich": "Geneva Bern Basel Lausanne",
    "Pacific/Auckland": "Wellington Christchurch",
}  # fmt: skip

_ABBREVIATIONS = {
    "America/Chicago": "CST CDT",
    "America/Denver": "MDT",
    "America/Los_Angeles": "PST PDT",
    "America/New_York": "EDT",
    "Asia/Kolkata": "IST",
    "Asia/Shanghai": "HKT",
    "Asia/Tokyo": "JST",
    "Australia/Sydney": "AEST AEDT",
    "Europe/Berlin": "CEST",
    "Europe/Helsinki": "EEST",
    "Europe/Lisbon": "WEST",
    "Europe/London": "BST",
}

UTC = ("utc", "z", "zulu", "gmt", "utc+0", "gmt+0", "utc+00:00")


class ZoneSuggestion(Record):
    """The time zone that was probably meant.

    Attributes:
        zone: its name; empty if it is not known.
        sure: no other zone is likely.
        hint: a sentence for people; empty for a plain typo.
    """

    zone: str
    sure: bool
    hint: str = ""


_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])0?(\d{1,2})(?::?00)?", re.IGNORECASE)
MAX_HOURS_EAST, MAX_HOURS_WEST = 14, 12


def suggest_zone(name: str, known: Iterable[str]) -> ZoneSuggestion | None:
    """Return the zone that a name probably means; None if nothing is known.

    >>> zones = ["Europe/Berlin", "Europe/Zurich", "America/Lima", "Asia/Kolkata"]
    >>> suggest_zone("europe/berlni", zones)
    ZoneSuggestion(zone='Europe/Berlin', sure=True, hint='')
    >>> suggest_zone("Europe/Munich", zones).hint
    'there is no such zone; Munich is in Europe/Berlin'
    >>> suggest_zone("UTC+02:00", zones).zone, suggest_zone("-5", zones).zone, suggest_zone("UTC+99", zones)
    ('Etc/GMT-2', 'Etc/GMT+5', None)
    >>> suggest_zone("America/Lisa", zones) is None
    True
    """
    zones = tuple(known)
    if name.lower() in UTC:
        return ZoneSuggestion("Etc/UTC", True)
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours = offset.groups()
        return _of_offset(sign, int(hours))
    region, slash, rest = name.partition("/")
    if slash:
        beginning = f"{region.lower()}/"
        of_region = {
            zone[len(beginning) :]: zone for zone in zones if zone.lower().startswith(beginning)
        }
        found = near(rest, of_region)
        if found is not None and found.sure:
            return ZoneSuggestion(of_region[found.name], True)
    city = _folded(name.rpartition("/")[2])
    for zone, cities in _CITIES_OF_ZONES.items():
        for each in cities.split():
            if city == _folded(each):
                place = each.replace("_", " ")
                return ZoneSuggestion(zone, False, f"there is no such zone; {place} is in {zone}")
    for zone, words in _ABBREVIATIONS.items():
        if name.upper() in words.split():
            return ZoneSuggestion(
                zone, False, f"an abbreviation is not a time zone; use a city, such as {zone}"
            )
    return None


def _of_offset(sign: str, hours: int) -> ZoneSuggestion | None:
    """Return the zone of an offset in whole hours; the signs of such zones are those of POSIX."""
    if hours > (MAX_HOURS_EAST if sign == "+" else MAX_HOURS_WEST):
        return None
    zone = f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours else "Etc/UTC"
    inverted = ", whose sign is inverted" if hours else ""
    return ZoneSuggestion(
        zone, False, f"an offset is not a time zone; use a city, or {zone}{inverted}"
    )


def _folded(city: str) -> str:
    return city.lower().replace("_", "").replace("-", "").replace(" ", "")
