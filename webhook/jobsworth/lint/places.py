"""Places that a manifest names: cities, countries, languages and regions of clouds, with their time zones.

Offsets are those of standard time, in hours, from the IANA time zone database 2025c; regions from the lists
of AWS, Google Cloud and Azure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A time zone and the words that name a place in it.

    Attributes:
        zone: its name in the IANA database.
        hours: its standard time less UTC, in hours.
        words: words in small letters, with a hyphen for each separator.
    """

    zone: str
    hours: int
    words: tuple[str, ...]


PLACES = (
    Place("America/Los_Angeles", -8, (
        "los-angeles", "san-francisco", "seattle", "us-west-1", "us-west-2", "us-west1", "westus",
    )),
    Place("America/Denver", -7, ("denver", "us-west3")),
    Place("America/Chicago", -6, ("chicago", "dallas", "us-central1")),
    Place("America/New_York", -5, (
        "new-york", "boston", "us-east-1", "us-east-2", "us-east1", "us-east4", "eastus",
    )),
    Place("America/Sao_Paulo", -3, ("sao-paulo", "brazil", "pt-br", "sa-east-1", "southamerica-east1")),
    Place("Europe/Berlin", 1, (
        "berlin", "frankfurt", "munich", "hamburg", "germany", "de-de", "eu-central-1", "europe-west3",
        "germanywestcentral",
    )),
    Place("Europe/Paris", 1, ("paris", "france", "fr-fr", "eu-west-3", "europe-west9")),
    Place("Europe/Amsterdam", 1, ("amsterdam", "netherlands", "nl-nl", "europe-west4", "westeurope")),
    Place("Europe/Madrid", 1, ("madrid", "spain", "es-es", "eu-south-2")),
    Place("Europe/Rome", 1, ("rome", "milan", "italy", "it-it", "eu-south-1")),
    Place("Europe/Zurich", 1, ("zurich", "switzerland", "eu-central-2", "europe-west6")),
    Place("Europe/Vienna", 1, ("vienna", "austria")),
    Place("Europe/Stockholm", 1, ("stockholm", "sweden", "sv-se", "eu-north-1")),
    Place("Europe/Warsaw", 1, ("warsaw", "poland", "pl-pl", "europe-central2")),
    Place("Europe/Helsinki", 2, ("helsinki", "finland", "europe-north1")),
    Place("Africa/Johannesburg", 2, ("johannesburg", "south-africa", "af-south-1")),
    Place("Europe/Istanbul", 3, ("istanbul", "turkey", "tr-tr")),
    Place("Asia/Dubai", 4, ("dubai", "me-central-1", "uaenorth")),
    Place("Asia/Karachi", 5, ("karachi", "pakistan")),
    Place("Asia/Bangkok", 7, ("bangkok", "thailand", "th-th", "ap-southeast-7")),
    Place("Asia/Jakarta", 7, ("jakarta", "indonesia", "id-id", "ap-southeast-3", "asia-southeast2")),
    Place("Asia/Ho_Chi_Minh", 7, ("ho-chi-minh", "hanoi", "vietnam", "vi-vn")),
    Place("Asia/Shanghai", 8, (
        "shanghai", "beijing", "shenzhen", "hangzhou", "china", "zh-cn", "cn-north-1",
    )),
    Place("Asia/Hong_Kong", 8, ("hong-kong", "ap-east-1", "asia-east2")),
    Place("Asia/Taipei", 8, ("taipei", "taiwan", "zh-tw", "asia-east1")),
    Place("Asia/Singapore", 8, ("singapore", "ap-southeast-1", "asia-southeast1", "southeastasia")),
    Place("Asia/Manila", 8, ("manila", "philippines")),
    Place("Asia/Tokyo", 9, (
        "tokyo", "osaka", "japan", "ja-jp", "ap-northeast-1", "ap-northeast-3", "asia-northeast1",
        "asia-northeast2", "japaneast",
    )),
    Place("Asia/Seoul", 9, ("seoul", "korea", "ko-kr", "ap-northeast-2", "asia-northeast3", "koreacentral")),
    Place("Australia/Sydney", 10, (
        "sydney", "melbourne", "ap-southeast-2", "australia-southeast1", "australiaeast",
    )),
    Place("Pacific/Auckland", 12, ("auckland", "new-zealand")),
)  # fmt: skip

MAX_STRINGS = 2_000
"""The number of strings of a manifest that are read."""
MAX_LENGTH = 500
"""The number of characters that are read of each."""

_SEPARATORS = re.compile(r"[^a-z0-9]+")


def place_at(value: Any, hours: int) -> tuple[Place, str] | None:
    """Return a place at this offset that a manifest names, and the word that names it; None for none.

    >>> place_at({"metadata": {"name": "tokyo-office"}}, 9)[0].zone
    'Asia/Tokyo'
    >>> place_at({"env": [{"name": "LANG", "value": "ja_JP.UTF-8"}]}, 9)[1]
    'ja-jp'
    >>> place_at({"metadata": {"name": "tokyo-office"}}, 8)
    """
    places = [place for place in PLACES if place.hours == hours]
    if not places:
        return None
    for number, text in enumerate(_strings(value)):
        if number > MAX_STRINGS:
            break
        words = f"-{_SEPARATORS.sub('-', text[:MAX_LENGTH].lower())}-"
        for place in places:
            for word in place.words:
                if f"-{word}-" in words:
                    return place, word
    return None


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a value of JSON, keys included, without recursion."""
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            for key in reversed(each):
                stack += (each[key], key)
        elif isinstance(each, list):
            stack.extend(reversed(each))
        elif isinstance(each, str):
            yield each
