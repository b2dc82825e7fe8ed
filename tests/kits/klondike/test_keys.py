"""Keys of Klondike and its relatives: any number is the key of one position, or is refused."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.kernels import patience_states, patience_words
from helpers.patience_games import PATIENCE_GAMES, small_deck
from numpy.typing import NDArray

from dbmsolver.errors import InputError, StoreError
from dbmsolver.game.cards import CARDS, parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.moves import WASTE, Move, Place
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.layout import PLANES
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_HOME
from dbmsolver.kits.klondike.keys import PatienceKeys, key_of, words_of
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.strata import STOCK_SHIFT, signatures
from dbmsolver.kits.klondike.tables import (
    BOTTOM,
    HOME,
    PER_WORD,
    TURNS_SHIFT,
    WASTE_SHIFT,
    make_board,
    make_found,
)
from dbmsolver.kits.states import State
from dbmsolver.results import Question
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.records import BlockKey, closed_key, pending_key

DECKS = 4
NUMBERS = 60
FIELDS = [64 * word + 3 * place for word in (0, 1) for place in range(21)]
"""The bits at which the digits of the first 42 cards begin; then those of the last ten."""
FIELDS += [128 + 3 * place for place in range(10)]
WON = sum(HOME << shift for shift in FIELDS)
"""The key of a won position, without a waste."""


def near(key: int, random: Random) -> int:
    """Return a key with one or two digits, or a bit of any kind, changed."""
    for _ in range(random.choice((1, 1, 2))):
        shift = random.choice(FIELDS)
        key = key & ~(7 << shift) | random.randrange(8) << shift
    return key if random.random() < 0.7 else key ^ 1 << random.randrange(176)


@pytest.mark.parametrize("game", PATIENCE_GAMES)
def test_any_number_is_a_position_or_an_error(game: str) -> None:
    """Keys that are read are those that are written, and kernels are given no others."""
    random = Random(game)
    found, states = {True: 0, False: 0}, 0
    for _ in range(DECKS):
        deal = small_deck(game, random)
        keys = PatienceKeys(deal, "none", "turns", Question.SOLVE)
        position = deal.position
        for _ in range(NUMBERS):
            key = keys.encode(position)
            assert keys.encode(keys.decode(key)) == key
            wrong = near(key, random)
            sound = keys.are_keys(np.array(words_of(wrong % (1 << 192)), np.uint64))
            try:
                read = keys.decode(wrong)
            except InputError:
                found[False] += 1
                states += sound
            else:
                found[True] += 1
                assert isinstance(read, Patience)
                assert keys.encode(read) == wrong
                assert sound
            moves = position.moves(deal.rules)
            position = position.apply(random.choice(moves)) if moves else deal.position
    assert min(found.values()) > 4
    assert 20 * states < found[False]  # kernels are safe with what a position forbids besides


def test_bits_that_no_key_has() -> None:
    """A key has no bits between its words' digits or beyond its turns, and is not negative."""
    random = Random(3)
    keys = PatienceKeys(small_deck("klondike", random), "none", "turns", Question.SOLVE)
    key = keys.encode(keys.deal.position)
    assert keys.encode(keys.decode(key)) == key
    for wrong in (-1, -key, *(key | 1 << bit for bit in (63, 127, 158, 159, 172, 191, 192, 500))):
        with pytest.raises(InputError, match=f"key {wrong} is not the key of a position"):
            keys.decode(wrong)


