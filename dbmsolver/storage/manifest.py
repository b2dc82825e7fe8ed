"""The manifest of a store: what was asked, under which rules, and how far the answer has come."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dbmsolver.errors import DbmError, InputError, StoreError
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.results import Options, Question, method_for
from dbmsolver.storage.blocks import FORMAT
from dbmsolver.version import __version__


def new_manifest(question: Question, deal: Deal, options: Options) -> dict[str, Any]:
    """The manifest that a search begins with."""
    return {
        "format": FORMAT,
        "program": f"dbmsolver {__version__}",
        "question": question,
        "deal": {"number": deal.number, "board": format_board(deal.position)},
        "rules": asdict(deal.rules),
        "policy": options.policy,
        "metric": options.metric,
        "method": method_for(question, deal.rules, options.method),
        "keep": options.keep,
        "verdict": None,
        "limit": None,
        "shortest": False,
        "phase": "new",
        "next": 0,
    }


def deal_of(manifest: dict[str, Any], where: str) -> Deal:
    """The deal that a manifest speaks of; StoreError if it cannot be read, or its board is not that of its number."""
    try:
        rules = Rules(**manifest["rules"])
        number = manifest["deal"]["number"]
        deal = Deal(parse_board(manifest["deal"]["board"], rules, where), rules, number)
    except (KeyError, TypeError, AttributeError, DbmError) as error:
        raise StoreError(f"the manifest's deal cannot be read ({error})", where) from error
    try:
        deal.check_number(where)
    except InputError as error:
        raise StoreError(f"the manifest is wrong: {error.message}", where) from None
    return deal


def check_same(
    manifest: dict[str, Any], question: Question, deal: Deal, options: Options, where: str
) -> None:
    """Refuse a store that holds another search, saying what differs."""
    wanted = new_manifest(question, deal, options)
    names = {
        "question": "question",
        "policy": "automove policy",
        "metric": "metric",
        "keep": "--keep",
        "method": "method",
    }
    for field, name in names.items():
        if manifest.get(field) != wanted[field]:
            raise StoreError(
                f"holds a search with another {name}: {manifest.get(field)}, not {wanted[field]}",
                where,
            )
    if manifest.get("rules") != wanted["rules"]:
        theirs = manifest.get("rules") or {}
        different = [
            f"{name} {theirs.get(name)}, not {value}"
            for name, value in wanted["rules"].items()
            if theirs.get(name) != value
        ]
        raise StoreError(f"holds a search under other rules: {'; '.join(different)}", where)
    held = deal_of(manifest, where)
    if format_board(held.position) != wanted["deal"]["board"]:
        theirs = held.number
        raise StoreError(
            f"holds a search of another deal ({'a board' if theirs is None else theirs}), "
            f"not {'this board' if deal.number is None else deal.number}",
            where,
        )
