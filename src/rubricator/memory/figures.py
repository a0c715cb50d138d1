"""The figures that a sentence states: amounts of money, durations, shares and counts, each under its unit."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = {
    word: float(value)
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split()
    )
} | {"thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0, "eighty": 80.0, "ninety": 90.0}
_CURRENCIES: Final = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"} | dict(
    pair.split("=")
    for pair in """usd=USD dollar=USD dollars=USD bucks=USD eur=EUR euro=EUR euros=EUR gbp=GBP pound=GBP pounds=GBP
    jpy=JPY yen=JPY""".split()
)
_UNITS: Final = dict(
    pair.split("=")
    for pair in """second=second seconds=second sec=second minute=minute minutes=minute min=minute mins=minute
    hour=hour hours=hour hr=hour hrs=hour day=day days=day week=week weeks=week month=month months=month year=year
    years=year percent=percent point=point points=point""".split()
) | {"%": "percent"}
_SECONDS: Final = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_NUMBER = rf"(?:\d+(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)[kK]?|\b(?:{'|'.join(_WORDS)})\b"
_FIGURE = re.compile(
    rf"(?P<denied>(?:no longer|instead of|rather than|not)\s+)?(?P<before>[$€£¥]\s?)?(?<![\w.,-])(?P<number>{_NUMBER})"
    r"(?:(?:\s|-)?(?:(?:business|working|calendar|full|consecutive)\s)?(?P<unit>%|[A-Za-z]+))?",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+\d{4})?"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s+\d{4})?"
    r"|https?://\S+",
    re.IGNORECASE,
)

Figures = dict[str, set[float]]


def figures(text: str) -> Figures:
    """The figures of a text by unit: a currency, `second` (minutes and hours too), `day`, `week`, `month`, `year`, ...

    `$2k`, `2,000 USD` and `2000 dollars` are one figure, `six months` and `6-month` another. Numbers without a unit,
    dates and addresses are none: there is nothing to compare them with. Nor is what is denied (`no longer 24 hours`).
    """
    found: Figures = {}
    for match in _FIGURE.finditer(_DATE.sub(" ", text)):
        value = _value(match["number"])
        unit = _CURRENCIES.get((match["before"] or "").strip()) or _unit(match["unit"] or "")
        if unit is None or match["denied"]:
            continue
        if unit in _SECONDS:
            value, unit = value * _SECONDS[unit], "second"
        found.setdefault(unit, set()).add(value)
    return found


def _value(number: str) -> float:
    if number.casefold() in _WORDS:
        return _WORDS[number.casefold()]
    plain = number.replace(",", "")
    return float(plain[:-1]) * 1000 if plain[-1] in "kK" else float(plain)


def _unit(word: str) -> str | None:
    return _CURRENCIES.get(word.casefold()) or _UNITS.get(word.casefold())


def shown(value: float, unit: str) -> str:
    """A figure as a reader would write it: `30 USD`, `4 hours`, `90 days`, `15%`."""
    if unit == "percent":
        return f"{value:g}%"
    if unit == "second":
        size, unit = next(((n, u) for u, n in (("hour", 3600.0), ("minute", 60.0)) if value % n == 0), (1.0, "second"))
        value /= size
    return f"{value:g} {unit}{'s' if unit.islower() and value != 1 else ''}"
