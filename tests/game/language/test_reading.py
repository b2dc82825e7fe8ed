"""The language: texts are read, printed and read again; what is wrong in them is said in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.printing import format_description
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.errors import InputError
from dbmsolver.game.cards import card_name
from dbmsolver.game.language import words
from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    Header,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
    place_of,
)
from dbmsolver.game.language.items import with_items
from dbmsolver.game.language.reading import parse
from dbmsolver.game.library import FILES, text_of
from dbmsolver.game.shipped import GAMES

KLONDIKE = Path(__file__).parents[2] / "data" / "games" / "klondike.game"

TEXTS = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"], exclude_characters='"'),
    min_size=1,
    max_size=20,
).map(lambda text: " ".join(text.split()))
NAMES = TEXTS.filter(bool)
COUNTS = st.integers(1, 1000)
ELEMENTS = st.sampled_from(words.ELEMENTS)
RANKS = st.sampled_from(["A", *map(str, range(2, 11)), "J", "Q", "K"])
CARDS = st.integers(0, 51).map(card_name)


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


def some(strategy: st.SearchStrategy, most: int = 4, **options: object) -> st.SearchStrategy:
    return st.lists(strategy, max_size=most, **options).map(tuple)  # type: ignore[arg-type]


HEADERS = st.builds(
    Header, maybe(NAMES), maybe(NAMES), maybe(NAMES), maybe(st.integers(0, 10**9 - 1)),
    maybe(st.integers(0, 10**9 - 1)),
)  # fmt: skip
SETUP_LINES = st.builds(
    SetupLine, ELEMENTS, st.sampled_from(words.DISPLAYS), COUNTS, st.booleans(),
    maybe(RANKS | st.just("Deal")),
)  # fmt: skip
DECKS = st.builds(
    Deck,
    maybe(COUNTS),
    some(st.tuples(st.sampled_from(words.SUITS), COUNTS), unique_by=lambda pair: pair[0]),
    maybe(st.sampled_from(words.HIGHS)),
    maybe(st.integers(1, 13)),
)
ENTRIES = (
    st.builds(StackEntry, COUNTS, st.none(), st.booleans())
    | st.builds(StackEntry, CARDS, st.none(), st.booleans())
    | st.tuples(st.integers(1, 500), st.integers(501, 1000), st.booleans()).map(
        lambda values: StackEntry(*values)
    )
)
DEALT = st.builds(
    Dealt, ELEMENTS, some(some(ENTRIES)), maybe(st.integers(0, 1000)), st.booleans(),
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
PHASES = st.builds(Phase, st.just(False), st.just(1), some(DEALT)) | st.builds(
    Phase, st.just(True), maybe(COUNTS), some(DEALT)
)


@st.composite
def move_lines(draw: st.DrawFn) -> MoveLine:
    item = draw(maybe(st.sampled_from(words.ITEMS)))
    destinations = draw(some(st.sampled_from(words.DESTINATIONS), unique=True))
    if item is None and destinations[:1] == ("Any",):
        destinations = destinations[1:]
    plain = [word for word in words.MODIFIERS if word not in ("SourceElement", "Times")]
    return MoveLine(
        draw(ELEMENTS),
        item,
        draw(COUNTS) if item == "Any" else 1,
        destinations,
        draw(RANKS) if "Rank" in destinations else None,
        draw(some(st.sampled_from(plain), unique=True)),
        draw(some(ELEMENTS, unique=True)),
        draw(maybe(st.integers(0, 1000))),
        draw(COUNTS) if "Sum" in destinations else None,
    )


DESCRIPTIONS = st.builds(
    Description,
    maybe(NAMES),
    maybe(HEADERS),
    maybe(some(SETUP_LINES)),
    maybe(DECKS),
    maybe(some(PHASES)),
    maybe(some(move_lines())),
    maybe(some(st.sampled_from(words.FINISHES))),
    maybe(some(st.just("NoValidMove") | ELEMENTS)),
)


@settings(deadline=None, max_examples=60)
@given(DESCRIPTIONS)
def test_what_is_printed_is_read_back(game: Description) -> None:
    assert parse(format_description(game)) == game


@settings(deadline=None, max_examples=60)
@given(DESCRIPTIONS, st.randoms())
def test_letters_and_spaces_mean_nothing(game: Description, random) -> None:  # type: ignore[no-untyped-def]
    """Not outside quotes."""
    parts = format_description(game).split('"')
    for index in range(0, len(parts), 2):
        text = parts[index]
        if random.random() < 0.5:
            text = text.lower() if random.random() < 0.5 else text.upper()
        for mark in ("{", "}", "[", "]", ","):
            text = text.replace(mark, f" {mark}\n\t" if random.random() < 0.5 else mark)
        parts[index] = text.replace("\n", random.choice(["\n", "\r\n", " ", "\u00a0 # remark\n"]))
    assert parse('"'.join(parts)) == game


def test_the_text_of_the_proposal() -> None:
    game = parse(KLONDIKE.read_text(encoding="utf-8"))
    assert game.header == Header("Klondike", "Standard solitaire game.")
    assert game.setup == (
        SetupLine("Tableau", "MixDropStack", 7),
        SetupLine("Foundation", "TopStack", 4),
        SetupLine("Stock", "BackStack"),
        SetupLine("Wastepile", "TopStack"),
    )
    assert game.deck == Deck(1, (), "KingHigh")
    assert game.moves is not None and game.moves[4] == MoveLine(
        "Wastepile", "Any", 3, ("Any",), sources=("Stock",)
    )
    assert game.finish == ("AllInFoundation",)
    assert game.deal is not None
    (tableau,) = game.deal[0].dealt
    assert [len(stack) for stack in tableau.stacks] == [1, 2, 3, 4, 5, 6, 7]
    assert sum(entry.face_down for stack in tableau.stacks for entry in stack) == 21
    assert parse(format_description(game)) == game


EVERY_WORD = """
Header Name (All words) Description "x" Height 600 Width 800
Setup Tableau Back Foundation Face[2] Stock DropStack Reserve MixDropStack Wastepile TopStack
  Remove BackStack
