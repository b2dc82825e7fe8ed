"""From descriptions to rules, and to the words for which there are none."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.deals import deal_number, format_board
from dbmsolver.game.language.inheriting import resolved
from dbmsolver.game.language.items import with_items
from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import Understood, identifier, understand
from dbmsolver.game.library import FILES, load_description, load_rules, text_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
import games as tool

KLONDIKE = Path(__file__).parents[2] / "data" / "games" / "klondike.game"
FREECELL = text_of("freecell")
ANY_FILLS = "Tableau ValidStack Any OnBlank ThroughReserve"
KINGS_FILL = "Tableau ValidStack Rank[K] OnBlank ThroughReserve"


def understood(text: str) -> Understood:
    return understand(parse(text, "my.game"), "my")


def rules(text: str) -> Rules:
    return understood(text).playable("my", "my.game")


def changed(*pairs: tuple[str, str]) -> str:
    """FreeCell's text with some words replaced by others."""
    text = FREECELL
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", GAMES)
def test_shipped_games_are_as_the_index_says(name: str) -> None:
    game, where = load_description(name)
    assert understand(game, name).rules == GAMES[name]
    assert where == f"{name}.game"


def test_cards_come_back_where_nothing_keeps_them_and_suits_do_not_matter() -> None:
    for build, back in (("AltColor", True), ("AnySuit", True), ("SameSuit", False)):
        pairs = ("TopStack[4] Keep", "TopStack[4]"), ("AltColor", build)
        assert rules(changed(*pairs)).removable is back


def test_a_pile_begins_with_a_card_of_the_deal_or_with_any() -> None:
    text = text_of("golf").replace("Wastepile {36}\n        Stock {37..52}", "Stock {36..52}")
    assert [str(one) for one in understood(text).problems] == [
        "Wastepile: no card is dealt to it, and no line lets one begin it, expected Wastepile Any "
        "Any OnBlank"
    ]
    begun = rules(text.replace("\nFinish", "    Wastepile SingleCard Any OnBlank\n\nFinish"))
    assert (begun.stock, begun.layout) == (17, "")


