"""States of games of columns, by one name for each thing that is asked of them.

Which function it is, the class of the tables decides: planes of cards, or digits of cards
(:mod:`dbmsolver.verify.kernels.planes`, :mod:`dbmsolver.verify.kernels.digits`).
"""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels import digits, planes
from dbmsolver.verify.kernels.board import Board, make_board, nothing_laid
from dbmsolver.verify.kernels.bound import lower_bound
from dbmsolver.verify.kernels.class_bound import moves_by_class
from dbmsolver.verify.kernels.class_layout import LaidClass
from dbmsolver.verify.kernels.class_layout import make_board as make_class_board
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.distance_table import NO_CLASS
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.stock_bound import least


class Table(NamedTuple):
    """Scratch memory of one thread: the board, and that for distances of classes."""

    board: Board
    classes: LaidClass | tuple[()]


def make_table(form: Format | DigitFormat) -> Table:
    """Return scratch memory."""
    classes = make_class_board(form.distances.game) if isinstance(form, DigitFormat) else ()
    return Table(make_board(), classes)


@inlined
def bound_of_planes(f, table, laid):
    """Return a lower bound of the moves to come."""
    return lower_bound(f.rules, table.board, laid)


@inner
def bound_of_digits(d, table, laid):
    """Return the same for digits: where distances of classes are known, by these, too."""
    moves = least(d.rules, table.board, laid)
    if d.distances.known:
        by_class = moves_by_class(d, table.board, laid, table.classes)
        moves = by_class if by_class == NO_CLASS else max(moves, by_class)
    return moves


def _either(of_planes, of_digits):  # type: ignore[no-untyped-def]
    return ByType({Format: of_planes, DigitFormat: of_digits})


take_signature = _either(planes.take_signature, digits.sets_of_digits)
lay_out = _either(planes.lay_out, digits.lay_digits)
after_move = _either(planes.after_move, digits.make_move)
code_of = _either(planes.code_of_move, digits.code_of_play)
hash_public = _either(planes.hash_public, digits.hash_digits)
bound_of = _either(bound_of_planes, bound_of_digits)
"""A lower bound of the moves to come; NO_CLASS where no moves from the deal lead to the class."""


@kernel
def lay_words(f, words, board):
    """Lay a state out that is an array of its four words: (error, the rest of the position)."""
    error, home, locked = take_signature(f, words[0])
    if error:
        return error, nothing_laid()
    return lay_out(f, State(words[0], home, locked, words[1], words[2], words[3]), board)


@kernel
def bound_of_words(f, words, table):
    """Return (error, the lower bound of a state, which is an array of four words)."""
    error, laid = lay_words(f, words, table.board)
    return error, 0 if error else bound_of(f, table, laid)