Deck Single Multiple[2] Spades[8] Hearts Diamonds Clubs KingHigh
Deal Initial Tableau {1,3}{2,4} Stock {} Triggered[3] Tableau {(1),3}{(2),4}
Move Tableau Any AltColor Descending ThroughReserve
  Tableau FullStack SameColor Ascending NotValid
  Tableau ValidStack SameSuit SourceElement[Reserve]
  Tableau SingleCard AnySuit Any Rank[10] OnBlank
Finish TableauEmpty AllInFoundation SingleStack
TriggerConditions NoValidMove NoBlank[Tableau]
"""


def test_every_word_of_the_proposal() -> None:
    with pytest.raises(InputError, match=r"Multiple says again"):
        parse(EVERY_WORD)
    for deck in ("Single", "Multiple[2]", "KingHigh", "AceHigh", "Cyclic", "SingleDeck"):
        text = EVERY_WORD.replace("Single Multiple[2]", "").replace("KingHigh", deck)
        game = parse(text)
        assert parse(format_description(game)) == game
    assert game.triggers == ("NoValidMove", "Tableau")
    assert game.name == "All words"


@pytest.mark.parametrize("name", GAMES)
def test_shipped_games(name: str) -> None:
    text = text_of(name)
    game = parse(text, name)
    assert parse(format_description(game)) == game
    assert text.startswith("# Rules: "), "expected where the rules are from"
    assert {path.stem for path in FILES.glob("*.game")} == set(GAMES)


WRONG = [
    ("Heder", "1, column 1: unknown word 'Heder', did you mean Header? expected a block"),
    ("Header\n  Nam (x)", "2, column 3: unknown word 'Nam', did you mean Name? expected a line of"),
    ("Setup Tableau DropStak[7]", "1, column 15: unknown word 'DropStak', did you mean DropStack?"),
    ("Setup Tableau DropStack[7", "1, column 26: the text ends, expected `]`"),
    ("Setup Tableau [7]", "1, column 15: '[' cannot stand here, expected a setup code (Back"),
    ("Setup DropStack", "1, column 7: 'DropStack' cannot stand here, expected an element"),
    ("Move Tableau AltColour", "1, column 14: unknown word 'AltColour', did you mean AltColor?"),
    ("Move Move", "1, column 6: Move a second time, expected each block once"),
    ("Move Tableau Rank[11]", "1, column 19: 11 is no rank, expected one of A 2-10 J Q K"),
    ("Move Tableau Any[0]", "1, column 18: 0, expected a number from 1 to 1000"),
    ("Move Tableau Any Keep Keep", "1, column 23: Keep a second time in one line"),
    (
        "Move Reserve Times[2] Any OnBlank",
        "1, column 23: Any is the item where it stands first, and no destination, expected",
    ),
    ("Move Stock SourceElement", "1, column 25: the text ends, expected `[`"),
    ("Deck Ranks[14]", "1, column 6: 14 ranks, expected 1 to 13"),
    ("Deck Single Single", "1, column 13: Single says again what is said already"),
    (
        "Deal Initial Tableau {1,x}",
        "1, column 25: unknown word 'x', expected Base, a number, a card",
    ),
    ("Deal Initial Tableau {9..3}", "1, column 23: 9..3, expected the lower number first"),
    ("Deal Initial Tableau {1;2}", "1, column 24: ';', expected `}`"),
    ("Deal Initial Tableau Rows Rows", "1, column 27: Rows a second time, expected it once"),
    ("Finish Foo", "1, column 8: unknown word 'Foo', expected a finish code (TableauEmpty, "),
    ('Header Name ""', "1, column 13: an empty or unprintable text"),
    ('Header Name "x', "1, column 13: '\"' begins a text that is not closed, expected `\"`"),
    (
        'Header Name "x\nDescription "Six columns"\nSetup',
        "1, column 13: '\"' begins a text that ends before 'Six' in line 2, expected `\"` earlier",
    ),
    (
        'Header\nName "x\nDescription "6 columns"',
        "2, column 6: '\"' begins a text that ends before '6' in line 3, expected `\"` earlier",
    ),
    ('Header Name "x\ny" Six', "2, column 4: unknown word 'Six', expected a line of the header"),
    ('Header Name "x" Foo', "1, column 17: unknown word 'Foo', expected a line of the header"),
    ('Header Name "x"Foo', "1, column 16: unknown word 'Foo', expected a line of the header"),
    ("Header Name (x", "1, column 13: '(' begins a text that is not closed, expected `)`"),
    ("Setup Reserve Face[1234567890]", "1, column 20: '1234567890', expected a number of 9 digits"),
    (
        "TriggerConditions NoBlank[Talon]",
        "1, column 27: unknown word 'Talon', did you mean Tableau?",
    ),
    ('Finish Extends "x"', "1, column 8: 'Extends' cannot stand here"),
    ("Header Width wide", "1, column 14: unknown word 'wide', expected a number"),
    ("\n\n  §", "3, column 3: '§', expected a block"),
    ("Header Height 1 Height 2", "1, column 17: Height a second time, expected it once"),
    ('Header Name "a\x07b"', "1, column 13: an empty or unprintable text"),
    ("Setup Foundation TopStack Keep Keep", "1, column 32: Keep a second time, expected it once"),
    (
        "Setup Foundation TopStack Base[A] Base[2]",
        "1, column 35: Base a second time, expected it once",
    ),
    ("Move Tableau Any[1001]", "1, column 18: 1001, expected a number from 1 to 1000"),
    (
        "Deck Hearts Hearts",
        "1, column 13: Hearts says again what is said already, expected it once",
    ),
    ("Move Tableau Times[2] Times[3]", "1, column 23: Times a second time in one line"),
    ("Deal Initial Tableau {3..3}", "1, column 23: 3..3, expected the lower number first"),
    ("Deal Initial Tableau {0}", "1, column 23: 0, expected cards counted from 1 to 1000"),
    ("Deal Initial Tableau {1..1001}", "1, column 23: 1, expected cards counted from 1 to 1000"),
    (
        "Move Tableau SourceElement[Stock] SourceElement[Stock]",
        "1, column 35: SourceElement a second time in one line, expected it once",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_what_is_wrong_is_said_in_words(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "my.game")
    assert str(caught.value).startswith(f"my.game, line {message}")
    assert "\n" not in str(caught.value)
    said = str(caught.value).removeprefix("my.game")
    for kinds in ("LSQB", "RSQB", "$END", "ELEMENT", "_CODE", "__"):
        assert kinds not in said


def test_the_largest_numbers_and_other_spellings() -> None:
    game = parse("Move Tableau Any[1000]\rDeal Triggered[Unlimited] Tableau {10h,(tS)}{1..1000}")
    assert game.moves == (MoveLine("Tableau", "Any", 1000),)
    stacks = ((StackEntry("TH"), StackEntry("TS", face_down=True)), (StackEntry(1, 1000),))
    assert game.deal == (Phase(True, None, (Dealt("Tableau", stacks),)),)
    assert parse("# remark\rFinish TableauEmpty").finish == ("TableauEmpty",)


def test_lines_without_an_item_take_that_of_the_line_before() -> None:
    """It goes through the reserve as that does, which is said once."""
    through = ("ThroughReserve",)
    first = MoveLine("Tableau", "Any", 3, ("AltColor",), modifiers=through)
    for modifiers in ((), through):
        bare = MoveLine("Tableau", None, destinations=("OnBlank",), modifiers=modifiers)
        other = MoveLine("Foundation", None, destinations=("OnBlank",))
        found = with_items([bare, first, other, bare])
        whole = MoveLine("Tableau", "Any", 3, ("OnBlank",), modifiers=through)
        assert found == (bare, first, other, whole)


@settings(deadline=None)
@given(
    st.text() | st.lists(st.sampled_from([*words.ALL, *"[]{}(),7\n", "AS", '"x"'])).map(" ".join)
)
def test_any_text_is_read_or_refused_in_a_line(text: str) -> None:
    try:
        game = parse(text, "my.game")
    except InputError as error:
        assert "\n" not in str(error)
        assert str(error).startswith("my.game, line ")
    else:
        assert parse(format_description(game)) == game


def test_words_know_their_places() -> None:
    game = parse("Setup\n  Tableau DropStack[8]\nFinish\n  singlestack", "my.game")
    assert game.setup is not None and game.finish is not None
    assert str(place_of(game.setup[0].element)) == "my.game, line 2, column 3"
    assert str(place_of(game.finish[0])) == "my.game, line 4, column 3"
    assert place_of("plain") is None
