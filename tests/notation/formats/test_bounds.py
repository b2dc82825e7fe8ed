"""The parts of readers, at both sides of each bound: numbers, texts, cards, lines, links."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from helpers.solutions import solved

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.bases import Base
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import COLUMNS, PILE, REMOVED, RESERVE, STOCK, WASTE, Place
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, InvalidError, Source, json_text, source, xml_text
from dbmsolver.notation.formats.universal_positions import PositionReader
from dbmsolver.notation.formats.universal_values import MAX_TEXT
from dbmsolver.notation.steps import Comment
from dbmsolver.notation.xhtml import ELEMENTS, MAX_DEPTH, check_subset, one_line


def reader(game: str = "freecell") -> PositionReader:
    found = PositionReader("f", lambda path: (len(path), 1))
    found.rules = GAMES[game]
    return found


def card(name: str, **more: Any) -> dict[str, Any]:
    number = parse_card(name)
    suit = name[1]
    return {"is_hidden": False, "is_empty": False, "rank": number // 4 + 1, "suit": suit, **more}


def fails(read: Callable[[], object]) -> str:
    with pytest.raises(InvalidError) as caught:
        read()
    return str(caught.value)


def test_numbers_and_texts() -> None:
    one = reader()
    for value, good in ((2, True), (3, True), (5, True), (1, False), (6, False), (True, False)):
        if good:
            assert one.integer(value, (), 2, 5) == value
        else:
            assert "expected a number from 2 to 5" in fails(
                lambda v=value: one.integer(v, (), 2, 5)
            )
    for value in (2.0, "3", None):
        assert "expected a number" in fails(lambda v=value: one.integer(v, (), 2, 5))
    assert one.text("x" * 5, (), 5) == "x" * 5
    assert "at most 5" in fails(lambda: one.text("x" * 6, (), 5))
    assert "expected text" in fails(lambda: one.text(5, ()))
    assert len(one.text("x" * MAX_TEXT, ())) == MAX_TEXT
    assert one.items([1, 2], (), 2) == [1, 2]
    assert "a list of at most 2" in fails(lambda: one.items([1, 2, 3], (), 2))
    assert "a list of at most 2" in fails(lambda: one.items((1, 2), (), 2))
    assert one.flag(False, ()) is False
    assert "expected true or false" in fails(lambda: one.flag(0, ()))
    assert one.choice("b", (), {1: "a", 2: "b"}) == 2
    assert fails(lambda: one.choice("c", ("x", 1), {1: "a", 2: "b"})) == (
        "f, line 2, column 1: x[1]: 'c', expected one of a, b"
    )


def test_cards() -> None:
    one = reader()
    assert one.card(card("KC"), ()) == 51
    assert one.card(card("AH", deck=0), ()) == 0
    assert "from 0 to 0" in fails(lambda: one.card(card("AH", deck=1), ()))
    for height in (0, 14):
        assert "from 1 to 13" in fails(lambda h=height: one.card(card("AH") | {"rank": h}, ()))
    empty = {"is_hidden": False, "is_empty": True}
    assert one.card(empty, (), empty=True) is None
    assert "no card, expected one" in fails(lambda: one.card(empty, ()))
    for name in ("is_empty", "is_hidden"):
        wrong = card("AH") | {name: 0}
        assert f"{name}: 0, expected true or false" in fails(lambda w=wrong: one.card(w, ()))
    for name in ("rank", "suit"):
        missing = {key: value for key, value in card("AH").items() if key != name}
        assert f"no {name}, expected rank and suit" in fails(lambda m=missing: one.card(m, ()))
    down = card("AH", is_hidden=True)
    assert "a hidden card" in fails(lambda: one.card(down, (), hidden=True))
    assert reader("klondike").card(down, (), hidden=True) == 0
    assert "a hidden card" in fails(lambda: reader("klondike").card(down, ()))


def test_cards_face_down_are_the_deepest() -> None:
    one, up, down = reader("klondike"), card("AH"), card("2H", is_hidden=True)
    assert [one.hidden(cards, ()) for cards in ([], [up], [down, up], [down, down, up])] == [
        0, 0, 1, 2
    ]  # fmt: skip
    for cards in ([up, down], [down, up, down]):
        assert fails(lambda c=cards: one.hidden(c, ())).endswith(
            f"[{len(cards) - 1}]: face down on a card face up"
        )


@pytest.mark.parametrize(
    ("game", "value", "found"),
    [
        ("freecell", {"col": 7}, Place("column", 7)),
        ("freecell", {"col": 8}, "expected a number from 0 to 7"),
        ("freecell", {"freecell": 3}, Place("freecell", 3)),
        ("freecell", {"freecell": 4}, "expected a number from 0 to 3"),
        ("freecell", {"foundation": {"deck": 0, "suit": "S"}}, Place("foundation", 1)),
        ("freecell", {"foundation": {"deck": 1, "suit": "S"}}, "expected a number from 0 to 0"),
        ("freecell", {"pile": 0}, "there is no pile"),
        ("freecell", {"stock": 0}, "there is no stock"),
        ("freecell", {"waste": 0}, "there is no waste"),
        ("freecell", {"reserve": 0}, "there is no reserve"),
        ("freecell", {}, "expected one of col, freecell and foundation"),
        ("freecell", {"col": 1, "freecell": 1}, "expected one of col, freecell and foundation"),
        ("bakers_dozen", {"freecell": 0}, "there are no freecells"),
        ("golf", {"pile": 0}, PILE),
        ("golf", {"pile": 1}, "expected a number from 0 to 0"),
        ("golf", {"stock": 0}, STOCK),
        ("golf", {"waste": 0}, "there is no waste"),
        ("klondike", {"stock": 0}, STOCK),
        ("klondike", {"waste": 0}, WASTE),
        ("klondike", {"pile": 0}, "there is no pile"),
        ("klondike", {"reserve": 0}, "there is no reserve"),
        ("yukon", {"waste": 0}, "there is no waste"),
        ("canfield", {"reserve": 0}, RESERVE),
        ("canfield", {"reserve": 1}, "expected a number from 0 to 0"),
        ("freecell", {"removed": 0}, "no card is removed"),
        ("pyramid", {"removed": 0}, REMOVED),
        ("pyramid", {"removed": 1}, "expected a number from 0 to 0"),
        ("freecell", {"columns": 0}, "no cards are dealt onto the columns"),
        ("spider", {"columns": 0}, COLUMNS),
        ("spider", {"columns": 1}, "expected a number from 0 to 0"),
        ("spider", {"stock": 0}, STOCK),
        ("spider", {"waste": 0}, "there is no waste"),
        ("spider", {"pile": 0}, "there is no pile"),
        ("forty_thieves", {"waste": 0}, WASTE),
    ],
)
def test_places(game: str, value: dict[str, Any], found: Place | str) -> None:
    if isinstance(found, Place):
        assert reader(game).place(value, ()) == found
    else:
        assert found in fails(lambda: reader(game).place(value, ()))


def test_bases() -> None:
    one = reader("canfield")
    assert one.base({}, ()) == Base(1, 1)
    assert one.base({"base": 11, "lowest": 9}, ()) == Base(11, 9)
    assert one.base({"lowest": 9}, ()) == Base(9, 9)
    assert "from 9 to 13" in fails(lambda: one.base({"base": 8, "lowest": 9}, ()))
    assert "from 1 to 13" in fails(lambda: one.base({"lowest": 14}, ()))


def test_lines_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_LINES", 3)
    monkeypatch.setattr(source, "MAX_LINE", 4)
    monkeypatch.setattr(source, "MAX_BYTES", 14)
    assert [line for _, line in Source("abcd\nb\nc").lines()] == ["abcd", "b", "c"]
    assert "line 4, column 1: more than 3 lines" in fails(Source("a\nb\nc\n").lines)
    assert "line 2, column 5: a line of 5" in fails(Source("a\nabcde").lines)
    assert Source.of_bytes(b"x" * 14).text == "x" * 14
    assert "more than 14 bytes" in fails(lambda: Source.of_bytes(b"x" * 15))
    assert "more than 14 bytes" in fails(lambda: Source("x" * 15))
    assert "more than 14 bytes" in fails(lambda: Source("é" * 8))
    assert Source("é" * 7).text == "é" * 7


def test_names_of_files_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb"
    path.write_text("x")
    assert "\n" not in Source.load(path).where
    path = tmp_path / "plain"
    path.write_text("x")
    assert Source.load(path).where == str(path)


def test_strings_of_json() -> None:
    def read(text: str) -> Any:
        return json_text.parse(Source(text))[0]

    for letter in ("a", "é", "\ud7ff", "\ue000", "\U0001f0a1"):
        assert read(json.dumps([letter])) == [letter]
        assert read(json.dumps([letter], ensure_ascii=False)) == [letter]
    for half in ("\\ud800", "\\udbff", "\\udc00", "\\udfff"):
        assert "half of a surrogate pair" in fails(lambda h=half: read(f'["{h}"]'))
    for text, said in (("[1 2]", "unexpected '2' instead"), ("[1", "the text ends too early")):
        assert said in fails(lambda t=text: read(t))


def test_letters_of_xml() -> None:
    assert xml_text.escape('a&b<c>d"e\rf\tg\nh') == "a&amp;b&lt;c&gt;d&quot;e&#13;f\tg\nh"
    assert xml_text.escape("\x00\x1f \ufffd\ufffe\uffff") == "\ufffd\ufffd \ufffd\ufffd\ufffd"


@pytest.mark.parametrize("name", sorted(ELEMENTS))
def test_each_element_of_comments(name: str) -> None:
    text = f"a<{name}>b</{name}>c<{name}/>"
    assert check_subset(text) is None
    assert one_line(Comment(text, True, "", "")) == "abc"
    assert (check_subset(f'<{name} href="http://x"/>') is None) == (name == "a")
    assert check_subset(f'<{name} class="http://x"/>') is not None


def test_the_elements_of_comments() -> None:
    expected = "a b blockquote br cite code em i kbd li ol p pre q s span strong sub sup u ul"
    assert " ".join(sorted(ELEMENTS)) == expected
    for name in ("script", "img", "style", "div", "h1", "table"):
        assert "not in the XHTML subset" in str(check_subset(f"<{name}/>"))


def test_links_of_comments() -> None:
    for link in ("http://x", "https://x", "mailto:x"):
        assert check_subset(f'<a href="{link}">y</a>') is None
    for link in ("javascript:x", "ftp://x", "http:/x", "http://a b", "/x", "", " http://x"):
        assert check_subset(f'<a href="{link}">y</a>') is not None


def test_depth_of_comments() -> None:
    """The depth of elements in each other counts, not their number."""
    deepest = MAX_DEPTH - 1
    assert check_subset("<p>" * deepest + "</p>" * deepest) is None
    assert "nested more than" in str(check_subset("<p>" * MAX_DEPTH + "</p>" * MAX_DEPTH))
    assert check_subset("<p/>" * 100) is None


def test_what_is_given_and_said() -> None:
    """Each wish is compared with what the text says, and is used where it says nothing."""
    for key, wish, other in (
        ("freecells", 2, 3),
        ("columns", 9, 7),
        ("build", "suit", "any"),
        ("fill", "kings", "none"),
    ):
        given = Given(**{key: wish})
        assert getattr(given.rules({}, "here"), key) == wish
        assert getattr(given.rules({key: (wish, "there")}, "here"), key) == wish
        said = {key: (other, "there")}
        assert getattr(Given().rules(said, "here"), key) == other
        message = f"there: the text says {other} for {key}, --{key} says {wish}, expected the same"
        assert fails(lambda g=given, s=said: g.rules(s, "here")) == message
        rules = replace(rules_for("freecell"), **{key: other})
        places = {"game": "there", "freecells": "there", "columns": "there"}
        assert fails(lambda g=given, r=rules, p=places: g.agreed(r, p)) == message


def test_rules_that_cannot_be_are_told_where_they_stand() -> None:
    for key, value in (
        ("game", "nonsense"),
        ("moves", "sideways"),
        ("freecells", 99),
        ("columns", 0),
        ("build", "up"),
        ("fill", "aces"),
    ):
        said = {"game": ("freecell", "first")} | {key: (value, "there")}
        assert fails(lambda s=said: Given().rules(s, "here")).startswith("there: ")
    assert fails(lambda: Given(freecells=99).rules({}, "here")).startswith("here: ")


def test_a_deal_that_is_given_has_its_own_rules() -> None:
    """Rules that no text states completely are among them."""
    rules = replace(rules_for("klondike_by_threes"), passes=7)
    assert Given(deal=Deal.from_number(1, rules)).rules({}, "here") == rules


def test_a_number_is_of_the_program_that_is_given() -> None:
    rules = rules_for("freecell")
    ours, theirs = (
        Deal.load("24", rules, numbers=numbers) for numbers in ("microsoft", "solvitaire")
    )
    assert ours.position != theirs.position
    assert Given(deal="24").given_deal(rules) == ours
    assert Given(deal="24", numbers="solvitaire").given_deal(rules) == theirs


def test_games_that_are_told_in_full() -> None:
    told = {"game": "mine", "freecells": 3, "columns": 7, "build": "suit", "fill": "kings"}
    said = {key: (value, "there") for key, value in told.items()}
    rules = Given().rules(said, "here")
    assert {key: getattr(rules, "name" if key == "game" else key) for key in told} == told
    for key in ("freecells", "columns", "build", "fill"):
        part = {name: value for name, value in said.items() if name != key}
        assert "mine" in fails(lambda p=part: Given().rules(p, "here"))


def test_where_a_solution_starts() -> None:
    rules = rules_for("freecell")
    one, other = Deal.from_number(1), Deal.from_number(2)
    unnamed = Deal(one.position, rules)
    assert "expected one that does" in fails(lambda: Given().start(None, rules, "here"))
    assert Given().start(one, rules, "here") == one
    assert Given(deal=one).start(None, rules, "here") == one
    assert Given(deal=one).start(unnamed, rules, "here") == one
    assert Given(deal=unnamed).start(one, rules, "here") == one
    assert "the text starts from deal 2, the deal given is deal 1" in fails(
        lambda: Given(deal=one).start(other, rules, "here")
    )


def test_a_deal_that_is_given_contradicts_each_rule() -> None:
    rules = rules_for("freecell")
    given = Given(deal=Deal.from_number(1, rules))
    for key, other in (("game", "mine"), ("freecells", 3), ("columns", 9), ("build", "suit"),
                       ("fill", "kings")):  # fmt: skip
        own = rules.name if key == "game" else getattr(rules, key)
        assert given.rules({key: (own, "there")}, "here") == rules
        assert fails(lambda k=key, o=other: given.rules({k: (o, "there")}, "here")) == (
            f"there: the text says {other} for {key}, the deal given says {own}, expected the same"
        )


def test_rules_that_are_given_whole() -> None:
    """Nothing of them is lost, whatever the text says of the game's name."""
    rules = rules_for("klondike_by_threes")
    own = replace(rules, passes=7)
    for game in (own, replace(own, name="mine"), rules_for("freecell", freecells=2)):
        assert Given(game=game).rules({}, "here") == game
        assert Given(game=game).rules({"game": (game.name, "there")}, "here") == game


