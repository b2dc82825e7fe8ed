"""Keys of games whose cards only leave, for authors of other readers, and their meaning.

**Games of one pile**

**Public key**, a word: bits 0 to 5 are the card on top of the pile, 52 where it is empty. From bit
6 on stands how many cards the stock has left, in as many bits as the number in the deal needs (none
for 0), and above it the same for each column. Cards leave a column from the top, the stock in its
order. So the key says what lies where, but for the order of the pile below its top.

**First columns**: as few as leave a product of at most 131,072, of the cards of each other column
plus 1; without a stock, of at most 2,097,152. **Signature**: the fields of the stock and of the
first columns, from bit 0 on. **Local key**, one word: the card on top in bits 0 to 5, above it the
fields of the other columns.

**Stratum**: the cards that have left the stock and the first columns. **Layer**, of a search for a
shortest solution: the cards in the columns of the deal, plus those that the stock has lost. Won
states, which are never closed, have bit 63 in their signature, and come after all others.

**Parent-move code**: the card that was on top before the last move, 52 where the pile was empty; 53
for the deal itself. The card that moved is on top now.

**Digest**: as of other games, of public keys that have two words: the key, and 0.

**Pairing games**

Cards of stock and waste are numbered as they came from the deal, from 1: the waste's first. *S* is
their number. Column *n* of the pyramid has the *n*-th card of each row, the highest row first.

**Local key**, one word: from bit 0 on the number of the waste's top card, 0 for none, in as many
bits as S needs; then how often the waste has been turned over, in as many bits as the number of
times needs that it may be; then S bits, for the cards that are left in stock and waste. **Public
key**, a word: the same, and above it how many cards each column has left, the first in the lowest
bits, each in as many bits as its number in the deal needs. **Signature**: the columns' bits, from
bit 0 on, and above them the layer, 0 in a proof.

**Stratum**: the cards that have left the pyramid. **Layer**, of a search for a shortest solution:
the moves made, of which turning the waste over is none, plus the fewest removals that take what has
to go. Where that is the pyramid, these are the kings in it, of ranks that make pairs with each
other the larger of their two numbers, and half of a rank that makes pairs with itself.

**Parent-move code**: below 192 the pair that was removed, above it a king. Half of the code is four
times the lower card, ranks counted from the lowest of the deck, plus the suit of the other card; or
96 plus the suit of the king. Its last bit is 1 if a card was from the stock, and none from the
waste. 200: a card was turned. 201: the waste was turned over. 202: the deal itself.

**Digest**: as of other games, of public keys that have two words: the key, and the layer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.kinds import is_position
from dbmsolver.verify.kernels.leaving import (
    EMPTY,
    KING,
    LeavingKeys,
    Pairs,
    Pile,
    fewest_removals,
    key_of,
    make_table,
)
from dbmsolver.verify.kernels.words import Ints
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import StateWords

_MOST_LENGTHS = {True: 1 << 17, False: 1 << 21}
"""With a stock, and without."""
_TOP_BITS = 6
_CODE_OF_DEAL = {Pile: 53, Pairs: 202}


def keys_of_leaving(deal: Deal, layered: bool) -> Keys:
    """Return keys of a game whose cards only leave; ``layered`` if its search had layers."""
    return (_keys_of_pile if deal.rules.has_pile else _keys_of_pairs)(deal, layered)


def _keys(
    deal: Deal,
    game: Pile | Pairs,
    layer: int,
    position: Callable[[Deal, list[int]], Position | None],
) -> Keys:
    """Return the keys of a game; ``layer`` is that of the deal, ``position`` shows a state."""
    form = game.keys

    def shown(words: StateWords) -> Position | None:
        fields = fields_of(game, words[0])
        return None if fields is None else position(deal, fields)

    return Keys(
        noun="position",
        tables=game,
        form=form,
        root=(int(key_of(form, form.first)), layer if form.tells_layer else 0, 0, 0),
        root_stratum=0,
        words=2,
        code_bytes=1,
        position=shown,
        make_table=partial(make_table, form.first.size),
        root_made=layer,
        root_code=_CODE_OF_DEAL[type(game)],
        free=True,
    )


def fields_of(game: Pile | Pairs, key: int) -> list[int] | None:
    """Return the state of a key; None if it is no position of the deal."""
    state = np.zeros(game.keys.first.size, np.int64)
    if key >> 64 or not is_position(game, np.uint64(key), state):
        return None
    return state.tolist()


def _cards_of(piles: list[list[int]]) -> Ints:
    """Return the cards of each pile, int64[piles, *], filled up with -1."""
    cards = np.full((len(piles), max(1, *map(len, piles))), -1, np.int64)
    for number, pile in enumerate(piles):
        cards[number, : len(pile)] = pile
    return cards


def _piles_of(deal: Deal) -> list[list[int]]:
    """Return the cards of each column and of the stock; the last one goes first."""
    return [[*column] for column in (*deal.position.columns, deal.position.stock[::-1])]


def _keys_of_pile(deal: Deal, layered: bool) -> Keys:
    """Return the keys of a game of one pile."""
    position, piles = deal.position, _piles_of(deal)
    lengths = [len(pile) for pile in piles]
    widths = [length.bit_length() for length in lengths]
    below = _TOP_BITS + widths[-1]
    shifts = [below + sum(widths[:number]) for number in range(len(widths) - 1)]
    rest = [prod(length + 1 for length in lengths[n:-1]) for n in range(len(lengths))]
    most = _MOST_LENGTHS[bool(position.stock)]
    first = next(n for n, product in enumerate(rest) if product <= most)
    form = LeavingKeys(
        shifts=np.array([*shifts, _TOP_BITS, 0], np.int64),
        masks=np.array([(1 << width) - 1 for width in [*widths, _TOP_BITS]], np.int64),
        first=np.array([*lengths, position.pile[-1] if position.pile else EMPTY], np.int64),
        cut=_TOP_BITS,
        signature_bits=below + sum(widths[:first]) - _TOP_BITS,
        local_bits=_TOP_BITS + sum(widths[first:-1]),
        tells_layer=False,
    )
    source, depth = np.full(EMPTY + 1, -1, np.int64), np.zeros(EMPTY + 1, np.int64)
    for number, pile in enumerate(piles):
        source[pile], depth[pile] = number, range(len(pile))
    game = Pile(
        keys=form,
        columns=len(position.columns),
        cards=_cards_of(piles),
        source=source,
        depth=depth,
        ranks=13 - position.foundations[0],
        wraps=deal.rules.pile == "wrap",
        turns_count=layered,
    )
    return _keys(deal, game, sum(lengths[:-1]) if layered else 0, _position_of_pile)


def _position_of_pile(deal: Deal, fields: list[int]) -> OnePile:
    """Return a position with these fields: the lower cards of its pile are in their order."""
    piles, (*left, top) = _piles_of(deal), fields
    columns = [tuple(pile[:number]) for pile, number in zip(piles, left, strict=True)]
    gone = [card for pile, n in zip(piles, left, strict=True) for card in pile[n:]]
    below = sorted({*(deal.position.pile or ()), *gone} - {top})
    return OnePile(
        tuple(columns[:-1]),
        (),
        deal.position.foundations,
        pile=(*below, *([] if top == EMPTY else [top])),
        stock=columns[-1][::-1],
    )


def _keys_of_pairs(deal: Deal, layered: bool) -> Keys:
    """Return the keys of a pairing game."""
    position = deal.position
    columns, held = [list(column) for column in position.columns], _held_in(deal)
    size, turns = len(held), position.turns or 0
    # In a key the columns come last.
    widths = [size.bit_length(), turns.bit_length(), size]
    widths += [len(column).bit_length() for column in columns]
    shifts = [sum(widths[:field]) for field in range(len(widths))]
    masks = [(1 << width) - 1 for width in widths]
    form = LeavingKeys(
        shifts=np.array([*shifts[3:], *shifts[:3]], np.int64),
        masks=np.array([*masks[3:], *masks[:3]], np.int64),
        first=np.array([*map(len, columns), len(position.waste), 0, (1 << size) - 1], np.int64),
        cut=sum(widths[:3]),
        signature_bits=sum(widths[3:]),
        local_bits=sum(widths[:3]),
        tells_layer=True,
    )
    cards, number = _cards_of([*columns, held]), np.zeros(CARDS, np.int64)
    number[held] = range(size)
    pyramid = deal.rules.pairs == "pyramid"
    game = Pairs(
        keys=form,
        columns=len(columns),
        cards=cards,
        number=number,
        held=size,
        lowest=min(position.foundations),
        turns=turns,
        free_stock=deal.rules.free_stock,
        stock_goes=deal.rules.pairs == "all",
        turns_count=layered,
        removals_count=layered and pyramid,
    )
    least = (int((cards >= 0).sum()) + int((cards >> 2 == KING).sum())) // 2
    if pyramid:
        least = int(fewest_removals(game, form.first, np.empty(13, np.int64)))
    return _keys(deal, game, least if layered else 0, _position_of_pairs)


def _held_in(deal: Deal) -> list[int]:
    """Return the cards of waste and stock, as they are numbered."""
    return [*deal.position.waste, *deal.position.stock]


def _position_of_pairs(deal: Deal, fields: list[int]) -> Position | None:
    """Return the position with these fields; None if there is none."""
    dealt, cards = deal.position, _held_in(deal)
    *left, number, turns, held = fields
    columns = tuple(
        tuple(column[:length]) for column, length in zip(dealt.columns, left, strict=True)
    )
    numbered = [(n, card) for n, card in enumerate(cards, 1) if held >> n - 1 & 1]
    waste = tuple(card for n, card in numbered if n <= number)
    stock = tuple(card for n, card in numbered if n > number)
    kept = {*waste, *stock}.union(*columns)
    gone = set(cards).union(*dealt.columns) - kept
    position = dealt.rearranged(
        columns=columns,
        waste=waste,
        stock=stock,
        turns=(dealt.turns or 0) - turns,
        removed=(*dealt.removed, *sorted(gone)),
    )
    try:
        position.validate(deal.rules)
    except InputError:
        return None
    return position
