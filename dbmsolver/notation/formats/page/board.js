// The board: one element for each card, which changes its place as the position does.
const cardElements = new Map();
for (const suit of SUITS) {
  for (const rank of RANKS.slice(1)) cardElements.set(rank + suit, cardElement(rank + suit));
}
// The cards of a deck of several packs; no others are made later.
const cardsOfPacks = ({ homes, columns, stock, waste }) => homes
  ? [homes.map(({ cards }) => cards), columns, stock, waste || []].flat(3) : [];
// The places, made anew for each deal.
let cellElements, homeElements, stockElement, stockCount, pileElement, wasteElement, columnElements,
  reserveElement, removedElement;
const hasStock = ({ stock, waste }) => stock.length > 0 || (waste && waste.length > 0);

function makePlaces(first) {
  cellElements = first.freecells.map((_, index) => slotElement(make("span", "", CELLS[index])));
  homeElements = homesOf(first).map(({ suit }) => slotElement(pip(suit)));
  for (const card of cardsOfPacks(first)) {
    if (!cardElements.has(card)) cardElements.set(card, cardElement(card));
  }
  stockElement = hasStock(first) ? slotElement("") : null;
  stockCount = make("span", "count");
  stockCount.setAttribute("aria-hidden", "true");
  if (stockElement) stockElement.append(stockCount);
  pileElement = first.pile ? slotElement("") : null;
  wasteElement = stockElement && first.waste ? slotElement("") : null;
  columnElements = first.columns.map(columnElement);
  reserveElement = first.reserve.length ? columnElement(null, -1) : null;
  removedElement = first.removed ? slotElement("") : null;
}

function slotElement(sign) {
  const made = make("div", "slot"), around = make("span", "sign");
  around.setAttribute("aria-hidden", "true");
  around.append(sign);
  made.setAttribute("role", "group");
  made.append(around);
  return made;
}

function columnElement(_, index) {
  const made = make("div", "column"), slot = make("div", "slot");
  const label = make("div", "label", index < 0 ? "reserve" : index + 1);
  label.setAttribute("aria-hidden", "true");
  slot.setAttribute("aria-hidden", "true");
  made.setAttribute("role", "group");
  made.append(label, slot);
  return made;
}

// How many rows freecells and foundations take: the foundations stay together.
function topRows(cells, homes, across) {
  const last = cells ? (cells - 1) % across + 1 : 0;
  return (cells - last) / across + (last + homes <= across ? 1 : 2);
}

// How many cards that lie face up take the room of the longest column: those face down take less.
const DOWN = 0.45;
function deepest(positions) {
  let most = 4;
  for (const { columns, hidden, reserve } of positions) {
    columns.forEach((column, index) => {
      const down = Math.min(hidden[index] || 0, column.length - 1);
      most = Math.max(most, column.length - (1 - DOWN) * Math.max(down, 0));
    });
    most = Math.max(most, reserve.length);
  }
  return most;
}

// Make the places of a deal, large enough for some positions.
function buildBoard(first, deep) {
  makePlaces(first);
  const { columns, freecells } = first;
  const side = columns.length + (reserveElement ? 1 : 0);
  const homes = homeElements.length;
  const above = wasteElement ? 2 : first.homes ? Number(hasStock(first)) : freecells.length;
  const across = Math.max(side, Math.min(above + homes, Math.max(8, homes + 2)));
  const board = element("board");
  board.style.setProperty("--n", across);
  board.style.setProperty("--deep", deep);
  board.style.setProperty("--rows", pileElement || removedElement ? 1 : topRows(above, homes, across));
  board.classList.toggle("many", across > 9);
  element("columns").classList.toggle("few", side < across);
  element("columns").style.setProperty("--columns", side);
  let cells = wasteElement ? [stockElement, wasteElement] : cellElements;
  let name = wasteElement ? "Stock and waste" : cellsName();
  if (first.homes && !wasteElement) {
    cells = stockElement ? [stockElement] : [];
    name = "Stock";
  }
  if (pileElement) {
    cells = [...(stockElement ? [stockElement] : []), pileElement];
    name = stockElement ? "Stock and pile" : "Pile";
  }
  if (removedElement) {
    cells = [...(wasteElement ? cells : []), removedElement];
    name = wasteElement ? "Stock, waste and removed cards" : "Removed cards";
  }
  element("columns").classList.toggle("pyramid", Boolean(removedElement));
  element("cells").replaceChildren(...cells);
  element("cells").hidden = !cells.length;
  element("cells").setAttribute("aria-label", name);
  element("homes").replaceChildren(...homeElements);
  element("homes").hidden = Boolean(pileElement || removedElement);
  element("columns").replaceChildren(
    ...(reserveElement ? [reserveElement] : []), ...columnElements);
}

