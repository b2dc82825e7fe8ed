"""A picture of a position: freecells and foundations above the columns, as on a table."""

from __future__ import annotations

from dbmsolver.game.cards import RANKS, SUIT_NAMES, SUITS, card_name, rank, suit
from dbmsolver.game.position import Position, Pyramid
from dbmsolver.game.rules import Rules
from dbmsolver.notation.pictures.suits import BLACK, FACE, RED, SHAPES, is_outlined
from dbmsolver.notation.pictures.svg import Number, document, element, text

WIDTH, HEIGHT = 80, 112
"""Size of a card."""

STEP = 31
"""The height of a card that is seen above the next one."""

GAP, MARGIN, LABEL = 12, 20, 26
TABLE, ON_TABLE, SLOT, EDGE = "#24604a", "#f3f8f4", "#8fb5a3", "#7f8984"
BACK = "#173a4f"
HOME_ORDER = (0, 3, 2, 1)
"""H C D S, from left to right."""

CELL_NAMES = "abcdefgijklmnopq"
RANK_WORDS = {1: "ace", 11: "jack", 12: "queen", 13: "king"}


def draw_board(position: Position, title: str, rules: Rules | None = None) -> str:
    """Return the position as SVG; the title, and a description in words, are part of it."""
    if (pyramid := position.pyramid) is not None:
        return _draw_pyramid(position, pyramid, title)
    cells, columns = len(position.freecells), len(position.columns)
    has_stock = position.pile is None and bool(position.stock + position.waste)
    held = position.reserve
    homes = len(_tops(position))
    most = 8 if homes == 4 else homes + 2
    across = max(columns + bool(held), min((2 if has_stock else cells) + homes, most))
    rows = 1 if position.pile is not None or has_stock else _rows(cells, across)
    width = 2 * MARGIN + across * (WIDTH + GAP) - GAP
    top = MARGIN + rows * (HEIGHT + GAP) + LABEL
    deepest = max(max(map(len, position.columns)), len(held), 1)
    height = top + HEIGHT + (deepest - 1) * STEP + MARGIN
    return document(
        width,
        height,
        title,
        describe(position, rules),
        _shapes(),
        element("rect", width=width, height=height, rx=14, fill=TABLE),
        *(
            _pile_and_stock(position)
            if position.pile is not None
            else [
                *(_stock_and_waste(position) if has_stock else _freecells(position, across)),
                *_foundations(position, across, rows),
            ]
        ),
        *_columns(position, width, top),
    )


def _draw_pyramid(position: Position, pyramid: Pyramid, title: str) -> str:
    """Return the position of a pairing game as SVG: stock and waste above the pyramid."""
    rows = len(position.columns)
    across = max(rows, 4)
    width = 2 * MARGIN + across * (WIDTH + GAP) - GAP
    top = MARGIN + HEIGHT + LABEL
    drawn = []
    for number, row in enumerate(pyramid):
        left = (width - (number + 1) * (WIDTH + GAP) + GAP) / 2
        drawn += [
            draw_card(card, left + index * (WIDTH + GAP), top + number * HEIGHT / 2)
            for index, card in enumerate(row)
            if card is not None
        ]
    return document(
        width,
        top + HEIGHT + (rows - 1) * HEIGHT / 2 + MARGIN,
        title,
        describe(position),
        _shapes(),
        element("rect", width="100%", height="100%", rx=14, fill=TABLE),
        *_stock_and_waste(position),
        _beside(f"{len(position.removed)} removed", MARGIN + WIDTH + GAP),
        *drawn,
    )


def _pyramid_in_words(position: Position, pyramid: Pyramid) -> str:
    """Return the position of a pairing game in words, a sentence for each place and each row."""
    places = ("Waste", position.waste), ("Stock", position.stock), ("Removed", position.removed)
    said = [f"{name}: {', '.join(map(card_words, cards))}" for name, cards in places if cards]
    for number, row in enumerate(pyramid, start=1):
        names = ("gone" if card is None else card_words(card) for card in row)
        said.append(f"Row {number}: {', '.join(names)}")
    return ". ".join(said) + "."


def describe(position: Position, rules: Rules | None = None) -> str:
    """Return the position in words, a sentence for each place.

    With rules by which cards only leave the freecells these are called a reserve.
    """
    if (pyramid := position.pyramid) is not None:
        return _pyramid_in_words(position, pyramid)
    said = [] if position.pile is None else _piled_in_words(position, position.pile)
    said += [
        f"Foundation of {SUIT_NAMES[index]}: " + ("empty" if top is None else card_words(top))
        for index, top in _tops(position)
        if position.pile is None
    ]
    cell = "Reserve" if rules is not None and rules.reserve else "Freecell"
    said += [
        f"{cell} {CELL_NAMES[index]}: {'empty' if card is None else card_words(card)}"
        for index, card in enumerate(position.freecells)
    ]
    if position.pile is None:
        places = (
            ("Reserve", position.reserve),
            ("Waste", position.waste),
            ("Stock", position.stock),
        )
        for name, cards in places:
            said += [f"{name}: {', '.join(map(card_words, cards))}"] if cards else []
    columns = zip(position.columns, position.hidden, strict=True)
    said += [
        f"Column {index}: {', '.join(_column_words(column, down)) or 'empty'}"
        for index, (column, down) in enumerate(columns, start=1)
    ]
    return ". ".join(said) + "."


