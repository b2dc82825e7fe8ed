"""Moves of Klondike's solvers: each word, the deals around them, and what they refuse."""

from __future__ import annotations

from functools import cache

import pytest

from dbmsolver import api
from dbmsolver.errors import InputError
from dbmsolver.game.boards import format_board
from dbmsolver.game.cards import suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.decks import DIGITS
from dbmsolver.game.moves import STOCK
from dbmsolver.game.numbers import Numbers
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source, klondike_moves
from dbmsolver.notation.formats.klondike_moves import format_of_moves
from dbmsolver.notation.solution import Solution

KLONDIKE, THREES = GAMES["klondike"], GAMES["klondike_by_threes"]
NEAR_THE_END = "Foundations: H-J C-J D-J S-J\nStock: QC KC QH KH\nKD QD\nKS QS\n"


def read(text: str, deal: Deal | str | None = None, game: str | None = None) -> Solution:
    return formats.read(Source(text, "f"), format_of_moves(text), Given(deal=deal, game=game))


def refused(text: str, deal: Deal | str | None = None, game: str | None = None) -> str:
    with pytest.raises(InputError) as error:
        read(text, deal, game)
    return str(error.value)


def start(board: str = NEAR_THE_END) -> Deal:
    return Deal.from_text(board, KLONDIKE)


def steps(solution: Solution) -> list[str]:
    """Return each step: where from, how many cards, where to."""
    return [
        f"{step.source.kind}{step.source.index} {step.count} "
        f"{step.destination.kind}{step.destination.index}"
        for step in solution.steps
    ]


def test_formats_of_lines() -> None:
    for text, found in (
        ("DR7 W1 31-2 F3 3C NEW H1", "klondike-solver"),
        ("Moves: NEW", "klondike-solver"),
        ("DR7 W8", None),
        ("31-2 3C", None),
        ("@@AL KL CF", "minimal-klondike"),
        ("Moves: KL", "minimal-klondike"),
        ("KL", None),
        ("@@AM", None),
        ("DR7 #1 W1 31-2", "klondike-solver"),
        ("# DR7 W1 31-2", None),
        ("26 72  # W1", None),
        ("# @@AL KL", None),
        ("# a\x85DR7", None),
        ("", None),
        ("moves: dr7 w1", "klondike-solver"),
        ("@@al kl cf", "minimal-klondike"),
        ("moves: @al kl", "minimal-klondike"),
        ("Moves: ah bh", None),
        ("moves: AH BH", None),
        ("ah bh ch @ safe", None),
    ):
        assert format_of_moves(f"words\n\n{text}\n") == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DR7 W9 31-2", "line 1, column 5: unknown move 'W9', expected moves as in DR7 W1"),
        ("DR1 DR2\nNEW 31-2 W1 Q3", "line 2, column 13: unknown move 'Q3'"),
        ("@@AL ZL KL", "line 1, column 6: unknown move 'ZL', expected moves as in @@AL KL"),
        ("Moves: @AL BC 3C", "line 1, column 15: unknown move '3C'"),
        ("moves: @al bc 3c", "line 1, column 15: unknown move '3c'"),
    ],
)
def test_a_mistyped_move_is_named(text: str, message: str) -> None:
    """A line is not taken for another text, or left out, for one of its words."""
    assert message in refused(text, start())


@pytest.mark.parametrize("line, numbers", [("Game: 3", "klondike-solver"), ("ran: 3", "ksolve")])
def test_the_number_of_a_deal_before_its_moves(line: str, numbers: Numbers) -> None:
    found = read(f"{line}\nDR1\n")
    assert found.deal == Deal.load("3", KLONDIKE, numbers=numbers)


