// The solution: its positions, one after each number of moves, and where the replay stops.
const data = JSON.parse(element("solution").textContent);
const replay = JSON.parse(element("replay").textContent);
const moves = data.solution.moves.map((entry) => entry.move);
const wide = /^packs-/.test(data.header.cards_move || "");
if (/\breserve\b/.test(data.header.cards_move || "")) cellWord = "reserve";
const positions = [firstPosition(data.solution.initial_position)];
for (const move of moves) positions.push(positionAfter(positions[positions.length - 1], move));
const stops = findStops();

function readCard(value) {
  return value.is_empty ? null : RANKS[value.rank] + value.suit;
}

function hiddenIn(column) {
  return column.cards.filter((card) => card.is_hidden).length;
}

// Foundations of several packs: their cards, and those that are alike told apart.
function withPacks(position, initial) {
  const seen = new Map();
  const own = (card) => {
    const copies = seen.get(card) || 0;
    seen.set(card, copies + 1);
    return copies ? card + copies : card;
  };
  const homes = initial.foundations.map(({ foundation: { suit }, rank }) => ({ suit,
    cards: [...RANKS.slice(1, rank + 1)].map((name) => own(name + suit)) }));
  return { ...position, homes, columns: position.columns.map((column) => column.map(own)),
    stock: position.stock.map(own), waste: position.waste && position.waste.map(own) };
}

function firstPosition(initial) {
  const plain = plainPosition(initial);
  return wide ? withPacks(plain, initial) : plain;
}

function plainPosition(initial) {
  const home = initial.foundations.map((entry) => [entry.foundation.suit, entry.rank]);
  return {
    columns: initial.columns.map((column) => column.cards.map(readCard)),
    freecells: initial.freecells.map(readCard),
    foundations: Object.fromEntries(home),
    pile: initial.pile ? initial.pile.map(readCard) : null, // null: a game without a pile
    stock: (initial.stock || []).map(readCard),
    waste: initial.waste ? initial.waste.map(readCard) : null, // null: a game without a waste
    hidden: initial.columns.map(hiddenIn),
    reserve: (initial.reserve || []).map(readCard),
    removed: initial.removed ? initial.removed.map(readCard) : null, // null: a game without pairs
    turns: initial.turns,
    base: initial.base,
    lowest: initial.lowest,
    homes: null, // foundations of several packs: {suit, cards} each
    filled: [],
  };
}

function readPlace(place) {
  if ("col" in place) return { kind: "column", index: place.col };
  if ("freecell" in place) return { kind: "freecell", index: place.freecell };
  if ("pile" in place) return { kind: "pile", index: 0 };
  if ("stock" in place) return { kind: "stock", index: 0 };
  if ("waste" in place) return { kind: "waste", index: 0 };
  if ("reserve" in place) return { kind: "reserve", index: 0 };
  if ("removed" in place) return { kind: "removed", index: 0 };
  if ("columns" in place) return { kind: "columns", index: 0 };
  return HOME;
}

function positionAfter(position, move) {
  const columns = position.columns.slice(), freecells = position.freecells.slice();
  const foundations = { ...position.foundations };
  let { pile, stock, waste, reserve, removed, turns, homes } = position;
  const source = readPlace(move.source), target = readPlace(move.dest);
  let cards;
  if (source.kind === "column") {
    cards = columns[source.index].slice(-move.num_cards);
    columns[source.index] = columns[source.index].slice(0, -move.num_cards);
  } else if (source.kind === "stock") {
    cards = stock.slice(0, move.num_cards);
    stock = stock.slice(move.num_cards);
  } else if (source.kind === "waste") {
    cards = waste.slice(-move.num_cards);
    waste = waste.slice(0, -move.num_cards);
  } else if (source.kind === "foundation" && homes) {
    const { rank, suit } = move.source_card;
    const from = homes.find((home) => home.suit === suit && home.cards.length === rank);
    cards = from.cards.slice(-1);
    homes = homes.map((home) => home === from ? { suit, cards: from.cards.slice(0, -1) } : home);
  } else if (source.kind === "foundation") {
    const suit = move.source.foundation.suit;
    cards = [RANKS[foundations[suit]] + suit];
    foundations[suit] = ranksUpTo(position, foundations[suit]).at(-2) || 0;
  } else if (source.kind === "reserve") {
    cards = reserve.slice(-1);
    reserve = reserve.slice(0, -1);
  } else {
    cards = [freecells[source.index]];
    freecells[source.index] = null;
  }
  if (target.kind === "column") columns[target.index] = [...columns[target.index], ...cards];
  else if (target.kind === "freecell") freecells[target.index] = cards[0];
  else if (target.kind === "pile") pile = [...pile, ...cards];
  else if (target.kind === "waste") waste = [...waste, ...cards];
  else if (target.kind === "stock") {
    stock = cards;
    if (turns) turns -= 1;
  } else if (target.kind === "removed") {
    const other = move.dest_card ? readCard(move.dest_card) : null;
    if (other) cards = [...cards, other];
    removed = [...removed, ...cards];
    for (const [index, column] of columns.entries()) {
      if (column.at(-1) === other) columns[index] = column.slice(0, -1);
    }
    waste = waste.filter((card) => card !== other);
    stock = stock.filter((card) => card !== other);
  }
  else if (target.kind === "columns") cards.forEach((card, index) => {
    columns[index] = [...columns[index], card];
  });
  else if (homes) {
    const suit = cards[0][1], height = rankOf(cards.at(-1)) - 1;
    const to = homes.find((home) => home.suit === suit && home.cards.length === height);
    homes = homes.map((home) => home === to ? { suit, cards: [...to.cards, ...[...cards].reverse()] } : home);
  }
  else foundations[cards[0][1]] = rankOf(cards[0]);
  // The reserve fills a column that has become empty.
  const filled = source.kind === "column" && !columns[source.index].length ? reserve.slice(-1) : [];
  if (filled.length) {
    columns[source.index] = filled;
    reserve = reserve.slice(0, -1);
  }
  // The top card of a column is turned up at once.
  const hidden = position.hidden.map(
    (down, index) => Math.min(down, Math.max(columns[index].length - 1, 0)));
  const moved = target.kind === "stock" ? [] : cards;
  return { ...position, columns, freecells, foundations, homes, pile, stock, waste, hidden, reserve,
    removed, turns, filled, moved, source, target };
}