def _column_words(column: tuple[int, ...], hidden: int) -> list[str]:
    """Return the names of the cards of a column, those that lie face down said to do so."""
    names = [card_words(card) for card in column]
    return [f"{name} face down" if n < hidden else name for n, name in enumerate(names)]


def _piled_in_words(position: Position, pile: tuple[int, ...]) -> list[str]:
    """Return pile and stock, a sentence for each: the pile's top card is the last one."""
    said = [f"Pile: {', '.join(map(card_words, pile)) or 'empty'}"]
    if position.stock:
        said.append(f"Stock: {', '.join(map(card_words, position.stock))}")
    return said


def card_words(card: int) -> str:
    """Return the name of a card: `10 of diamonds`."""
    return f"{RANK_WORDS.get(rank(card), rank(card))} of {SUIT_NAMES[suit(card)]}"


def _rows(cells: int, across: int) -> int:
    """Count the rows that freecells and foundations take, each `across` cards wide."""
    last = (cells - 1) % across + 1 if cells else 0
    return (cells - last) // across + (1 if last + 4 <= across else 2)


def _shapes() -> str:
    """Return the suits, to be used by their names wherever they are drawn."""
    shapes = []
    for name, shape in SHAPES.items():
        look: dict[str, str | Number] = {"fill": BLACK}
        if is_outlined(name):
            look = {"fill": "none", "stroke": RED}
        shapes.append(element("path", id=f"suit-{name}", d=shape, **look))
    return element("defs", *shapes)


def _pip(card: int, x: Number, y: Number, size: Number, line: Number) -> str:
    """Return a suit with its upper left corner at (x, y).

    `line` is the width of an outline, of 100.
    """
    return element(
        "use",
        href=f"#suit-{SUITS[suit(card)]}",
        transform=f"translate({x} {y}) scale({size / 100})",
        stroke_width=line,
    )


def _corner(card: int) -> str:
    name = RANKS[rank(card) - 1].replace("T", "10")
    colour = RED if is_outlined(SUITS[suit(card)]) else BLACK
    look: dict[str, str | Number] = {"font_size": 24, "font_weight": 700, "fill": colour}
    start = 20 if name == "J" else 26
    if name == "10":  # as wide as this in every font
        look |= {"textLength": 27, "lengthAdjust": "spacingAndGlyphs"}
        start = 35
    return text(name, 6, 25, **look) + _pip(card, start, 8, 18, 13)


def draw_card(card: int, x: Number, y: Number) -> str:
    """Return a card with its upper left corner at (x, y)."""
    corner = _corner(card)
    turn = f"rotate(180 {WIDTH / 2} {HEIGHT / 2})"
    face = element(
        "rect", x=0.5, y=0.5, width=WIDTH - 1, height=HEIGHT - 1, rx=7, fill=FACE, stroke=EDGE
    )
    return element(
        "g",
        element("title", card_words(card)),
        face,
        corner,
        _pip(card, 22, 38, 36, 9),
        element("g", corner, transform=turn),
        transform=f"translate({x:g} {y:g})",
    )


def _slot(x: Number, y: Number, sign: str) -> str:
    """Return an empty place for a card."""
    box = element(
        "rect",
        x=x + 1,
        y=y + 1,
        width=WIDTH - 2,
        height=HEIGHT - 2,
        rx=7,
        fill="none",
        stroke=SLOT,
        stroke_width=2,
        stroke_dasharray="6 5",
    )
    return box + sign


def _freecells(position: Position, across: int) -> list[str]:
    drawn = []
    for index, card in enumerate(position.freecells):
        row, place = divmod(index, across)
        x, y = MARGIN + place * (WIDTH + GAP), MARGIN + row * (HEIGHT + GAP)
        if card is not None:
            drawn.append(draw_card(card, x, y))
            continue
        sign = text(
            CELL_NAMES[index],
            x + WIDTH / 2,
            y + HEIGHT / 2 + 9,
            font_size=28,
            font_weight=600,
            fill=SLOT,
            text_anchor="middle",
        )
        drawn.append(_slot(x, y, sign))
    return drawn


