"""Files that are no solutions: each is refused with one clear line, in bounded time and memory."""

from __future__ import annotations

import json
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers.selection import few_fast
from helpers.solutions import solved

from dbmsolver.errors import DbmError, IllegalMoveError, InputError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import FORMATS, Given, InvalidError, Source
from dbmsolver.notation.formats.source import MAX_BYTES
from dbmsolver.notation.formats.universal import tree
from dbmsolver.notation.solution import NotSolvedError

TEXTS = {name: formats.write(solved(18), name, "wkr") for name in FORMATS}
JSON = TEXTS["universal-json"]
XML = TEXTS["universal-xml"]


def refused(text: str | bytes, name: str | None = None, deal: Deal | None = None) -> str:
    """Return the one line that refuses the text."""
    with pytest.raises(DbmError) as error:
        data = text.encode() if isinstance(text, str) else text
        formats.read(Source.of_bytes(data, "f"), name, Given(deal=deal)).check()
    message = str(error.value)
    assert "\n" not in message
    assert len(message) < 1500
    assert error.value.exit_code in (3,)
    return message


def located(message: str, line: int | None = None, column: int | None = None) -> None:
    match = re.match(r"f, line (\d+), column (\d+): ", message)
    assert match, message
    if line is not None:
        assert int(match[1]) == line
    if column is not None:
        assert int(match[2]) == column


@pytest.mark.parametrize("name", FORMATS)
def test_cut_off(name: str) -> None:
    text = TEXTS[name].rstrip()
    # The page's script, which comes last, means nothing here.
    for part in (0.15, 0.4) if name == "html" else (0.15, 0.4, 0.7, 0.97):
        refused(text[: int(len(text) * part)], name)


@pytest.mark.parametrize("name", FORMATS)
def test_empty(name: str) -> None:
    refused("", name)
    refused(" \n\n", name)


@pytest.mark.parametrize("name", FORMATS)
def test_any_damage_is_refused_or_harmless(name: str) -> None:
    """Characters exchanged at random: never another kind of error."""
    random = Random(name)
    text = TEXTS[name]
    for _ in range(60 if name in ("moves", "short") else 15):
        letters = list(text)
        for _ in range(random.choice((1, 2, 5))):
            letters[random.randrange(len(letters))] = random.choice('0a7K{}[]<>&";:\n#. -+=\u00e9')
        try:
            formats.read(Source("".join(letters), "f"), name).check()
        except InputError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("name", FORMATS)
def test_wrong_card(name: str) -> None:
    text = TEXTS[name]
    if name == "universal-json":
        message = refused(text.replace('"rank": 8', '"rank": 14', 1))
        assert "expected a number from 1 to 13" in message
        message = refused(text.replace('"suit": "S"', '"suit": "X"'))
        assert "expected one of H, S, D, C" in message
    elif name == "universal-xml":
        message = refused(text.replace("<rank>8</rank>", "<rank>99</rank>", 1))
    elif name == "html":
        message = refused(text.replace('"rank":8', '"rank":14', 1))
    elif name == "moves":
        message = refused(text.replace("8", "X", 1))
    else:
        return
    located(message)


def test_card_twice() -> None:
    document = json.loads(JSON)
    cards = document["solution"]["initial_position"]["columns"][0]["cards"]
    cards[0] = cards[1]
    message = refused(json.dumps(document))
    assert "twice" in message
    assert "initial_position" in message


@pytest.mark.parametrize(
    "name, change",
    [
        ("short", lambda text: re.sub(r"(?m)^[1-8]", "d", text, count=1)),
        ("moves", lambda text: re.sub(r"from stack \d", "from freecell 3", text, count=1)),
        ("universal-json", lambda text: re.sub(r'"col": \d', '"freecell": 2', text, count=1)),
        (
            "universal-xml",
            lambda text: re.sub(r"<col>\d</col>", "<freecell>2</freecell>", text, count=1),
        ),
        ("sfn", lambda text: re.sub(r"(?m)^ \d", " d", text, count=1)),
        ("html", lambda text: re.sub(r'"col":\d', '"freecell":2', text, count=1)),
    ],
)
def test_move_from_an_empty_place(name: str, change: object) -> None:
    text = change(TEXTS[name])  # type: ignore[operator]
    assert text != TEXTS[name]
    message = refused(text, name)
    located(message)
    assert "illegal move 1 " in message
    assert "position: [hearts 0" in message