// A stop is where the replay rests: {begin, end, kind, cards, source, target}. Its cards are the
// run from its deepest card on, or those that go home, in their order; fills are cards of the
// reserve that come to columns meanwhile, and `over` says how often the waste is turned over.
function findStops() {
  const found = [{ begin: 0, end: 0, kind: "start", cards: [], fills: [] }];
  let begin = 0;
  for (const [end, kind] of replay.stops) {
    const made = positions.slice(begin + 1, end + 1);
    const source = made[0].source, target = made[made.length - 1].target;
    let cards = made[0].moved;
    if (kind === "safe") cards = made.flatMap((position) => position.moved);
    else if (kind === "turns") cards = (positions[end].waste || []).slice(-1);
    else if (end > begin + 1) {
      const there = positions[begin].columns[target.index].length;
      cards = positions[end].columns[target.index].slice(there);
    }
    const fills = made.flatMap((position) => position.filled);
    const over = made.filter((position) => position.target.kind === "stock").length;
    found.push({ begin, end, kind, cards, fills, over, source, target });
    begin = end;
  }
  return found;
}

// The number of the stop that the position after some moves is, or is on the way to.
const stopOf = (made) => stops.findIndex((stop) => stop.end >= made);

const numbers = (stop) => stop.end > stop.begin + 1
  ? `${stop.begin + 1}\u2013${stop.end}` : `${stop.end}`;

// How often a stop turns cards of the stock, without turns of the waste.
const turned = (stop) => stop.end - stop.begin - stop.over;

// From where to where the cards of a stop go: in signs for a list, in words for a sentence.
const signs = (stop) => stop.kind === "safe" ? placeSign(HOME)
  : stop.kind === "turns" ? `${stop.over ? "waste, " : ""}stock \u00d7 ${turned(stop)}` : `${placeSign(stop.source)} \u2192 ${placeSign(stop.target)}`;
function words(stop) {
  const fills = stop.fills.length ? `; ${stop.fills.map(spoken).join(", ")} from the reserve` : "";
  if (stop.kind === "safe") return placeName(HOME) + fills;
  if (stop.kind === "turns") {
    const on = stop.cards.length ? " on the waste" : "the waste empty";
    const often = stop.over > 1 ? ` ${stop.over} times` : "";
    const over = stop.over ? `, and the waste turned over${often}` : "";
    return `${on} after the stock is turned ${plural(turned(stop), "time")}${over}`.trim();
  }
  if (stop.target.kind === "removed") return "removed";
  const to = stop.target.kind === "foundation" ? "" : "to ";
  return `from ${placeName(stop.source)} ${to}${placeName(stop.target)}${fills}`;
}

// What the solution says about the moves of a stop. Only the text of marked-up comments is shown:
// nothing of them is put into the page.
function commentOf(stop) {
  const found = [];
  for (const move of moves.slice(stop.begin, stop.end)) {
    const comment = move.comment;
    if (!comment) continue;
    let text = comment.Plain_Text_Comment;
    if (text === undefined) {
      const parsed = new DOMParser().parseFromString(comment.XHTML_Subset_Comment, "text/html");
      text = parsed.body.textContent;
    }
    found.push(comment.originator ? `${text} (${comment.originator})` : text);
  }
  return found.join("\n");
}