def test_a_pyramid_of_a_whole_short_deck_has_nothing_to_turn() -> None:
    text = text_of("pyramid")
    for old, new in (
        ("    Stock TopStack\n", ""),
        ("    Wastepile TopStack\n", ""),
        ("        Wastepile {29}\n        Stock {30..52}\n", ""),
        ("Single\n", "Single Ranks[7]\n"),
        ("Sum[13]", "Sum[7]"),
        ("    Stock FullStack OnBlank SourceElement[Wastepile] Times[3]\n", ""),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    turn = "Wastepile SingleCard Any SourceElement[Stock]"
    assert [str(one) for one in understood(text).problems] == [f"Wastepile: expected {turn}"]
    whole = text.replace(f"    {turn}\n", "")
    found = rules(whole)
    assert (found.stock, found.draw, found.passes, found.free_stock) == (0, 0, 0, False)
    # The highest rank is the king's, or the seventh.
    assert rules(whole.replace("Rank[K]", "Rank[7]")) == found


def test_problems_beside_the_first_are_counted() -> None:
    for pairs, more in (
        ([("Rank[A]", "Rank[2]")], "$"),
        (
            [("Rank[A]", "Rank[2]"), ("Face[4]", "Face[14]")],
            r" \(1 more; `games --check` lists them\)$",
        ),
        (
            [("Rank[A]", "Rank[2]"), ("Face[4]", "Face[14]"), ("KingHigh", "AceHigh")],
            r" \(2 more; `games --check` lists them\)$",
        ),
    ):
        with pytest.raises(InputError, match=rf"my cannot be played: [^()]*{more}"):
            rules(changed(*pairs))


def test_names_as_the_command_line_has_them() -> None:
    for name, wanted in (
        ("Baker's Game", "bakers_game"),
        ("(Fan) 2!", "fan_2"),
        ("\u2019s -- Elf ", "s_elf"),
        ("!", ""),
    ):
        assert identifier(name) == wanted


def test_the_index_is_what_the_tool_writes() -> None:
    assert tool.INDEX.read_text() == tool.index(), "expected: python tools/games.py"


@pytest.mark.parametrize(
    ("name", "pair", "message"),
    [
        ("mine", ("FreeCell", "Mine"), ""),
        ("mine", ("FreeCell", "Yours"), "mine.game: it has the Name of yours, expected it in your"),
        ("mine", ('Name "FreeCell"', ""), "mine.game: expected Name, Description and Numbers"),
        ("freecell", ("Numbers", "#"), "freecell.game: expected Name, Description and Numbers"),
        ("freecell", ("Eight", "E" * 30), "freecell.game: a Description of 83 characters, expect"),
    ],
)
def test_the_tool_says_what_a_new_file_lacks(
    name: str,
    pair: tuple[str, str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tool, "FILES", tmp_path)
    (tmp_path / f"{name}.game").write_text(changed(pair), encoding="utf-8")
    if not message:
        assert tool.index().startswith('{\n  "mine"')
        return
    with pytest.raises(InputError, match=message):
        tool.index()


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        ([("Tableau Rows", "Tableau Rows[7]")], {}),
        ([("DropStack[8]", "DropStack[6]"), ("Face[4]", "Face")], {"columns": 6, "freecells": 1}),
        ([("AltColor", "SameSuit")], {"build": "suit"}),
        ([("AltColor", "AnySuit")], {"build": "any"}),
        ([("AltColor", "Any")], {"build": "any"}),
        ([("AltColor Descending", "SameSuit Descending Ascending")], {"build": "suit-both"}),
        (
            [
                (
                    "    Tableau ValidStack AltColor Descending",
                    "    Tableau SameSuit Ascending\n    Tableau ValidStack SameSuit Descending",
                )
            ],
            {"build": "suit-both"},
        ),
        ([("TopStack[4] Keep", "TopStack[4]")], {"removable": True}),
        ([("ValidStack Any OnBlank", "ValidStack Rank[K] OnBlank")], {"fill": "kings"}),
        ([(ANY_FILLS, f"{KINGS_FILL}\n    {ANY_FILLS}")], {"fill": "any"}),
        ([(ANY_FILLS, f"{ANY_FILLS}\n    {KINGS_FILL}")], {"fill": "any"}),
        ([(ANY_FILLS, f"{KINGS_FILL}\n    {KINGS_FILL}")], {"fill": "kings"}),
        ([("    Tableau ValidStack Any OnBlank ThroughReserve\n", "")], {"fill": "none"}),
        ([("Tableau Rows", "Tableau Rows RightToLeft")], {"layout": "backwards"}),
        ([("Tableau Rows", "Tableau Rows KingsSunk")], {"kings_sunk": True}),
        ([("Tableau Rows", "Tableau Rows Foundation {AS,2S}{AH}")], {"layout": "home AH AS 2S"}),
        ([("Tableau Rows", "Tableau Rows Foundation Auto")], {"layout": "auto"}),
        (
            [("Tableau Rows", "Tableau {KS}{QH} Rows Reserve {}{52}{51}")],
            {"layout": "first KS QH; cells 3 2", "dealt_to_freecells": 2},
        ),
        ([("Tableau Rows", "Tableau Rows Reserve {51}{52}")], {"dealt_to_freecells": 2}),
        ([("Single\n", "Ranks[12] Single\n")], {"layout": "home A"}),
        ([("Single\n", "Hearts Spades Clubs Diamonds\n")], {}),
        (
            [("DropStack[8]", "DropStack[2]"), ("Tableau Rows", "Tableau {1..26}{27..52}")],
            {
                "columns": 2,
                "layout": f"columns {' '.join(map(str, range(1, 27)))}/"
                f"{' '.join(map(str, range(27, 53)))}",
            },
        ),
    ],
)
def test_rules(pairs: list[tuple[str, str]], wanted: dict[str, object]) -> None:
    found = rules(changed(*pairs))
    assert {name: getattr(found, name) for name in wanted} == wanted
    usual = {name: getattr(GAMES["freecell"], name) for name in wanted}
    assert replace(found, **usual) == GAMES["freecell"]
    deal_number(7, found).validate(found)


def test_columns_one_by_one_are_recognised() -> None:
    """Columns that rows would deal alike are no layout of their own, so they can be changed."""
    stacks = "".join("{" + ",".join(map(str, range(i, 53, 8))) + "}" for i in range(1, 9))
    assert rules(changed(("Tableau Rows", f"Tableau {stacks}"))) == GAMES["freecell"]
    listed = rules(changed(("DropStack[8]", "DropStack[2]"),
                           ("Tableau Rows", "Tableau {1..26}{27..52}")))  # fmt: skip
    with pytest.raises(UsageError, match=r"names 2 of the columns one by one, expected 3"):
        rules_for(listed, columns=3)