def test_move_from_an_empty_column() -> None:
    deal = Deal.from_text("Foundations: H-K C-K D-K S-Q\nKS\n", GAMES["freecell"])
    for text, name in (("21", "short"), ("Move a card from stack 1 to stack 0", "moves")):
        message = refused(text, name, deal)
        located(message, 1, 1)
        assert "no card there (column 2)" in message


@pytest.mark.parametrize("name", FORMATS)
def test_illegal_move_is_refused(name: str) -> None:
    """A wrong solution: its tenth move is exchanged with the one after it."""
    steps = list(solved(18).steps)
    index = next(
        i for i in range(10, 40) if steps[i].destination.kind != "foundation"
        and steps[i].source == steps[i + 1].source
    )  # fmt: skip
    steps[index], steps[index + 1] = (
        replace(steps[index], destination=steps[index + 1].destination, card=None),
        replace(steps[index + 1], destination=steps[index].destination, card=None),
    )
    wrong = replace(solved(18), steps=tuple(steps))
    if name in ("sfn", "short"):
        with pytest.raises(IllegalMoveError):
            formats.write(wrong, name)
        text = TEXTS[name]
        words = re.findall(r"(?m)(?<=[ .])[1-8a-d][1-8a-dh]\b", text)
        message = refused(text.replace(f" {words[10]}", " 8h", 1), name)
    elif name == "html":
        with pytest.raises(IllegalMoveError):
            formats.write(wrong, name)
        data = json.dumps(tree(wrong))
        page = re.sub(r'(?<=id="solution">).*?(?=</script>)', lambda _: data, TEXTS[name])
        message = refused(page)
    else:
        message = refused(formats.write(wrong, name))
    assert "illegal move" in message
    located(message)


@pytest.mark.parametrize("name", FORMATS)
def test_solution_that_does_not_end_solved_is_refused(name: str) -> None:
    short = replace(solved(18), steps=solved(18).steps[:40]).ended()
    text = formats.write(short, name)
    with pytest.raises(NotSolvedError, match=r"not solved after \d+ moves: \d+ cards are not home"):
        formats.read(text).check()
    located(refused(text))


def test_wrong_final_position_is_refused() -> None:
    short = replace(solved(18), steps=solved(18).steps[:-1])
    for name in ("universal-json", "universal-xml", "html"):
        assert "the final position is not" in refused(formats.write(short, name))


