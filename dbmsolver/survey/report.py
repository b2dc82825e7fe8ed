"""A page about a table: one file, which needs no other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from math import sqrt
from pathlib import Path
from statistics import median

from dbmsolver.game.measures import length_words, spoiling_words, usual_metric
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import rules_notes
from dbmsolver.survey.charts import histogram
from dbmsolver.survey.report_html import duration, mebibytes, row_count, table
from dbmsolver.survey.rows import UNREADABLE, Inquiry, Row

HARDEST = 20
"""The number of the hardest deals that are listed."""

MOST_OPEN = 200
"""The number of undecided deals that are listed at most."""

_STYLE = Path(__file__).with_name("report.css")
_TITLES = {
    Inquiry.VERDICT: "Which deals can be won?",
    Inquiry.SHORTEST: "How long are shortest solutions?",
    Inquiry.FEWEST_FREECELLS: "How few freecells are enough?",
}
_CELLS = re.compile(r"(no|[0-9]+) freecells?")
_NOT_SHORTEST = "They are those that the search came upon, not the shortest."


def render(rows: Sequence[Row], name: str) -> str:
    """Return the page about the rows of the table of that name, as HTML."""
    question = Inquiry(rows[0].question) if rows else Inquiry.VERDICT
    title = _TITLES[Inquiry.SHORTEST if question.is_shortest else question]
    parts = chain(
        _head(rows, name, title),
        _counts(rows, question),
        _fewest(rows) if question == Inquiry.FEWEST_FREECELLS else (),
        _lengths(rows, question),
        _states(rows),
        _hardest(rows),
        _open(rows),
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} {escape(name)}</title>\n"
        f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def label_of(rules: Rules) -> str:
    """Return the rules in a few words.

    The number of freecells is among them, also where it is 0, unless no such game has any.
    """
    if rules.reserve or rules.family not in ("cards", "two-way", "runs"):
        return ", ".join(rules_notes(rules))
    cells = "1 freecell" if rules.freecells == 1 else f"{rules.freecells} freecells"
    notes = [note for note in rules_notes(rules) if not _CELLS.fullmatch(note)]
    return ", ".join([*notes, cells])


def _head(rows: Sequence[Row], name: str, title: str) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    deals = len({(row.whose, row.number, row.board) for row in rows})
    programs = ", ".join(sorted({row.program for row in rows}))
    seconds = sum(row.seconds for row in rows)
    made = f", made by {programs} in {duration(seconds)} of searching" if rows else ""
    yield f"<p>Table <code>{escape(name)}</code>: {row_count(len(rows))} about "
    yield f"{deals:,} {'deal' if deals == 1 else 'deals'}{escape(made)}.</p>"


def _counts(rows: Sequence[Row], question: Inquiry) -> Iterator[str]:
    """Yield the part of the page with the verdicts by rules."""
    counts: dict[Rules, Counter[str]] = {}
    for row in rows:
        word = "undecided" if row.is_open else row.verdict
        counts.setdefault(row.rules, Counter())[word] += 1
    yield "<h2>Verdicts</h2>"
    if question == Inquiry.FEWEST_FREECELLS:
        yield "<p>Solved are those whose fewest freecells are proven; unsolvable are those that "
        yield "cannot be won with the most freecells asked about.</p>"
    if question.is_shortest:
        spoiling = spoiling_words(question.metric, question.policy)
        note = f" Unsolvable are those that cannot be won{spoiling}." if spoiling else ""
        yield f"<p>Solved are those with a solution that is proven to be shortest.{note}</p>"
    words = ["solved", "unsolvable", "undecided"]
    if any(found[UNREADABLE] for found in counts.values()):
        words.append(UNREADABLE)
        yield "<p>Unreadable are files that are no board of these rules.</p>"
    lines: list[list[str]] = []
    shares: list[list[str]] = []
    for rules, found in counts.items():
        total = sum(found.values())
        deals = total - found[UNREADABLE]
        decided = found["solved"] + found["unsolvable"]
        numbers = (*(found[word] for word in words), total)
        lines.append([label_of(rules), *(f"{number:,}" for number in numbers)])
        solved = _share(found["solved"], decided) if decided else ("", "")
        share = f"{decided / deals:.2%}" if deals else ""
        shares.append([label_of(rules), share, *solved])
    heads = ("Rules", *(word.capitalize() for word in words), "All")
    yield table("Verdicts by rules", heads, lines)
    yield "<p>The share is of the decided deals, with its 95 % interval (Wilson's), for those who "
    yield "take these deals for a sample of all.</p>"
    yield table("Shares by rules", ("Rules", "Decided", "Share solved", "95 % interval"), shares)


def _share(some: int, total: int) -> tuple[str, str]:
    """Return a share, and its 95 % interval, that of Wilson."""
    square = 1.959964**2
    share = some / total
    middle = share + square / (2 * total)
    reach = sqrt(square * (share * (1 - share) / total + square / (4 * total * total)))
    low, high = ((middle + sign * reach) / (1 + square / total) for sign in (-1, 1))
    return f"{share:.2%}", f"{max(low, 0):.2%} to {min(high, 1):.2%}"


def _fewest(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the part about how many deals need how many freecells."""
    yield "<h2>Fewest freecells</h2>"
    lines = []
    for rules, some in _by_rules(rows):
        counts = Counter(row.fewest for row in some if row.fewest is not None)
        total = sum(counts.values())
        lines += [
            [label_of(rules), str(cells), f"{counts[cells]:,}", f"{counts[cells] / total:.2%}"]
            for cells in sorted(counts)
        ]
    yield table("Deals by fewest freecells", ("Rules", "Freecells", "Deals", "Share"), lines)