def test_positions_of_other_games() -> None:
    """All ranks are raised by one, so that cards lie on each other as they do in the deal."""
    deal = Deal.from_number(1, GAMES["canfield"])
    keys, start = PatienceKeys(deal, "none", "turns", Question.SOLVE), deal.position
    assert isinstance(start, Patience) and keys.encode(start) == key_of(keys.root[1:])

    def raised(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple((card + 4) % CARDS for card in cards)

    other = replace(
        start,
        columns=tuple(map(raised, start.columns)),
        stock=raised(start.stock),
        waste=raised(start.waste),
        reserve=raised(start.reserve),
        base=start.base._replace(rank=start.base.rank % 13 + 1),
    )
    other.validate(deal.rules)
    with pytest.raises(InputError, match="the position has another base than the deal"):
        keys.encode(other)
    with pytest.raises(InputError, match="another kind of game, expected one of Klondike's"):
        keys.encode(Deal.from_number(1).position)


@pytest.mark.parametrize("metric", ["plays", "turns"])
def test_a_stock_in_another_order(metric: Metric) -> None:
    """It is that of no position, whether turning it counts or not."""
    deal = Deal.from_number(1, GAMES["klondike"])
    keys, start = PatienceKeys(deal, "none", metric, Question.SOLVE), deal.position
    assert isinstance(start, Patience)
    first, second, *others = start.stock
    position = replace(start, stock=(second, first, *others))
    position.validate(deal.rules)
    with pytest.raises(InputError, match="no game from the deal comes to this position"):
        keys.encode(position)


def test_a_reserve_loses_the_card_on_top_first() -> None:
    deal = Deal.from_number(1, GAMES["canfield"])
    keys, start = PatienceKeys(deal, "none", "turns", Question.SOLVE), deal.position
    assert isinstance(start, Patience)

    def put(position: Patience, name: str, under: str) -> Patience:
        """Return a position after a card has left the reserve for another card."""
        card, lower = parse_card(name), parse_card(under)
        columns = [(*col, card) if col[-1] == lower else col for col in position.columns]
        reserve = tuple(other for other in position.reserve if other != card)
        return replace(position, columns=tuple(columns), reserve=reserve)

    queen = put(start, "QC", "KH")
    for position in (queen, put(queen, "AD", "2S")):
        assert keys.decode(keys.encode(position)) == position
    under_the_queen = put(start, "AD", "2S")
    under_the_queen.validate(deal.rules)
    with pytest.raises(InputError, match="is not the key of a position"):
        keys.encode(under_the_queen)


def runs_of(keys: PatienceKeys, words: NDArray[np.uint64]) -> Runs:
    """Return states (uint64[states, 3]) as the runs of a block."""
    found = np.zeros(len(words), np.uint64)
    signatures(keys.tables, words, found)
    order = np.lexsort((words[:, 0], words[:, 1], words[:, 2], found))
    values, counts = np.unique(found, return_counts=True)
    codes = np.zeros(len(words), np.uint16)
    return Runs(values, counts.astype(np.int64), words[order].ravel(), codes, PLANES)


def block(game: str, random: Random) -> tuple[PatienceKeys, int, Runs]:
    """Return the keys of a deck, and the stratum and the runs of six states of one stratum."""
    found: dict[int, set[int]] = defaultdict(set)
    while True:
        deal = small_deck(game, random)
        keys = PatienceKeys(deal, "none", "turns", Question.SOLVE)
        found.clear()
        for _ in range(40):
            position = deal.position
            while moves := position.moves(deal.rules):
                position = position.apply(random.choice(moves))
                state = keys.state(position)
                if not position.is_goal() and len(found) < 60:
                    found[stratum_of(keys, state)].add(key_of(state[1:]))
                if random.random() < 0.05:
                    break
        for stratum, alike in found.items():
            if len(alike) >= 6:
                words = np.array([words_of(key) for key in sorted(alike)[:6]], np.uint64)
                return keys, stratum, runs_of(keys, words)


def stratum_of(keys: PatienceKeys, state: State) -> int:
    """Return the stratum of a state."""
    signature = np.array([state.signature], np.uint64)
    return int(progress_of(keys.tables, signature, keys.locked)[0])


def record(stratum: int, runs: Runs) -> bytes:
    first, last = int(runs.signatures[0]), int(runs.signatures[-1])
    return closed_key(b"C", BlockKey(20, stratum, first, last, 1))


def refused(keys: PatienceKeys, key: bytes, runs: Runs) -> str:
    """Return what is wrong with a block, by the check of blocks that are read."""
    with pytest.raises(StoreError, match="here: the block is wrong: ") as caught:
        Intake(keys)(key, runs, "here")
    return str(caught.value).partition("wrong: ")[2]


def test_blocks_that_kernels_may_not_see() -> None:
    """Each state of a block is looked at."""
    keys, stratum, runs = block("klondike_by_threes", Random(5))
    key, waiting = record(stratum, runs), pending_key(b"P", 20, stratum, 1)
    Intake(keys)(key, runs, "here")
    for place in range(6):
        words = runs.keys.copy()
        words[3 * place] |= np.uint64(1 << 63)
        assert refused(keys, key, replace(runs, keys=words)) == "keys that cannot be"
    assert refused(keys, key, replace(runs, codes=np.zeros(6, np.uint8))) == (
        "parent-move codes that cannot be"
    )
    assert refused(keys, key, replace(runs, key_words=1)) == "keys that cannot be"
    more = replace(runs, extra=np.zeros(6, np.uint16))  # which only pending states have
    assert refused(keys, key, more) == "numbers that only pending states have"
    Intake(keys)(waiting, more, "here")
    other = runs.signatures.copy()
    other[-1] ^= np.uint64(1 << STOCK_SHIFT)
    assert refused(keys, waiting, replace(runs, signatures=other)) == "keys of other signatures"
    first, last = int(runs.signatures[0]), int(runs.signatures[-1])
    for names in ((first + 1, last), (first, last + 1)):
        wrong = closed_key(b"C", BlockKey(20, stratum, *names, 1))
        assert refused(keys, wrong, runs) == "signatures that its key does not name"
    assert refused(keys, record(stratum + 1, runs), runs) == ("signatures of another stratum")


def seen(keys: PatienceKeys, *moved: str, waste: int = 0, turns: int = 0) -> bool:
    """Return True if kernels may see the deal's state after changes.

    Each is a card and its new place, "home", "bottom", a digit, or the card that it lies on.
    """
    key = key_of(keys.root[1:]) | waste << WASTE_SHIFT + 128 | turns << TURNS_SHIFT + 128
    for words in moved:
        card, place = words.split()
        number = keys.base.counted(parse_card(card))
        digit = {"home": HOME, "bottom": BOTTOM}.get(place)
        if digit is None and place.isdecimal():
            digit = int(place)
        if digit is None:
            lower = keys.base.counted(parse_card(place))
            digit = 1 + keys.game.parents[number].tolist().index(lower)
        word, field = divmod(number, PER_WORD)
        shift = 64 * word + 3 * field
        key = key & ~(7 << shift) | digit << shift
    return keys.are_keys(np.array(words_of(key), np.uint64))


def test_each_thing_that_kernels_trust() -> None:
    keys = PatienceKeys(Deal.from_number(1, GAMES["klondike"]), "none", "turns", Question.SOLVE)
    for sound in ((), ("AH home",), ("AS home", "AH home")):
        assert seen(keys, *sound)
    assert not seen(keys, "AH 7")
    assert not seen(keys, "AH 3")  # on a card that no ace may be put on
    assert not seen(keys, "2S home")  # without the ace
    assert not seen(keys, "AH bottom")  # of an eighth column
    assert not seen(keys, "QH KC")  # where the king of hearts was dealt
    assert seen(keys, "QH KC", "KH bottom")
    assert not seen(keys, "QH KC", "KH bottom", "JC QH")  # which lies on the jack then
    assert not seen(keys, "5C 6H")  # which is in the stock
    assert not seen(keys, "6H home", "AH home")
    assert seen(keys, waste=24) and not seen(keys, waste=25)
    assert seen(keys, "4H 5C", waste=23) and not seen(keys, "4H 5C", waste=24)
    assert not seen(keys, turns=1)
    limited = replace(GAMES["klondike"], passes=2)
    keys = PatienceKeys(Deal.from_number(1, limited), "none", "turns", Question.SOLVE)
    assert seen(keys, turns=1) and not seen(keys, turns=2)


def test_each_thing_that_kernels_trust_of_a_reserve() -> None:
    keys = PatienceKeys(Deal.from_number(1, GAMES["canfield"]), "none", "turns", Question.SOLVE)
    assert seen(keys, "QC KH") and seen(keys, "QC KH", "AD 2S")
    assert not seen(keys, "AD 2S")  # from under the queen
    assert not seen(keys, "JC home")
    assert not seen(keys, "2S 3H")  # a column is empty, and the reserve has cards for it


@pytest.mark.parametrize("passes", [0, 3])
@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes"])
def test_positions_before_the_stock_was_turned(game: str, passes: int) -> None:
    """All that turning alone leads from: those before, and later ones where it never ends."""
    rules = replace(GAMES[game], passes=passes)
    deal = Deal.from_number(1, rules)
    keys = PatienceKeys(deal, "none", "turns", Question.SOLVE)
    path = [deal.position]
    while len(path) < 80 and (moves := path[-1].moves_of_stock(rules)):  # type: ignore[attr-defined]
        path.append(path[-1].apply(moves[0]))
    assert (len(path) < 80) == (passes > 0)
    encoded = [keys.state(position) for position in path]
    for place in range(0, len(path), 7):
        before = set(keys.states(path[place]))
        assert set(encoded[: place + 1]) <= before
        if passes:
            assert not before & set(encoded[place + 1 :])
        else:
            assert set(encoded) <= before


def test_positions_before_a_play_of_the_waste_are_not_turned_to() -> None:
    """A stock that is turned by threes from its beginning passes by what a play has left."""
    rules = GAMES["klondike_by_threes"]
    deal = Deal.from_number(1, rules)
    keys, dealt = PatienceKeys(deal, "none", "turns", Question.SOLVE), deal.position
    assert isinstance(dealt, Patience)
    cards, ace = dealt.stock, next(card for card in dealt.stock if card < 4)
    left = tuple(card for card in cards if card != ace)
    heights = [int(card == ace) for card in range(4)]
    assert len(left) % 3 == 2
    for waste in (1, 5, 13):
        position = replace(
            dealt,
            foundations=(heights[0], heights[1], heights[2], heights[3]),
            waste=left[:waste],
            stock=left[waste:],
        )
        before = [
            replace(position, waste=left[:sooner], stock=left[sooner:])
            for sooner in range(waste % 3, waste + 1, 3)
        ]
        assert set(keys.states(position)) == set(map(keys.state, before))


def test_a_card_that_is_back_where_its_column_began() -> None:
    """It has come to an empty column, though its digit is as the deal's."""
    deal = Deal.from_number(1, GAMES["klondike"])
    keys = PatienceKeys(deal, "none", "turns", Question.SOLVE)
    won = State(keys.goal, *words_of(WON))
    for column in deal.position.columns:
        assert keys.step(keys.root, column[0]) == (column[0], PLACE_BOTTOM)
        assert keys.step(won, column[0]) == (column[0], PLACE_HOME)


def test_won_in_words() -> None:
    """The waste and the turns left say nothing of a win, each card does."""
    keys = PatienceKeys(Deal.from_number(1, GAMES["klondike"]), "none", "turns", Question.SOLVE)

    def is_won(key: int) -> bool:
        """Return True if the signature of the state with a key is that of a win."""
        (state,) = patience_states(keys, np.array([words_of(key)], np.uint64))
        return state.signature == keys.goal

    assert is_won(WON) and is_won(WON | 5 << 128 + WASTE_SHIFT)
    assert is_won(WON | 5 << 128 + TURNS_SHIFT)
    for shift in FIELDS:
        assert not is_won(WON ^ 1 << shift + 2)


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes"])
def test_turns_that_cost_nothing_make_no_other_key(game: str) -> None:
    """A waste that turning leads to from none is as none, until a play leaves another number."""
    rules = GAMES[game]
    deal = Deal.from_number(1, rules)
    free = PatienceKeys(deal, "none", "plays", Question.SOLVE)
    counted = PatienceKeys(deal, "none", "turns", Question.SOLVE)
    position = deal.position
    assert isinstance(position, Patience)
    turned = [position]
    while turned[-1].stock:
        turned.append(turned[-1].apply(turned[-1].moves_of_stock(rules)[0]))
    assert len(turned) == 1 + 24 // rules.draw
    assert {free.state(one) for one in turned} == {free.root}
    assert free.position(free.root) == position
    assert len({counted.encode(one) for one in turned}) == len(turned)
    ace = next(card for card in position.stock if card < 4)
    left = tuple(card for card in position.stock if card != ace)
    heights = [int(card == ace) for card in range(4)]
    found = set()
    for waste in range(len(left) + 1):
        played = replace(
            position,
            foundations=(heights[0], heights[1], heights[2], heights[3]),
            waste=left[:waste],
            stock=left[waste:],
        )
        key = free.encode(played)
        read = free.decode(key)
        assert len(read.waste) == (0 if waste % rules.draw == 0 or waste == 23 else waste)
        assert (*read.waste, *read.stock) == left
        found.add(key)
    assert len(found) == (1 if rules.draw == 1 else 16)


def test_a_key_of_an_empty_column_beside_a_reserve() -> None:
    """It is that of no position, as the reserve fills the column at once."""
    keys = PatienceKeys(Deal.from_number(1, GAMES["canfield"]), "none", "turns", Question.SOLVE)
    card, lower = (keys.base.counted(parse_card(name)) for name in ("2S", "3H"))
    digit = 1 + keys.game.parents[card].tolist().index(lower)
    shift = 64 * (card // PER_WORD) + 3 * (card % PER_WORD)
    root = keys.encode(keys.deal.position)
    assert not root >> shift & 7
    wrong = root | digit << shift
    with pytest.raises(InputError, match=f"key {wrong} is not the key of a position"):
        keys.decode(wrong)


@pytest.mark.parametrize("game", ["canfield", "klondike_by_threes"])
def test_parents_by_the_codes_of_kernels(game: str) -> None:
    """Cards of columns that the reserve fills, and plays after the waste was turned over."""
    random = Random(game)
    deal = Deal.from_number(1, replace(GAMES[game], passes=3))
    keys = PatienceKeys(deal, "none", "turns", Question.PROVE)
    board, found = make_board(), make_found()
    filled = over = 0
    for _ in range(8):
        state = keys.root
        for _ in range(30):
            count = moves_of(keys.game, patience_words(state), board, found)
            if not count:
                break
            after = patience_states(keys, found.words[:count])
            before = keys.decode(key_of(state[1:]))
            for child, code in zip(after, found.codes[:count].tolist(), strict=True):
                assert keys.parent(child, code) == state
                later = keys.decode(key_of(child[1:]))
                card, _ = keys.step(child, code)
                stays = card not in before.reserve
                filled += stays and len(before.reserve) > len(later.reserve)
                over += before.turns != later.turns
            state = random.choice(after)
    assert (filled > 5) == (game == "canfield") and over > 5


def test_a_card_that_lies_as_dealt_has_the_place_of_a_step() -> None:
    """Be it on nothing, or on a card that it might have been put on."""
    rules, kinds = GAMES["whitehead"], set()
    for number in range(1, 60):
        deal = Deal.from_number(number, rules)
        keys, dealt = PatienceKeys(deal, "none", "turns", Question.SOLVE), deal.position
        assert isinstance(dealt, Patience)
        for index, column in enumerate(dealt.columns):
            card = column[-1]
            if len(column) > 1 and not dealt.can_stack(card, column[-2], rules):
                continue
            columns = (*dealt.columns[:index], column[:-1], *dealt.columns[index + 1 :])
            before = replace(dealt, columns=columns, waste=(card,))
            step = keys.step_of(before, Move(card, WASTE, Place("column", index)))
            assert keys.step(keys.root, card) == step
            kinds.add(step[1])
    assert kinds == {PLACE_BOTTOM, *range(len(rules.parent_kinds))}


def test_codes_name_cards_as_people_see_them() -> None:
    """Kernels count ranks from the base that a deal gives."""
    bases = set()
    for number in range(1, 6):
        keys = PatienceKeys(
            Deal.from_number(number, GAMES["canfield"]), "none", "turns", Question.SOLVE
        )
        bases.add(keys.base)
        won = State(keys.goal, *words_of(WON))
        for card in range(CARDS):
            assert keys.step(won, keys.base.counted(card) | 1 << 6) == (card, PLACE_HOME)
    assert len(bases) > 1