def test_columns_that_are_not_listed_are_empty() -> None:
    found = rules(changed(("Tableau Rows", "Tableau {1..26}{27..52}")))
    assert [len(column) for column in deal_number(1, found).columns] == [26, 26, 0, 0, 0, 0, 0, 0]


UNPLAYABLE = [
    ([("Face[4]", "Face[14]")], "Reserve[14]", "at most 13"),
    ([("DropStack[8]", "Face[8]")], "Face", "DropStack, MixDropStack, TopStack"),
    ([("    Foundation TopStack[4] Keep\n", "")], "Setup", "a line Foundation"),
    ([("TopStack[4] Keep", "TopStack[8] Keep")], "Foundation[8]", "expected 4"),
    ([("TopStack[4] Keep", "TopStack[4]"), (" ThroughReserve", "")],
     "Tableau without SourceElement", "with single cards"),
    ([("TopStack[4] Keep", "TopStack[4]"),
      ("Reserve SingleCard Any OnBlank", "Reserve SingleCard Any OnBlank SourceElement[Tableau]")],
     "Tableau", "by other lines"),
    ([("AltColor Descending ThroughReserve", "SameSuit Descending Ascending"),
      (" ThroughReserve", "")], "ValidStack", "built down only"),
    ([("AltColor Descending", "AltColor Ascending Descending")], "Ascending", "both directions"),
    ([("TopStack[4] Keep", "TopStack[4] Keep Base[5]")], "Base[5]", "begin with the ace"),
    ([("Face[4]\n", "Face[4] Stock Back\n")], "Stock", "Tableau, Foundation and Reserve only"),
    ([("Face[4]\n", "Face[4] Remove Back\n")], "Remove", "Tableau, Foundation and Reserve only"),
    ([("Single\n", "Multiple[2]\n")], "Multiple[2]", "two decks are not played"),
    ([("Single\n", "Spades[4]\n")], "Spades", "one whole deck"),
    ([("KingHigh", "Cyclic")], "Cyclic", "KingHigh"),
    ([("Tableau Rows", "Tableau Rows[6]")], "Rows[6]", "4 cards would be left"),
    ([("Tableau Rows", "Tableau Diagonal")], "Tableau", "cannot be dealt diagonally"),
    ([("Tableau Rows", "Tableau {1,2}{(3)}")], "(3)", "face down"),
    ([("Tableau Rows", "Tableau {1,2}{3,5}")], "Tableau", "each of the cards 1 to 52"),
    ([("Tableau Rows", "Tableau {1}{2}{3}{4}{5}{6}{7}{8}{9..52}")], "Tableau", "names 9 of the"),
    ([("Tableau Rows", "Tableau {KS,QS} Rows")], "Rows", "not the first rows"),
    ([("Tableau Rows", "Tableau {1} Rows")], "Tableau", "named cards only in braces"),
    ([("Tableau Rows", "Tableau Rows Reserve {1}")], "Reserve", "last cards of the deck"),
    ([("Tableau Rows", "Tableau Rows Reserve {51,52}")], "52", "one card"),
    ([("Tableau Rows", "Tableau Rows Foundation {2S}")], "Tableau", "without the card below"),
    ([("Tableau Rows", "Tableau Rows Triggered Tableau Rows")], "Triggered", "middle of the game"),
    ([("Deal\n    Initial\n        Tableau Rows\n", "")], "Deal", "expected the block"),
    ([("AltColor", "SameColor")], "SameColor", "AltColor, SameSuit or AnySuit"),
    ([("AltColor Descending", "AltColor Ascending")], "Ascending", "built down"),
    ([("AltColor Descending", "AltColor")], "Tableau", "expected Descending"),
    ([("AltColor Descending ThroughReserve", "AltColor Descending")], "ValidStack", "in other"),
    ([("SingleCard SameSuit", "ValidStack SameSuit")], "ValidStack", "to the Tableau only"),
    ([("AltColor Descending ThroughReserve", "AltColor Descending NotValid")], "NotValid",
     "no line says what makes a run"),
    ([("AltColor Descending", "AltColor Descending NotValid")], "NotValid", "there are no runs"),
    ([("Rank[A] OnBlank", "FullSuit OnBlank")], "FullSuit", "no other line"),
    ([("    Foundation SingleCard SameSuit Ascending\n", ""),
      ("Rank[A] OnBlank", "FullSuit OnBlank")], "FullSuit", "a whole suit is a run"),
    ([("ValidStack AltColor", "FullStack AltColor")], "FullStack", "SingleCard"),
    ([("ValidStack AltColor", "FullSuit AltColor")], "FullSuit", "SingleCard"),
    ([("ValidStack AltColor", "Any[2] AltColor")], "Any[2]", "one card at a time"),
    ([("Any OnBlank ThroughReserve", "Rank[Q] OnBlank ThroughReserve")], "Rank[Q]", "Rank[K]"),
    ([("Reserve SingleCard Any OnBlank", "")], "Reserve", "no card is dealt there"),
    ([("SingleCard SameSuit", "SingleCard AltColor")], "Foundation", "SameSuit"),
    ([("Rank[A] OnBlank", "Rank[2] OnBlank")], "Rank[2]", "Rank[A]"),
    ([("AltColor Descending", "AltColor Descending Times[2]")], "Times", "no stock"),
    ([("AltColor Descending", "AltColor Descending Auto")], "Auto", "not played"),
    (
        [("AltColor Descending", "AltColor Descending SourceElement[Tableau]")],
        "SourceElement", "from Reserve",
    ),
    ([("AllInFoundation", "TableauEmpty")], "TableauEmpty", "AllInFoundation"),
    ([("AllInFoundation", "AllInFoundation TriggerConditions NoBlank[Tableau]")],
     "Tableau", "middle"),
]  # fmt: skip


