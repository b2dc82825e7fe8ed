"""The oracle tables in tests/data: what others found, or what is known."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[1] / "tests" / "data"


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table, by column name."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    heading, *body = [line for line in lines if line and not line.startswith("#")]
    names = heading.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in body]


def optimal_lengths() -> dict[int, int]:
    """Least card moves of deals with four freecells."""
    table = rows("optimal-card-moves.tsv")
    return {int(row["deal"]): int(row["card_moves"]) for row in table}
