"""The stable codes of API findings, by the server's reason, or by our own if the server has none."""

from __future__ import annotations

CODES = {
    "UnknownField": "JW001",
    "FieldValueTypeInvalid": "JW002",
    "FieldValueRequired": "JW003",
    "FieldValueInvalid": "JW004",
    "FieldValueNotSupported": "JW005",
    "FieldValueDuplicate": "JW006",
    "FieldValueForbidden": "JW007",
    "FieldValueTooLong": "JW008",
    "FieldValueTooMany": "JW009",
    "FieldValueNotFound": "JW010",
    "InternalError": "JW011",
    "FieldDropped": "JW020",
    "StoredObjectUnreadable": "JW021",
    "TooManyErrors": "JW022",
    "ServerWarning": "JW023",
    "PodRejected": "JW024",
    "PodNeverStarts": "JW025",
    "ClusterRefusal": "JW026",
    "PodsRefused": "JW027",
    "DryRunUnsupported": "JW028",
    "PatchDiffers": "JW029",
}