@pytest.mark.parametrize(("pairs", "word", "reason"), UNPLAYABLE)
def test_a_game_that_is_not_played_says_which_word_is_the_reason(
    pairs: list[tuple[str, str]], word: str, reason: str
) -> None:
    found = understood(changed(*pairs))
    assert found.rules is None
    assert any(problem.word == word and reason in problem.reason for problem in found.problems), (
        found.problems
    )
    with pytest.raises(InputError) as caught:
        found.playable("FreeCell", "my.game")
    assert str(caught.value).startswith("my.game")
    assert "FreeCell cannot be played: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "pair", "word", "line"),
    [
        ("freecell", ("Rank[A] OnBlank", "FullSuit OnBlank"), "FullSuit", "Foundation FullSuit"),
        ("freecell", ("Tableau Rows", "Tableau {KS,QS} Rows"), "Rows", "Tableau {KS,QS} Rows"),
        ("klondike",
         ("K] OnBlank", "K] OnBlank SourceElement[Wastepile] SourceElement[Tableau]"),
         "SourceElement", "Rank[K] OnBlank"),
        ("spider", ("Initial", "Initial Foundation {AS}"), "Foundation", "Foundation {AS}"),
        ("spider", ("ValidStack SameSuit", "Group SameSuit"), "NotValid", "NotValid"),
        ("spider", ("54}", "54..110}"), "Tableau", "Tableau {(1),"),
        ("canfield", ("{2..14}", "{2..28}"), "Reserve", "Reserve {2..28}"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_line_is_said_with_the_line(
    name: str, pair: tuple[str, str], word: str, line: str
) -> None:
    text = text_of(name).replace(*pair)
    assert text != text_of(name)
    lines = text.split("\n")
    at = [problem.at for problem in understood(text).problems if problem.word == word]
    assert at
    assert all(one is not None and line in lines[one.line - 1] for one in at), at


def test_the_sources_that_keep_cards_home_are_named_in_full() -> None:
    bare = changed(("TopStack[4] Keep", "TopStack[4]"), (" ThroughReserve", ""))
    hint = "expected SourceElement[Tableau] SourceElement[Reserve], or Keep"
    assert hint in str(understood(bare).problems)
    named = bare
    for words in ("AltColor Descending", "Any OnBlank"):
        named = named.replace(words, f"{words} SourceElement[Tableau] SourceElement[Reserve]")
    found = rules(named)
    assert (found.moves, found.removable) == ("runs", False)


def test_the_proposal_s_klondike_is_played_word_for_word() -> None:
    wanted = replace(GAMES["klondike_3_left_to_right"], name="klondike")
    assert load_rules(str(KLONDIKE)) == wanted
    in_full = KLONDIKE.read_text(encoding="utf-8").replace(
        "Tableau Rank[K] OnBlank", "Tableau ValidStack Rank[K] OnBlank"
    )
    assert rules(in_full) == wanted


@pytest.mark.parametrize(
    ("lines", "items"),
    [
        ("Tableau AltColor Descending Tableau Rank[K] OnBlank", [(None, 1), (None, 1)]),
        ("Tableau ValidStack Rank[K] OnBlank Tableau AltColor", [("ValidStack", 1)] * 2),
        ("Tableau Group AltColor Foundation Rank[A] OnBlank Tableau Rank[K]",
         [("Group", 1), (None, 1), ("Group", 1)]),
        ("Wastepile Any[3] Any Wastepile AnySuit Wastepile SingleCard Any Wastepile OnBlank",
         [("Any", 3), ("Any", 3), ("SingleCard", 1), ("SingleCard", 1)]),
    ],
)  # fmt: skip
def test_a_line_without_an_item_has_that_of_the_line_of_its_element_before_it(
    lines: str, items: list[object]
) -> None:
    given = parse(f"Move {lines}").moves or ()
    assert [(line.item, line.count) for line in with_items(given)] == items


def test_how_an_item_moves_goes_with_it() -> None:
    short = changed((KINGS_FILL.replace("Rank[K]", "Any"), "Tableau Rank[K] OnBlank"))
    assert rules(short) == replace(GAMES["freecell"], fill="kings")
    runs = short.replace(" ThroughReserve", "")
    assert rules(runs) == replace(GAMES["freecell"], fill="kings", moves="runs")


def test_cards_that_come_back_where_columns_are_built_by_suit() -> None:
    """They change nothing there, so Keep makes no difference."""
    text = text_of("bakers_game")
    assert rules(text.replace(" Keep", "")) == rules(text)


def test_extends(tmp_path: Path) -> None:
    base = tmp_path / "base.game"
    base.write_text(FREECELL.replace("DropStack[8]", "DropStack[9]"))
    mine = tmp_path / "mine.game"
    mine.write_text(
        'Extends "base.game" Header Name "Two Cells" Setup Reserve Face[2] '
        "Move Tableau SingleCard SameSuit Descending Tableau Rank[K] OnBlank"
    )
    assert load_rules(str(mine)) == Rules("two_cells", 9, 2, "suit", "kings")
    game, _ = load_description(str(mine))
    assert game.header is not None and "Eight columns" in str(game.header.description)
    other = tmp_path / "other.game"
    other.write_text('Extends "eight_off"')
    assert load_rules(str(other)) == GAMES["eight_off"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('Extends "freecel"', "line 1, column 9: unknown game 'freecel', did you mean freecell?"),
        ('Extends "none.game"', "line 1, column 9: Extends 'none.game': no such file"),
        ('Extends "mine.game"', "line 1, column 9: Extends 'mine.game' leads back to itself"),
        ('Extends "wrong.game"', "wrong.game, line 1, column 1: unknown word 'Haeder'"),
    ],
)
def test_extends_what_is_not_there(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "wrong.game").write_text("Haeder")
    path = tmp_path / "mine.game"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_rules(str(path))
    assert message in str(caught.value)


def test_a_game_without_a_name_is_called_as_its_file(tmp_path: Path) -> None:
    path = tmp_path / "My Game 2.game"
    path.write_text(FREECELL.replace('Name "FreeCell"', ""))
    assert load_rules(str(path)).name == "my_game_2"


def test_named_cards_lie_under_the_others() -> None:
    board = format_board(deal_number(11, GAMES["challenge_freecell"])).splitlines()
    bottoms = [line.split()[0] for line in board]
    assert bottoms == ["2C", "2S", "2H", "2D", "AC", "AS", "AH", "AD"]


def test_every_shipped_file_stands_alone_or_extends_a_shipped_one() -> None:
    for path in FILES.glob("*.game"):
        game = parse(path.read_text(), path.name)
        assert understand(
            resolved(game, "", lambda one: (parse(text_of(str(one.extends))), one.extends)), "x"
        ).rules


ROW = """Header Name "Accordion" Setup Tableau TopStack[52] Deck Single Deal Initial Tableau Rows
Move Tableau FullStack SameSuit Finish SingleStack"""
CRUEL = """Header Name "Cruel" Setup Tableau DropStack[12] Foundation TopStack[4] Stock BackStack
Deck Single
Deal Initial Foundation {AH}{AS}{AD}{AC} Tableau Rows Triggered[Unlimited] Tableau Rows[4]
Move Tableau SingleCard SameSuit Descending Foundation SingleCard SameSuit Ascending
Foundation Rank[A] OnBlank Stock FullStack Any SourceElement[Tableau] Finish AllInFoundation"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROW, "x cannot be played: SingleStack: one stack is played where cards are"),
        (
            CRUEL,
            "x cannot be played: Stock: cards of the Tableau are not dealt again, expected",
        ),
    ],
)
def test_games_that_the_language_cannot_say_are_refused_for_one_word(
    text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as raised:
        understand(parse(text, "x.game"), "x").playable("x", "x.game")
    assert "more" not in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("TableauEmpty", "SingleStack", "on piles, expected TableauEmpty, or Remove in the Setup"),
        (
            "Single\n",
            "Multiple[2]\n",
            "are not played in a game without foundations, expected Single",
        ),
    ],
)
def test_golf_is_not_told_to_become_a_game_with_foundations(
    old: str, new: str, expected: str
) -> None:
    found = understand(parse(text_of("golf").replace(old, new), "x.game"), "x")
    assert any(one.reason.endswith(expected) for one in found.problems)


DEUCES = "{2H}{2S}{2D}{2C}"
BASE_2 = [
    ("freecell", [("TopStack[4] Keep", "TopStack[4] Keep Base[2]"), ("Rank[A]", "Rank[2]"),
                  ("KingHigh", "AceHigh"),
                  ("Tableau Rows", f"Foundation {DEUCES} Tableau Rows")]),
    ("penguin", [("Base[Deal]", "Base[2]")]),
    ("penguin", [("Base[Deal]", "Base[2]"), ("Foundation {Base}{Base}{Base}", "")]),
    ("canfield", [("Base[Deal]", "Base[2]")]),
    ("canfield", [("Base[Deal]", "Base[2]"), ("{1}", "{2S}"),
                  ("Any OnBlank\n", "Rank[A] OnBlank\n"),
                  ("    Foundation SingleCard", "    Foundation Rank[2] OnBlank "
                   "Foundation SingleCard")]),
    ("klondike", [("TopStack[4]", "TopStack[4] Base[2]"), ("KingHigh", "Cyclic"),
                  ("Rank[A]", "Rank[2]")]),
    ("gypsy", [("TopStack[8]", "TopStack[8] Base[2]"), ("Rank[A]", "Rank[2]"),
               ("Initial", f"Initial Foundation {DEUCES}{DEUCES}")]),
    ("gypsy", [("TopStack[8]", "TopStack[8] Base[Deal]"), ("Initial", "Initial Foundation {1}"),
               ("    Foundation Rank[A] OnBlank\n", "")]),
    ("flower_garden", [("Keep", "Keep Base[2]"),
                       ("Tableau Rows", f"Foundation {DEUCES} Tableau Rows")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pairs"), BASE_2)
def test_a_base_that_is_not_played_is_the_one_problem_of_its_text(
    name: str, pairs: list[tuple[str, str]]
) -> None:
    text = text_of(name)
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    word = "Base[Deal]" if name == "gypsy" and "Base[Deal]" in text else "Base[2]"
    assert [problem.word for problem in understood(text).problems] == [word]


def test_other_problems_are_told_beside_a_base_that_is_not_played() -> None:
    text = text_of("penguin").replace("Base[Deal]", "Base[2]").replace("Face[7]", "Face[14]")
    text = text.replace("SameSuit Descending", "SameColor Descending")
    found = understood(text.replace("Finish\n    AllInFoundation", "Finish TableauEmpty"))
    words = [problem.word for problem in found.problems]
    assert words == ["Base[2]", "Reserve[14]", "SameColor", "TableauEmpty"]


@pytest.mark.parametrize(
    ("name", "pair", "word"),
    [
        ("gypsy", ("(1),(9),17", "AS"), "AS"),
        ("flower_garden", ("{37}", "{36}"), "Reserve"),
        ("flower_garden", ("Tableau Rows", "Tableau KingsSunk"), "KingsSunk"),
    ],
)
def test_a_deal_that_is_not_understood_is_not_said_to_leave_no_cards(
    name: str, pair: tuple[str, str], word: str
) -> None:
    found = understood(text_of(name).replace(*pair))
    assert [problem.word for problem in found.problems] == [word]