def test_a_name_gives_way_where_all_rules_are_alike() -> None:
    places = {"game": "there", "freecells": "there", "columns": "there"}
    rules = rules_for("freecell")
    unknown = replace(rules, name="mine")
    assert Given(game="freecell").agreed(unknown, places) == rules
    own = replace(rules, name="own")
    assert Given(game=own).agreed(unknown, places) == own
    towers = rules_for("seahaven_towers")
    plain = replace(towers, name="mine", dealt_to_freecells=0, layout="")
    assert Given(game="seahaven_towers").agreed(plain, places) == towers
    for other in (replace(unknown, fill="kings"), replace(unknown, build="suit"),
                  replace(unknown, moves="runs")):  # fmt: skip
        for game in ("freecell", own):
            name = game if isinstance(game, str) else game.name
            assert fails(lambda o=other, g=game: Given(game=g).agreed(o, places)) == (
                f"there: the text says mine for game, --game says {name}, expected the same"
            )


def test_the_game_that_is_given_deals_where_the_text_does_not_say_how() -> None:
    places = {"game": "there", "freecells": "there", "columns": "there"}
    own = replace(rules_for("freecell"), name="own", dealt_to_freecells=3)
    said = replace(own, dealt_to_freecells=0)
    assert Given(game=own).agreed(said, places) == own
    told = replace(own, dealt_to_freecells=1)
    assert Given(game=own).agreed(told, places) == told