def test_each_word_of_klondike_solver() -> None:
    board = "Foundations: H-T C-K D-Q S-J\nWaste: QH JH\nStock: KD\nKS QS\nKH\n"
    found = read("WH-2 1S F1 1S DR1 WD 2H", start(board))
    assert steps(found) == [
        "waste0 1 foundation0",
        "waste0 1 foundation0",
        "column0 1 foundation1",
        "column0 1 foundation1",
        "stock0 1 waste0",
        "waste0 1 foundation2",
        "column1 1 foundation0",
    ]
    assert found.final.is_goal()
    assert steps(read("DR4 NEW", start())) == ["stock0 1 waste0"] * 4 + ["waste0 4 stock0"]


# Cards that are turned up


@cache
def written(deal: Deal, by_cards: bool = False) -> str:
    """Return a solution as Klondike-Solver writes it: `F3` behind each card that is turned up.

    With ``by_cards``, draws are counted as KSolve does.
    """
    words, position, draws = [], deal.position, 0
    for move in api.solve(deal, any_solution=True, threads=1).moves:
        assert isinstance(position, Patience)
        before, position = position, position.apply(move)
        assert isinstance(position, Patience)
        source, target = move.source, move.destination
        if source == STOCK:
            draws += move.count if by_cards else 1
            continue
        words += [f"DR{draws}"] * bool(draws)
        draws = 0
        if target == STOCK:
            words.append("NEW")
            continue
        names = {"foundation": "HSDC"[suit(move.card)], "waste": "W"}
        word = names.get(source.kind, str(source.index + 1))
        word += names.get(target.kind, str(target.index + 1))
        words.append(word + f"-{move.count}" * (move.count > 1))
        if position.hidden != before.hidden:
            words.append(f"F{source.index + 1}")
    return " ".join(words)


def test_cards_turned_up_as_klondike_solver_writes_them() -> None:
    """It tells each card that a move turns up: 21 in a deal. None of the words is a move."""
    text = written(read("Game: 6\nDR1").deal)
    words = text.split()
    told = [index for index, word in enumerate(words) if word[0] == "F"]
    assert len(told) == 21
    found = read("Game: 6\n" + text)
    assert found.final.is_goal()
    assert read("game: 6\n" + text.lower()).steps == found.steps
    assert read("Game: 6\n" + " ".join(word for word in words if word[0] != "F")) == found
    for index in told:
        twice = " ".join([*words[: index + 1], *words[index:]])
        assert f": '{words[index]}' says that a card of column" in refused(f"Game: 6\n{twice}")


def test_draws_of_several_cards_are_counted_in_either_way() -> None:
    """Klondike-Solver counts draws, KSolve cards; of a stock that ends with fewer, these."""
    deal = Deal.from_number(3, THREES)
    by_draws, by_cards = written(deal), written(deal, by_cards=True)
    assert by_draws != by_cards and read(by_draws, deal).final.is_goal()
    assert read(by_cards, deal) == read(by_draws, deal)
    assert "'DR4'" in refused("DR4 W1", Deal.from_text(NEAR_THE_END, THREES))


@pytest.mark.parametrize(
    ("stated", "game", "noted"),
    [
        ("Minimal solution in 12 moves + 1 flips in 1 pass.", "klondike", False),
        ("Minimal solution in 10 moves + 1 flips in 1 pass.", "klondike_by_threes", False),
        ("Solved in 13 moves. Took 3 ms.", "klondike", False),
        ("Solved in 11 moves. Took 3 ms.", "klondike_by_threes", False),
        ("(Deal State: Solved Foundation: 52 Moves: 10 Rounds: 1)", "klondike_by_threes", False),
        ("Solved in 14 moves. Took 3 ms.", "klondike", True),
        ("", "klondike", True),
    ],
)
def test_moves_that_win_in_two_games(stated: str, game: str, noted: bool) -> None:
    """The length that the text states tells which; without it a note tells that both can be."""
    board = "Foundations: H-J C-J D-J S-J\nStock: KC QC QH KH\n: <KD> QD\n: KS QS\n"
    text = f"{board}\n{stated}\nDR3 WH WC WC DR1 WH 1D F1 1D 2S 2S\n"
    found = read(text)
    assert found.final.is_goal() and found.rules == GAMES[game]
    note = "f: read as klondike; the moves win in klondike_by_threes, too (--game)"
    assert found.notes == ((note,) if noted else ())
    for given in ("klondike", "klondike_by_threes"):
        assert read(text, game=given).notes == ()


