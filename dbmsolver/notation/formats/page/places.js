// Positions, as pages hold them: {columns, freecells, foundations, pile, stock, waste, hidden, reserve,
// removed, base, lowest, homes}. Cards are their two letters; of several that are alike, a number follows
// them, but for the first. The pile is null in games without one, and so are waste and removed
// cards. Homes are the foundations of a deck of several packs, and null with one pack of each suit.
// Foundations begin with the rank `base`, and go round from the king to the lowest rank of the deck.

// The ranks of a foundation with this one on top (0 for none), that on top last.
function ranksUpTo({ base = 1, lowest = 1 }, top) {
  const ranks = [];
  for (let rank = 1; rank < lowest; rank++) ranks.push(rank);
  if (top < lowest) return ranks;
  for (let rank = base; ; rank = rank === 13 ? lowest : rank + 1) {
    ranks.push(rank);
    if (rank === top) return ranks;
  }
}

const cardsHome = (position, suit) => ranksUpTo(position, position.foundations[suit])
  .map((rank) => RANKS[rank] + suit);

const homesOf = (position) => position.homes
  || [...SUITS].map((suit) => ({ suit, cards: cardsHome(position, suit) }));

// The text of a pyramid: column n has the n-th card of each row, the highest row first.
function pyramidText({ columns, foundations, stock, waste, removed, turns }) {
  const lines = Math.max(...Object.values(foundations))
    ? [`Foundations: ${[...SUITS].map((suit) => `${suit}-${RANKS[foundations[suit]]}`).join(" ")}`] : [];
  for (const [name, cards] of [["Waste", waste], ["Stock", stock], ["Removed", removed]]) {
    if (cards.length) lines.push(`${name}: ${cards.join(" ")}`);
  }
  if (waste.length + stock.length) lines.push(`Turns: ${turns}`);
  columns.forEach((_, row) => {
    const cards = columns.slice(0, row + 1).map((column, index) => column[row - index] || "--");
    if (cards.some((card) => card !== "--")) lines.push(cards.join("  "));
  });
  return lines.map((line) => `${line}\n`).join("");
}

function boardText(position) {
  if (position.removed) return pyramidText(position);
  const home = position.homes
    ? position.homes.map(({ suit, cards }) => `${suit}-${RANKS[cards.length]}`).join(" ")
    : [...SUITS].map((suit) => `${suit}-${RANKS[position.foundations[suit]]}`).join(" ");
  const cells = position.freecells.map((card) => card || "-").join(" ");
  const named = (cards) => cards.map(letters).join(" ");
  const columns = position.columns.map((column, index) => column.map((card, depth) => (
    depth < position.hidden[index] ? `<${letters(card)}>` : letters(card))).join(" ") || ":");
  const lines = [`Foundations: ${home}`, ...(cells ? [`${cellsName()}: ${cells}`] : []), ...columns];
  if (position.pile) {
    const stock = position.stock.length ? [`Stock: ${position.stock.join(" ")}`] : [];
    lines.splice(1, 0, `Pile: ${position.pile.join(" ") || "-"}`, ...stock);
  }
  if (position.waste || position.homes) {
    const stock = position.stock.length ? [`Stock: ${named(position.stock)}`] : [];
    const held = position.waste || [];
    const waste = held.length ? [`Waste: ${named(held)}`] : [];
    const turns = (position.turns ?? null) === null ? [] : [`Turns: ${position.turns}`];
    const reserve = position.reserve.length ? [`Reserve: ${named(position.reserve)}`] : [];
    lines.splice(1, 0, ...turns, ...reserve, ...waste, ...stock);
  }
  const { base, lowest } = position;
  if (base) lines.splice(1, 0, `Base: ${RANKS[base]}${lowest > 1 ? ` ${RANKS[lowest]}` : ""}`);
  return lines.map((line) => `${line}\n`).join("");
}