// Put the cards into an element behind what is always there, and change nothing needlessly.
function fill(place, kept, cards) {
  const wanted = cards.map((card) => cardElements.get(card));
  wanted.forEach((card, index) => {
    const there = place.children[kept + index];
    if (there !== card) place.insertBefore(card, there || null);
  });
  while (place.children.length > kept + wanted.length) place.lastElementChild.remove();
}

// The stock lies face down, the card on top that is turned next.
function drawPile({ pile, stock }) {
  const top = pile.length ? `${plural(pile.length, "card")}` : "empty";
  pileElement.setAttribute("aria-label", `Pile, ${top}`);
  fill(pileElement, 1, pile);
  if (stockElement) drawStock(stock);
}

function drawStock(stock) {
  const left = stock.length ? plural(stock.length, "card") : "empty";
  stockElement.setAttribute("aria-label", `Stock, ${left}`);
  stockCount.textContent = stock.length;
  fill(stockElement, 2, stock.slice().reverse());
}

function drawWaste({ stock, waste }) {
  const top = waste.length ? plural(waste.length, "card") : "empty";
  wasteElement.setAttribute("aria-label", `Waste, ${top}`);
  fill(wasteElement, 1, waste);
  drawStock(stock);
}

// Each card of a pyramid lies half a card further to the left than those of the row above.
function drawPyramid({ columns, removed }) {
  columnElements.forEach((made, index) => {
    made.style.setProperty("--first", index);
    columns[index].forEach((card, depth) => {
      cardElements.get(card).style.setProperty("--from", columns.length - 1 - index - depth);
    });
  });
  const gone = removed.length ? plural(removed.length, "card") : "empty";
  removedElement.setAttribute("aria-label", `Removed, ${gone}`);
  fill(removedElement, 1, removed);
}

// The cards that lie face down: in the stock, and deep in columns.
function faceDown({ stock, columns, hidden }) {
  return new Set([...stock, ...columns.flatMap((column, index) => column.slice(0, hidden[index] || 0))]);
}

const isCovered = ({ pile, stock }, card) => stock.includes(card)
  || pile.slice(0, -1).includes(card);

function drawBoard(position, moved) {
  position.freecells.forEach((card, index) => {
    const name = `${cellWord === "reserve" ? "Reserve" : "Freecell"} ${CELLS[index]}`;
    cellElements[index].setAttribute("aria-label", card ? name : `${name}, empty`);
    fill(cellElements[index], 1, card ? [card] : []);
  });
  if (pileElement) drawPile(position);
  if (wasteElement) drawWaste(position);
  else if (position.homes && stockElement) drawStock(position.stock);
  if (removedElement) drawPyramid(position);
  const down = faceDown(position);
  for (const [card, made] of cardElements) made.classList.toggle("down", down.has(card));
  const homes = homesOf(position);
  for (const [index, place] of pileElement || removedElement ? [] : homeElements.entries()) {
    const { suit, cards } = homes[index], name = `Foundation of ${SUIT_NAMES[suit]}`;
    place.setAttribute("aria-label", cards.length ? name : `${name}, empty`);
    fill(place, 1, cards);
  }
  const piles = position.columns.map((column, index) => [
    columnElements[index], column, `Column ${index + 1}`]);
  if (reserveElement) piles.push([reserveElement, position.reserve, "Reserve"]);
  for (const [place, cards, name] of piles) {
    const size = cards.length ? plural(cards.length, "card") : "empty";
    place.setAttribute("aria-label", `${name}, ${size}`);
    place.classList.toggle("empty", !cards.length);
    fill(place, 2, cards);
  }
  const below = new Set(homes.flatMap(({ cards }) => cards.slice(0, -1)));
  for (const [card, made] of cardElements) {
    const covered = position.pile ? isCovered(position, card)
      : below.has(card) || position.stock.includes(card)
        || (position.waste || []).slice(0, -1).includes(card)
        || (position.removed || []).slice(0, -1).includes(card);
    made.classList.toggle("moved", moved.includes(card));
    made.toggleAttribute("aria-hidden", false);
    if (covered) made.setAttribute("aria-hidden", "true");
  }
}
