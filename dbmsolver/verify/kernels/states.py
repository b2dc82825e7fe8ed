"""States of either kind of keys, by one name for each thing that is asked of them.

Which function it is, the class of the tables decides: planes of cards, or digits of cards
(:mod:`dbmsolver.verify.kernels.planes`, :mod:`dbmsolver.verify.kernels.digits`).
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels import digits, planes
from dbmsolver.verify.kernels.board import nothing_laid
from dbmsolver.verify.kernels.bound import lower_bound
from dbmsolver.verify.kernels.class_bound import moves_by_class
from dbmsolver.verify.kernels.class_layout import LaidClass, make_board
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.distance_table import NO_CLASS
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.stock_bound import least


@inlined
def _bound_of_planes(f, board, laid, scratch):
    return lower_bound(f.rules, board, laid)


@inner
def _bound_of_digits(d, board, laid, scratch):
    moves = least(d.rules, board, laid)
    if d.distances.known:
        by_class = moves_by_class(d, board, laid, scratch)
        moves = by_class if by_class == NO_CLASS else max(moves, by_class)
    return moves


def _either(of_planes, of_digits):  # type: ignore[no-untyped-def]
    return ByType({Format: of_planes, DigitFormat: of_digits})


take_signature = _either(planes.take_signature, digits.sets_of_digits)
lay_out = _either(planes.lay_out, digits.lay_digits)
lay_before = _either(planes.lay_before, digits.lay_digits)
after_move = _either(planes.after_move, digits.make_move)
put_back = _either(planes.put_back, digits.undo_move)
hash_public = _either(planes.hash_public, digits.hash_digits)
touched = _either(planes.touched_planes, digits.touched_digit)
code_fits = _either(planes.any_code, digits.is_root_code)
bound_of = _either(_bound_of_planes, _bound_of_digits)
"""A lower bound of the moves to come; NO_CLASS where no moves from the deal lead to the class."""


def bound_scratch(form: Format | DigitFormat) -> LaidClass | tuple[()]:
    """Return the scratch memory of one thread for lower bounds."""
    return make_board(form.distances.game) if isinstance(form, DigitFormat) else ()


@kernel
def lay_words(f, words, board):
    """Lay a state out that is an array of its four words: (error, the rest of the position)."""
    error, home, locked = take_signature(f, words[0])
    if error:
        return error, nothing_laid()
    return lay_out(f, State(words[0], home, locked, words[1], words[2], words[3]), board)


@kernel
def bound_of_words(f, words, board, scratch):
    """Return (error, the lower bound of a state, which is an array of four words)."""
    error, laid = lay_words(f, words, board)
    return error, 0 if error else bound_of(f, board, laid, scratch)