@pytest.mark.parametrize(
    ("words", "column"),
    [("F5 64", 1), ("64 F4 F6", 4), ("64 F6 F6", 7), ("64 DR4 f7", 8), ("64 72 7H F7 F7", 13)],
)
def test_a_card_that_is_not_turned_up(words: str, column: int) -> None:
    """One that is told before its move, of another column, or twice."""
    word = words[column - 1 :][:2]
    assert refused(f"Game: 6\n{words} DR1") == (
        f"f, line 2, column {column}: {word!r} says that a card of column {word[1]} is turned up, "
        "expected that behind the move that uncovers one lying face down"
    )


def test_words_of_cards_turned_up_that_are_not_refused() -> None:
    """Later than programs write them; of an empty column, as KSolve did; after the win."""
    assert len(read("Game: 6\n64 72 F7 7H DR4 F6 F7").steps) == 7
    deal = start("Foundations: H-J C-K D-J S-K\n<KH> QH\nQD\nKD\n")
    assert len(read("2D F2 1H F1 1H 3D NEW F5", deal).steps) == 4
    assert "'F3' says" in refused("2D F3 1H F1 1H 3D NEW F5", deal)


def test_places_of_words() -> None:
    assert refused(" DR1\nDR1  W1", start()).startswith("f, line 2, column 6: illegal move 3 'W1'")
    assert refused("Moves: @AF", start()).startswith("f, line 1, column 8: illegal move 2 '@AF'")
    assert refused("NEW DR1", start()).startswith("f, line 1, column 1: illegal move 1 'NEW'")
    empty = start("Foundations: H-K C-K D-K S-Q\nKS\n")
    for text in ("NEW", "DR1", "@"):
        assert refused(text, empty).startswith(f"f, line 1, column 1: illegal move 1 '{text}': ")


@pytest.mark.parametrize("text", ["@AH GC FC FE HE", "DR1 W3 2D 1D 1H 3H"])
def test_letters_of_either_case(text: str) -> None:
    deal = start("Foundations: H-J C-K D-J S-K\nStock: KH\nQH KD\nQD\n")
    found = read(text, deal)
    assert found.final.is_goal()
    for other in (text.lower(), f"Moves: {text}", f"moves: {text.lower()}"):
        assert read(other, deal) == found


def test_the_last_cards_of_a_stock_by_threes() -> None:
    deal = Deal.from_text(NEAR_THE_END, THREES)
    found = read("DR2 NEW", deal)
    assert [step.count for step in found.steps] == [3, 1, 4]
    assert found.rules == THREES
    found = read("@@@", deal)
    assert [step.count for step in found.steps] == [3, 1, 4, 3]


def test_runs_without_a_length_are_of_cards_face_up() -> None:
    deal = start("Foundations: H-T C-T D-T S-T\n<KD> KS QH JS\nKH QC JD\nKC QD JC JH\nQS\n")
    assert steps(read("Moves: FJ", deal)) == ["column0 3 column4"]
    assert steps(read("Moves: HI", deal)) == ["column2 1 column3"]
    assert "illegal move 1 'IJ'" in refused("Moves: IJ", deal)


@pytest.mark.parametrize("game", ["yukon", "forty_thieves", "pyramid", "freecell", "canfield"])
def test_games_without_stock_or_of_other_kinds(game: str) -> None:
    text = refused("DR1", None, game)
    if game == "canfield":
        assert "the text does not say which deal it solves" in text
    else:
        assert f"moves of Klondike, expected klondike or a relative, not {game}" in text


def test_the_most_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(klondike_moves, "MAX_MOVES", 3)
    assert len(read("DR1\nDR1 DR1", start()).steps) == 3
    assert refused("DR1\nDR1 DR1\nDR1", start()) == "f, line 3, column 1: more than 3 moves"


# Deals around the moves