def _pile_and_stock(position: Position) -> list[str]:
    """Return the stock, if there is one, with its number of cards, and the top card of the pile."""
    drawn, x = [], MARGIN
    if position.stock:
        drawn.append(_back(x, MARGIN, len(position.stock)))
        x += WIDTH + GAP
    if position.pile:
        drawn.append(draw_card(position.pile[-1], x, MARGIN))
        drawn.append(_beside(f"{len(position.pile)} on the pile", x))
    else:
        drawn += [_slot(x, MARGIN, ""), _beside("an empty pile", x)]
    return drawn


def _stock_and_waste(position: Position) -> list[str]:
    """Return the stock with its number of cards, and the top card of the waste."""
    x = MARGIN + WIDTH + GAP
    stock, waste = position.stock, position.waste
    return [
        _back(MARGIN, MARGIN, len(stock)) if stock else _slot(MARGIN, MARGIN, ""),
        draw_card(waste[-1], x, MARGIN) if waste else _slot(x, MARGIN, ""),
    ]


def _beside(words: str, x: Number) -> str:
    """Return words to the right of a card in the upper row."""
    look: dict[str, str | Number] = {"font_size": 18, "font_weight": 600, "fill": ON_TABLE}
    return text(words, x + WIDTH + GAP, MARGIN + HEIGHT / 2 + 6, **look)


def _face_down(card: int, x: Number, y: Number) -> str:
    """Return a card of a column that lies face down.

    All cards are known, so its corner tells which it is.
    """
    sign: dict[str, str | Number] = {"font_size": 17, "font_weight": 600, "fill": ON_TABLE}
    look: dict[str, str | Number] = {"rx": 7, "stroke": ON_TABLE, "stroke_width": 3}
    box = element("rect", x=x + 2, y=y + 2, width=WIDTH - 4, height=HEIGHT - 4, fill=BACK, **look)
    return element(
        "g",
        element("title", f"{card_words(card)} face down"),
        box,
        text(card_name(card), x + 10, y + 22, **sign),
    )


def _back(x: Number, y: Number, cards: int) -> str:
    """Return a card face down, with the number of cards."""
    look: dict[str, str | Number] = {"rx": 7, "stroke": ON_TABLE, "stroke_width": 3}
    sign: dict[str, str | Number] = {
        "font_size": 28, "font_weight": 700, "fill": ON_TABLE, "text_anchor": "middle",
    }  # fmt: skip
    box = element("rect", x=x + 2, y=y + 2, width=WIDTH - 4, height=HEIGHT - 4, fill=BACK, **look)
    return element(
        "g",
        element("title", f"stock of {cards}"),
        box,
        text(str(cards), x + WIDTH / 2, y + HEIGHT / 2 + 10, **sign),
    )


def _foundations(position: Position, across: int, rows: int) -> list[str]:
    drawn = []
    y = MARGIN + (rows - 1) * (HEIGHT + GAP)
    tops = _tops(position)
    for place, (index, top) in enumerate(tops):
        x = MARGIN + (across - len(tops) + place) * (WIDTH + GAP)
        if top is not None:
            drawn.append(draw_card(top, x, y))
            continue
        shape = element(
            "path",
            d=SHAPES[SUITS[index]],
            transform=f"translate({x + WIDTH / 2 - 14:g} {y + HEIGHT / 2 - 14:g}) scale(.28)",
            **_sign_look(SUITS[index]),
        )
        drawn.append(_slot(x, y, shape))
    return drawn


def _tops(position: Position) -> list[tuple[int, int | None]]:
    """Return the suit of each foundation, and the card on top of it; None without one."""
    return [(index, top) for index in HOME_ORDER for top in position.tops_home(index)]


def _sign_look(name: str) -> dict[str, str | Number]:
    if is_outlined(name):
        return {"fill": "none", "stroke": SLOT, "stroke_width": 10}
    return {"fill": SLOT}


def _columns(position: Position, width: Number, top: Number) -> list[str]:
    held = position.reserve
    first = 1 if held else 0
    count = len(position.columns) + first
    start = (width - count * (WIDTH + GAP) + GAP) / 2
    drawn = []
    if held:
        drawn.append(_label("reserve", start, top))
        drawn += [draw_card(card, start, top + depth * STEP) for depth, card in enumerate(held)]
    for index, column in enumerate(position.columns):
        x = start + (index + first) * (WIDTH + GAP)
        drawn.append(_label(str(index + 1), x, top))
        hidden = position.hidden[index]
        drawn += [_face_down(column[depth], x, top + depth * STEP) for depth in range(hidden)]
        drawn += [
            draw_card(card, x, top + depth * STEP)
            for depth, card in enumerate(column[hidden:], start=hidden)
        ]
        if not column:
            drawn.append(_slot(x, top, ""))
    return drawn


def _label(words: str, x: Number, top: Number) -> str:
    """Return the label above a column."""
    look: dict[str, str | Number] = {"font_size": 15, "font_weight": 600, "fill": ON_TABLE}
    return text(words, x + WIDTH / 2, top - 9, **look, text_anchor="middle")
