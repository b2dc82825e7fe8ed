"""The meaning of a store's records: a version of each part of the program that it depends on.

The records of one store have to mean the same from the first to the last. So a manifest names these
versions, and a store written with others is not continued. A change to the search that gives any
position another key, another bound, or other moves raises the version of that part for the families
of games concerned. `tests/search/test_meanings.py` has the results of each version on fixed
positions, and fails where these change and the version does not.
"""

from __future__ import annotations

from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import Measure
from dbmsolver.game.rules import Rules
from dbmsolver.results import Bound, Method, Question

Meaning = dict[str, str | int]
"""A family of games, under the name "family", and the version of each part that it has."""

PARTS = {
    "keys": "keys and parent-move codes",
    "moves": "moves that are searched",
    "automoves": "moves home that are made at once",
    "bound": "lower bound",
    "distances": "distances of classes",
}
"""The parts that the meaning of records depends on, in words.

keys: signatures, strata, local and public keys, and the codes that lead to parents. moves: the
states that follow from a state, the cost of that, and those left out, as another order of moves
leads to them. automoves: the states with a forced move, by each policy. bound: the bound that
layers of a search for a shortest solution are counted with; a proof has none. distances: those of
classes, and the bound made of them, where layers are counted with these, too.
"""

VERSIONS: dict[str, dict[str, int]] = {
    "cards": {"keys": 1, "moves": 1, "automoves": 1, "bound": 1},
    "supermoves": {"keys": 1, "moves": 1, "automoves": 1, "bound": 1},
    "runs": {"keys": 1, "moves": 1, "automoves": 1, "bound": 1},
    "mixed runs": {"keys": 1, "moves": 1, "automoves": 1, "bound": 1},
    "two-way": {"keys": 1, "moves": 1, "automoves": 1, "bound": 1},
    "dominating": {"keys": 1, "moves": 1, "automoves": 1},
    "classes": {"keys": 1, "moves": 1, "automoves": 1},
    "pile": {"keys": 2, "moves": 1, "bound": 1},
    "pairs": {"keys": 1, "moves": 1, "bound": 1},
    "wide": {"keys": 1, "moves": 1, "bound": 1},
    "patience": {"keys": 3, "moves": 3, "automoves": 3, "bound": 4, "distances": 1},
}
"""The versions of this program, by family.

cards: cards move one by one. supermoves: so they do by the rules, and runs are counted as moves.
runs: a run is one move by the rules. mixed runs: so it is, it may have cards of several suits, and
only whole suits go home. two-way: columns are built both ways, or cards come back. dominating:
proofs over dominating positions. classes: proofs over classes of positions. pile: all cards go to
one pile. pairs: pairs are removed. wide: Spider and its kin, which have no stores but for the time
of a search. patience: Klondike and its relatives.
"""


def meaning_of(
    rules: Rules,
    policy: Policy,
    metric: Metric,
    method: Method,
    question: Question,
    bound: Bound = Bound.POSITIONS,
) -> Meaning:
    """Return the family and the versions with which this program writes a search's records."""
    family = _family(rules, policy, metric, method)
    versions = dict(VERSIONS[family])
    if question == Question.PROVE:
        versions.pop("bound", None)
    if bound != Bound.CLASSES:
        versions.pop("distances", None)
    return {"family": family, **versions}


def _family(rules: Rules, policy: Policy, metric: Metric, method: Method) -> str:
    if method.of_classes:
        return "classes"
    if rules.is_patience:
        return "patience"
    if rules.only_leave or rules.is_wide:
        return rules.family
    if method == Method.DOMINATING:
        return "dominating"
    if rules.has_runs:
        mixed = rules.whole_suits and rules.moves == "runs" and len(rules.parent_kinds) > 1
        return "mixed runs" if mixed else "runs"
    if rules.two_way:
        return "two-way"
    return "supermoves" if Measure(rules, policy, metric).by_room else "cards"


def difference(stored: object, current: Meaning) -> str | None:
    """Return the first difference of two meanings in words, or None.

    ``stored`` is read from a file, ``current`` is that of the same search by this program.
    """
    if not isinstance(stored, dict):
        return "what its records mean is not stored"
    family = current["family"]
    if stored.get("family") != family:
        return f"its records are those of {_short(stored.get('family'))}, expected {family}"
    for name in sorted(stored.keys() | current.keys()):
        theirs, ours = stored.get(name), current.get(name)
        # True counts as 1, and is no version.
        if theirs == ours and type(theirs) is type(ours):
            continue
        words = PARTS.get(name, _short(name))
        if theirs is None:
            return f"the version of its {words} is not stored, expected {ours}"
        expected = "none" if ours is None else ours
        return f"made with version {_short(theirs)} of the {words} ({family}), expected {expected}"
    return None


def _short(value: object) -> str:
    return ascii(value)[:40]
