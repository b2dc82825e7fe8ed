"""From a description to a text of the language that `reading` reads as the same description."""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    Header,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
)

_WIDTH = 100


def format_description(game: Description) -> str:
    """Return the text of a game: a line for each thing that it says, in the usual blocks."""
    blocks = []
    if game.extends is not None:
        blocks.append([f"Extends {_quoted(game.extends)}"])
    if game.header is not None:
        blocks.append(["Header", *_header(game.header)])
    if game.setup is not None:
        blocks.append(["Setup", *map(_setup_line, game.setup)])
    if game.deck is not None:
        blocks.append(["Deck", *_deck(game.deck)])
    if game.deal is not None:
        blocks.append(["Deal", *(line for phase in game.deal for line in _phase(phase))])
    if game.moves is not None:
        blocks.append(["Move", *map(_move_line, game.moves)])
    if game.finish is not None:
        blocks.append(["Finish", *game.finish])
    if game.triggers is not None:
        blocks.append(["TriggerConditions", *map(_condition, game.triggers)])
    return "\n".join("".join(f"{line}\n" for line in _indented(block)) for block in blocks)


def _indented(block: list[str]) -> Iterator[str]:
    yield block[0]
    for line in block[1:]:
        yield f"    {line}"


def _quoted(text: str) -> str:
    """Return a text in those quotes that do not stand in it."""
    if '"' not in text:
        return f'"{text}"'
    return f"({text})" if not set("()") & set(text) else f"“{text}”"


def _header(header: Header) -> Iterator[str]:
    for name in ("name", "description", "numbers"):
        value = getattr(header, name)
        if value is not None:
            yield f"{name.capitalize()} {_quoted(value)}"
    for name in ("height", "width"):
        value = getattr(header, name)
        if value is not None:
            yield f"{name.capitalize()} {value}"


def _counted(word: str, count: int) -> str:
    return word if count == 1 else f"{word}[{count}]"


def _setup_line(line: SetupLine) -> str:
    words = [line.element, _counted(line.display, line.count)]
    if line.keep:
        words.append("Keep")
    if line.base is not None:
        words.append(f"Base[{line.base}]")
    return " ".join(words)


def _deck(deck: Deck) -> Iterator[str]:
    if deck.decks is not None:
        yield "Single" if deck.decks == 1 else f"Multiple[{deck.decks}]"
    for suit, count in deck.suits:
        yield _counted(suit, count)
    if deck.high is not None:
        yield deck.high
    if deck.ranks is not None:
        yield f"Ranks[{deck.ranks}]"


def _phase(phase: Phase) -> Iterator[str]:
    if not phase.triggered:
        yield "Initial"
    elif phase.times is None:
        yield "Triggered[Unlimited]"
    else:
        yield _counted("Triggered", phase.times)
    for dealt in phase.dealt:
        yield f"    {_dealt(dealt)}"


def _dealt(dealt: Dealt) -> str:
    stacks = ["{" + ",".join(map(_entry, stack)) + "}" for stack in dealt.stacks]
    lines = [""]
    for stack in stacks:
        if len(lines[-1]) + len(stack) > _WIDTH - 24:
            lines.append("")
        lines[-1] += stack
    words = [dealt.element, ("\n" + " " * 12).join(lines)]
    if dealt.rows is not None:
        words.append(f"Rows[{dealt.rows}]" if dealt.rows else "Rows")
    orders = {
        "Diagonal": dealt.diagonal,
        "RightToLeft": dealt.right_to_left,
        "KingsSunk": dealt.kings_sunk,
        "Auto": dealt.auto,
    }
    words += [word for word, is_said in orders.items() if is_said]
    return " ".join(word for word in words if word)


def _entry(entry: StackEntry) -> str:
    text = str(entry.first) if entry.last is None else f"{entry.first}..{entry.last}"
    return f"({text})" if entry.face_down else text


def _move_line(line: MoveLine) -> str:
    words: list[str] = [line.element]
    if line.item is not None:
        words.append(_counted(line.item, line.count))
    numbered = {"Rank": f"Rank[{line.rank}]", "Sum": f"Sum[{line.sum}]"}
    words += [numbered.get(word, word) for word in line.destinations]
    words += line.modifiers
    words += [f"SourceElement[{source}]" for source in line.sources]
    if line.times is not None:
        words.append(f"Times[{line.times or 'Unlimited'}]")
    return " ".join(words)


def _condition(condition: str) -> str:
    return condition if condition == "NoValidMove" else f"NoBlank[{condition}]"