DECK = "".join(f"{card // 4 + 1:02d}{suit}" for card in range(52) for suit in ["1234"[card % 4]])


def test_decks_in_digits() -> None:
    assert len(DECK) == DIGITS
    deal = Deal.load(DECK, KLONDIKE)
    assert read(f"deck {DECK}\nDR1").initial == deal.position
    for more in (f"0{DECK}", f"{DECK}0"):
        text = "f, line 1, column 1: the text does not say which deal"
        assert refused(f"deck {more}\nDR1").startswith(text)
    assert refused(f"deck {DECK}\nDR1", "3").startswith("f, line 1, column 6: the text starts fr")
    assert read(f"deck {DECK}\nDR1", deal).initial == deal.position


def test_boards_before_moves() -> None:
    deal = Deal.from_number(3, KLONDIKE)
    board = format_board(deal.position)
    assert read(f"{board}\nDR1").initial == deal.position
    assert read(f"{board}\nDR1\n{board}").initial == deal.position
    bare = board.replace("\n: ", "\n")
    for rest in ("KS QH", "words"):
        assert read(f"{bare}{rest}\nDR1").initial == deal.position
    assert "the text starts from board-" in refused(f"\n{board}\nDR1", "4")
    assert refused(f"\n{board}\nDR1", "4").startswith("f, line 2, column 1: ")


@pytest.mark.parametrize("game", [KLONDIKE, THREES])
@pytest.mark.parametrize(
    ("board", "moves"),
    [
        (
            "Foundations: H-K C-K D-K S-6\nStock: 9S\n7S\n8S\nKS QS JS TS\n",
            "1S 2S DR1 WS 3S 3S 3S 3S",
        ),
        (
            "Foundations: H-K C-K D-Q S-6\nStock: KD\n:\n7S\n:\nKS QS JS TS 9S 8S\n",
            "DR1 WD 2S 4S 4S 4S 4S 4S 4S",
        ),
        ("Foundations: H-K C-Q D-K S-Q\nStock: KS\nKC\n", "FB @ AD"),
        ("Foundations: H-K C-Q D-K S-Q\nStock: KS\n:\n:\nKC\n", "@ AD HB"),
    ],
)
def test_columns_whose_cards_are_written_as_moves(board: str, moves: str, game: Rules) -> None:
    """A line of the board is none of moves, with a colon before it or without."""
    deal = Deal.from_text(board, game)
    colons = "".join(line if ":" in line else f": {line}" for line in board.splitlines(True))
    for text in (board, colons, format_board(deal.position)):
        found = read(f"{text}{moves}\n", game=game.name)
        assert found.initial == deal.position
        assert [step.origin.text for step in found.steps if step.origin] == moves.split()
        assert found.final.is_goal()


def piles(position: Position) -> str:
    """Return the piles one by one, the last card first, as Klondike-Solver and KSolve do."""
    lines = []
    for number, line in enumerate(format_board(position).splitlines()[-7:], 1):
        names = line.removeprefix(": ").split()[::-1]
        bare = [name.strip("<>") for name in names]
        down = [f"-{name}" for name in bare[1:]]
        lines.append(f" {number}: " + " ".join([bare[0], *down]))
    return "\n".join(lines)


def test_piles_one_by_one() -> None:
    deal = Deal.from_number(3, KLONDIKE)
    stock = format_board(deal.position).splitlines()[0].removeprefix("Stock:")
    text = f" 0: \n{piles(deal.position)}\n 8:{stock}\n 9: \n\nDR1\n"
    assert read(text).initial == deal.position
    deal = start(
        "Stock: QC KC\nKD QS JH\nKH\n:\nKS QD JS QH\n:\n:\n:\nFoundations: H-T C-J D-J S-T\n"
    )
    lines = [" 1: JH QS KD", " 2: KH", " 3: ", " 4: QH JS QD KS"]
    text = "Foundations: H-T C-J D-J S-T\n" + "\n".join(lines) + "\n 8: QC KC\nDR1\n"
    assert read(text).initial == deal.position