def test_options_are_named_in_messages() -> None:
    given = Given(game="freecell", freecells=3, columns=9, build="suit", fill="kings", deal="5")
    expected = "--game freecell --freecells 3 --columns 9 --build suit --fill kings"
    assert given.options() == expected
    assert Given(game=rules_for("klondike"), deal="5", rows=True).options() == "--game klondike"
    assert Given().options() == ""


def test_a_board_that_is_given_by_its_rows(tmp_path: Path) -> None:
    rules = rules_for("freecell")
    deal = Deal.from_number(3, rules)
    rows = zip_longest(*deal.position.columns)
    path = tmp_path / "rows"
    path.write_text(
        "\n".join(" ".join(card_name(card) for card in row if card is not None) for row in rows)
    )
    found = Given(deal=str(path), rows=True).given_deal(rules)
    assert found is not None and found.position == deal.position
    with pytest.raises(InputError, match="the lines have the shape of rows"):
        Given(deal=str(path)).given_deal(rules)


def test_as_many_cards_as_two_packs_have() -> None:
    one = reader("spider")
    assert len(one.cards([card("AS")] * 104, ())) == 104
    assert "a list of at most 104" in fails(lambda: one.cards([card("AS")] * 105, ()))


def test_what_is_written_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solution that takes more bytes than a file may have is refused when it is written."""
    told = solved(3)
    sizes = {name: len(formats.write(told, name).encode()) for name in ("short", "universal-json")}
    for name, size in sizes.items():
        monkeypatch.setattr(formats, "MAX_BYTES", size)
        assert formats.write(told, name)
        monkeypatch.setattr(formats, "MAX_BYTES", size - 1)
        with pytest.raises(UsageError, match=f"^a solution of {size} bytes in the format {name}"):
            formats.write(told, name)