def test_ten_megabytes_on_a_line(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b" 1a" * (10 << 20))
    tracemalloc.start()
    with pytest.raises(InvalidError, match=f"more than {MAX_BYTES} bytes"):
        formats.read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_BYTES


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "filling", few_fast(["1a ", "[", "x", " ", "\n", '"', "<a>", "Move ", "#|"], 3)
)
def test_four_megabytes_of_anything(name: str, filling: str) -> None:
    text = (filling * (MAX_BYTES // len(filling)))[: MAX_BYTES - 16]
    refused(text, name, solved(18).deal)


def test_deep_json() -> None:
    message = refused("[" * 100_000, "universal-json")
    assert "nested more than 32 deep" in message
    located(message, 1, 34)
    refused('{"a":' * 100_000, "universal-json")


def test_deep_xml() -> None:
    message = refused("<a>" * 100_000, "universal-xml")
    assert "nested more than 32 deep" in message
    deep = "<c>" * 20 + "</c>" * 20
    assert "nested" not in refused(XML.replace("<header>", f"<header>{deep}", 1))


BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY lol "lol">
 <!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
 <!ENTITY lol2 "&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;">
]>
<lolz>&lol2;</lolz>
"""


@pytest.mark.parametrize(
    "text",
    [
        BILLION_LAUGHS,
        '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://localhost/x">%x;]><a/>',
    ],
)
def test_document_types_are_refused(text: str) -> None:
    message = refused(text, "universal-xml")
    located(message)
    assert "document type" in message


def test_undefined_entities_are_refused() -> None:
    assert "not well-formed" in refused(XML.replace("freecell", "&x;", 1))


def test_duplicate_keys() -> None:
    message = refused(JSON.replace('"header":', '"header": {}, "header":', 1))
    located(message, 4)
    assert "the key 'header' a second time" in message
    message = refused(XML.replace("</header>", "</header><header/>", 1))
    assert "a second time" in message


@pytest.mark.parametrize("name", FORMATS)
def test_invalid_utf8(name: str) -> None:
    data = TEXTS[name].encode()
    at = data.index(b"\n") + 1
    message = refused(data[:at] + b"ab\xff" + data[at:], name)
    assert message.startswith("f, line 2, column 3: byte 0xff is not text in UTF-8")


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "ends too early"),
        ("{}", "no header, expected"),
        ("[]", "expected an object"),
        ("nul", "unexpected 'n'"),
        ('{"format": "x", "header": {}, "solution": {}}', "format: 'x', expected universal-"),
        ("{1: 2}", "instead of a key in double quotes"),
        ('{"a" 1}', "instead of `:`"),
        ('{"a": 1 "b": 2}', "instead of `,` or `}`"),
        ("{} {}", "text after the end"),
        ('{"a": "\\x"}', "bad character or escape"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"a": 1e999}', "out of range"),
        ('{"a": 1' + "0" * 5000 + "}", "a number of 5001 characters"),
        ('{"a": NaN}', "unexpected 'N'"),
    ],
)
def test_bad_json(text: str, message: str) -> None:
    found = refused(text, "universal-json")
    located(found)
    assert message in found


@pytest.mark.parametrize(
    "path, value, message",
    [
        (["format"], "other", "expected universal-solitaire-solution"),
        (["format_version"], "0.2", "version '0.2', expected '0.1'"),
        (["format_version"], 0.1, "version 0.1, expected '0.1'"),
        (["format"], None, "format: null, expected universal-solitaire-solution"),
        (["header", "NUM_MOVES"], True, "NUM_MOVES: true, expected a number from 0 to 10000"),
        (["header", "MAX_RANK"], None, "MAX_RANK: null, expected a number from 13 to 13"),
        (["header", "variant"], ["a"], 'variant: ["a"], expected text of at most 100 characters'),
        (["header", "sequence_move"], 1, "sequence_move: 1, expected one of LIMITED, UNLIMITED"),
        (["header", "NUM_DECKS"], 2, "2, expected 1"),
        (["header", "NUM_MOVES"], 3, "3 moves, there are"),
        (["header", "NUM_MOVES"], 1_000, "1000 moves, there are"),
        (["header", "NUM_MOVES"], True, "expected a number"),
        (["header", "NUM_COLUMNS"], 7, "8 columns, expected 7"),
        (["header", "NUM_COLUMNS"], "8", "expected a number"),
        (["header", "MAX_RANK"], 12, "expected a number from 13 to 13"),
        (["header", "variant"], 5, "expected text"),
        (["header", "sequences_are_built_by"], "COLOR", "expected one of RANK, SUIT"),
        (["header", "deal_number"], 19, "is not that of deal 19"),
        (["header", "deal_number"], 0, "no such number"),
        (["solution", "moves"], {}, "expected a list"),
        (["solution", "moves", 0], [], "expected an object"),
        (["solution", "moves", 0, "move", "automove"], "horne", "expected one of NONE, Horne"),
        (["solution", "moves", 0, "move", "source"], {}, "expected one of col, freecell"),
        (["solution", "moves", 0, "move", "source"], {"col": 8}, "from 0 to 7"),
        (["solution", "moves", 0, "move", "source"], {"col": 1, "freecell": 1}, "expected one of"),
        (["solution", "moves", 0, "move", "comment"], {"originator": "", "ID": ""}, "one of"),
        (["solution", "initial_position", "columns", 0, "len"], 3, "3, there are 7 cards"),
        (["solution", "initial_position", "freecells"], [], "0 freecells, expected 4"),
        (["solution", "initial_position", "foundations", 0], {}, "no foundation, expected"),
        (
            ["solution", "initial_position", "columns", 0, "cards", 0],
            {"is_empty": False, "is_hidden": True},
            "a hidden card",
        ),
        (
            ["solution", "initial_position", "columns", 0, "cards", 0],
            {"is_empty": True, "is_hidden": False},
            "no card, expected one",
        ),
    ],
)
def test_bad_fields(path: list[str | int], value: object, message: str) -> None:
    document = json.loads(JSON)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    found = refused(json.dumps(document, indent=1))
    located(found)
    assert message in found


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        '<p onclick="x">y</p>',
        '<a href="javascript:x">y</a>',
        '<a href="https://x/&quot;y">z</a>',
        "<p>not closed",
        "</div><div>",
        "&nbsp;",
        "<?php x?>",
        "<p>" * 20 + "</p>" * 20,
    ],
)
def test_bad_xhtml(text: str) -> None:
    document = json.loads(JSON)
    comment = {"XHTML_Subset_Comment": text, "originator": "", "ID": ""}
    document["solution"]["moves"][0]["move"]["comment"] = comment
    assert "XHTML" in refused(json.dumps(document)) or "comment" in refused(json.dumps(document))


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("<header>", "<header><unknown/>", "unknown"),
        ("<header>", "<header>text", "expected elements"),
        ("<NUM_DECKS>1<", "<NUM_DECKS>one<", "expected a number"),
        ("<NUM_DECKS>1<", "<NUM_DECKS><a/>1<", "elements, expected text"),
        ("<is_empty>true<", "<is_empty>yes<", "expected true or false"),
        ("<entry>", "<other>x</other><entry>", "expected entry"),
        ("</header>", "<extra>1</extra></header>", "no name"),
        ("</header>", '<extra name="a">{</extra></header>', "ends too early"),
        ("universal-solitaire-solution:0.1", "something-else", "of the namespace"),
        ('format_version="0.1"', 'format_version="9"', "version '9'"),
    ],
)
def test_bad_xml(old: str, new: str, message: str) -> None:
    assert old in XML
    found = refused(XML.replace(old, new, 1), "universal-xml")
    located(found)
    assert message in found


@pytest.mark.parametrize(
    "text, message",
    [
        ("# game: chess\n1a", "unknown game 'chess'"),
        ("# deal: x\n1a", "expected digits"),
        ("# deal: 0\n1a", "deal 0"),
        ("# deal: 1\n# deal: 2\n1a", "a second time"),
        ("# freecells: many\n# deal: 1\n1a", "expected digits"),
        ("# freecells: 50\n# deal: 1\n1a", "expected 0 to 13"),
        ("# fill: all\n# deal: 1\n1a", "unknown fill"),
        ("# deal: 1\n1aa", "unknown move '1aa'"),
        ("# deal: 1\n1a h1", "unknown move 'h1'"),
        ("# deal: 1\n1a 9a", "illegal move 2 '9a'"),
        ("# | XX\n1a", "unknown card"),
        ("1a", "expected one that does"),
    ],
)
def test_bad_short_notation(text: str, message: str) -> None:
    assert message in refused(text, "short")


@pytest.mark.parametrize(
    "text, message",
    [
        ("# deal: 1\nMove a card from stack 9 to freecell 0", "no such place"),
        ("# deal: 1\nMove it", "unknown line 'Move it'"),
        ("# deal: 2\n\nFoundations:\nFreecells:\n: AS\n", "missing cards"),
        ("# deal: 1\nMove 2 cards from stack 0 to freecell 0", "expected 1 unless"),
        ("# deal: 1\nMove a card from stack 0 to freecell 0\nFreecells: AS\n: KS\n", "missing"),
        ("Move a card from stack 0 to freecell 0", "expected one that does"),
    ],
)
def test_bad_move_lines(text: str, message: str) -> None:
    assert message in refused(text, "moves")


def test_wrong_board_between_the_moves() -> None:
    text = TEXTS["moves"]
    first = text.index("Move a card")
    board = text[text.index("Foundations:") : text.index("====")]
    end = text.index("\n", first) + 1
    message = refused(text[:end] + board + text[end:])
    assert "the board is not the position" in message


def test_page_without_a_solution() -> None:
    assert "no solution in the page" in refused("<!DOCTYPE html><p>hello</p>")


def test_other_deal_than_the_one_given() -> None:
    other = solved(3).deal
    for name in ("universal-json", "universal-xml", "html"):
        with pytest.raises(InvalidError, match="starts from deal 18, the deal given is deal 3"):
            formats.read(TEXTS[name], given=Given(deal=other))


def test_unknown_formats() -> None:
    with pytest.raises(UsageError, match="unknown format 'pdf', expected one of universal-json"):
        formats.write(solved(18), "pdf")
    with pytest.raises(UsageError, match="unknown format 'pdf'"):
        formats.read(TEXTS["sfn"], "pdf")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        formats.read(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be read"):
        formats.read(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        " 26" * 13_000 + "x",
        "26 " * 13_000 + "x",
        ".26" * 13_000 + "!",
        "." * 39_000,
        " " * 39_000 + "x",
        "5D " * 13_000 + "!",
        "\t" * 39_000 + ":x",
        "#" + " " * 39_000 + "3",
        "3" + " " * 39_000 + "x",
        "-" * 39_000,
        "10" * 19_000,
        "Move a card from " + " " * 39_000,
    ],
)
@pytest.mark.parametrize("name", [None, "sfn", "short", "moves"])
def test_long_lines_take_no_longer_than_they_are(line: str, name: str | None) -> None:
    """Patterns that try a line in many ways would need ages for these."""
    refused(f"{line}\n{line}\n", name)