def _lengths(rows: Sequence[Row], question: Inquiry) -> Iterator[str]:
    """Yield the part with the histogram of lengths."""
    known = [row for row in rows if row.length is not None and not row.is_open]
    if not known:
        return
    note = "" if question.is_shortest else f" {_NOT_SHORTEST}"
    yield from _chart(
        "lengths",
        "Lengths of solutions",
        _labels(rows),
        known,
        lambda row: row.length or 0,
        _unit(known, question),
        note,
    )


def _unit(rows: Iterable[Row], question: Inquiry) -> str:
    """Return the unit of the rows' lengths: that of their metric, or "moves" if metrics differ.

    Where one of the games has a stock, the unit names turns of it.
    """
    metrics = {question.metric or usual_metric(row.rules) for row in rows}
    if len(metrics) != 1:
        return "moves"
    rules = max((row.rules for row in rows), key=lambda rules: rules.stock > 0)
    return length_words(metrics.pop(), rules)[1]


def _states(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the part about the difficulty of deals: the states looked at until the verdict."""
    known = [row for row in rows if row.evaluated]
    if known:
        note = " States looked at until the verdict, or the limit, in powers of ten."
        yield from _chart(
            "states",
            "Difficulty",
            _labels(rows),
            known,
            lambda row: row.evaluated,
            "states",
            note,
        )
        lines = []
        for rules, some in _by_rules(row for row in known if not row.is_open):
            states = sorted(row.evaluated for row in some)
            at = (states[-(-percent * len(states) // 100) - 1] for percent in (50, 90, 99, 100))
            lines.append([label_of(rules), *(f"{number:,}" for number in at)])
        heads = ("Rules", "Half of the deals", "90 %", "99 %", "All")
        if lines:
            yield table("States that so many deals need at most", heads, lines)


def _chart(
    name: str,
    heading: str,
    labels: Sequence[str],
    rows: Sequence[Row],
    value: Callable[[Row], int],
    unit: str,
    note: str,
) -> Iterator[str]:
    series: dict[str, list[int]] = {label: [] for label in labels}
    for rules, some in _by_rules(rows):
        series[label_of(rules)] += [value(row) for row in some]
    values = sorted(chain.from_iterable(series.values()))
    picture = histogram(name, series, unit, powers=name == "states")
    middle = f"{median(values):,.1f}".removesuffix(".0")
    words = (
        f"{len(values):,} {'deal' if len(values) == 1 else 'deals'}: from {values[0]:,} to "
        f"{values[-1]:,} {unit}, median {middle}."
    )
    yield f"<h2>{escape(heading)}</h2>"
    yield f"<figure>{picture}<figcaption>{escape(words + note)}</figcaption></figure>"


def _hardest(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the list of the decided deals that took the most states."""
    decided = [row for row in rows if not row.is_open and row.verdict != UNREADABLE]
    fewest = rows[0].question == Inquiry.FEWEST_FREECELLS if rows else False
    hardest = sorted(decided, key=lambda row: row.evaluated, reverse=True)[:HARDEST]
    if not hardest:
        return
    yield "<h2>Hardest deals</h2>"
    lines = [
        [
            row.deal,
            label_of(row.rules),
            row.verdict if row.fewest is None else str(row.fewest),
            f"{row.evaluated:,}",
            duration(row.seconds),
            mebibytes(row.peak_memory),
        ]
        for row in hardest
    ]
    heads = ("Deal", "Rules", "Fewest" if fewest else "Verdict", "States", "Time", "Memory")
    yield table("Decided deals with the most states", heads, lines)


def _open(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the list of the undecided deals, with what is known of them."""
    left = [row for row in rows if row.is_open]
    yield "<h2>Undecided deals</h2>"
    if not left:
        yield "<p>None.</p>"
        return
    lines = [
        [row.deal, label_of(row.rules), row.limit or "", _bounds(row), f"{row.evaluated:,}"]
        for row in left[:MOST_OPEN]
    ]
    heads = ("Deal", "Rules", "Ended by", "Known", "States")
    yield table("Undecided deals", heads, lines)
    if len(left) > MOST_OPEN:
        yield f"<p>And {len(left) - MOST_OPEN:,} more.</p>"


def _bounds(row: Row) -> str:
    parts = []
    if row.at_least is not None:
        parts.append(f"at least {row.at_least}")
    if row.at_most is not None:
        parts.append(f"at most {row.at_most}")
    return ", ".join(parts)


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return the labels of all rules of the table: each has its colour in every picture."""
    return [label_of(rules) for rules, _ in _by_rules(rows)]


def _by_rules(rows: Iterable[Row]) -> list[tuple[Rules, list[Row]]]:
    found: dict[Rules, list[Row]] = {}
    for row in rows:
        found.setdefault(row.rules, []).append(row)
    return list(found.items())


__all__ = ["label_of", "render"]
