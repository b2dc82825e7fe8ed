// The hand: what is chosen or held, by mouse or finger, and where it may go.
let chosen = null; // {from, count, cards}
let held = null; // what is dragged: {from, count, cards, x, y, begun}
let slots = new Map(); // elements of places and their letters
let slotOf = new Map(); // letters and their elements
const FAR = 6; // pixels; less is a click
let dragged = false; // whether the click that follows ends a drag

function nameSlots() {
  const pairs = [];
  columnElements.forEach((made, index) => pairs.push([made, LETTERS[index]]));
  if (!wasteElement && !pileElement) {
    cellElements.forEach((made, index) => pairs.push([made, CELL_LETTERS[index]]));
  }
  for (const [letter, suit] of Object.entries(HOME_LETTERS)) {
    pairs.push([homeElements[SUITS.indexOf(suit)], letter]);
  }
  for (const [made, letter] of [[pileElement, "r"], [stockElement, "s"], [wasteElement, "t"],
    [reserveElement, "u"]]) if (made) pairs.push([made, letter]);
  slots = new Map(pairs);
  slotOf = new Map(pairs.map(([made, letter]) => [letter, made]));
}

function letterAt(target) {
  for (let at = target; at && at !== document; at = at.parentNode) {
    if (slots.has(at)) return slots.get(at);
  }
  return null;
}

const movesFrom = (from, count) => Object.keys(here.legal)
  .filter((move) => move[0] === from && (!count || countOf(move) === count));

// What a click on a card or a place takes: {from, count}.
function takenAt(target) {
  const from = letterAt(target), card = target.closest(".card")?.dataset.card;
  if (!from) return null;
  let count = 1;
  if (LETTERS.includes(from) && card) {
    const column = here.position.columns[LETTERS.indexOf(from)];
    count = column.length - column.indexOf(card);
  }
  return { from, count };
}

const stockMove = () => movesFrom("s")[0] || movesFrom("t").find((move) => move[1] === "s");

// The move of what is taken to a place: of so many cards, or else of as many as can go.
function moveTo(taken, to) {
  const home = to in HOME_LETTERS;
  const fits = movesFrom(taken.from).filter(
    (move) => move[1] === to || (home && move[1] in HOME_LETTERS));
  return fits.find((move) => countOf(move) === taken.count)
    || fits.sort((one, other) => countOf(other) - countOf(one))[0];
}

const homeMove = (from) => movesFrom(from).find((move) => move[1] in HOME_LETTERS);

function choose(taken) {
  letGo();
  const move = taken && movesFrom(taken.from, taken.count)[0];
  if (!move) return false;
  chosen = { ...taken, cards: cardsOf(here.position, move) };
  for (const card of chosen.cards) cardElements.get(card).classList.add("chosen");
  for (const one of movesFrom(taken.from, taken.count)) slotOf.get(one[1]).classList.add("target");
  drawWorth();
  return true;
}

function letGo() {
  chosen = null;
  for (const card of held?.cards || []) {
    const { style, classList } = cardElements.get(card);
    style.transform = "";
    classList.remove("held");
  }
  held = null;
  for (const made of document.querySelectorAll(".chosen, .target")) {
    made.classList.remove("chosen", "target");
  }
  drawWorth();
}

// Cards that can be taken: a finger on them drags them, elsewhere it scrolls.
function markFree() {
  const free = new Set(Object.keys(here.legal).flatMap((move) => cardsOf(here.position, move)[0]));
  for (const [card, made] of cardElements) made.classList.toggle("free", free.has(card));
}

function tap(target) {
  const taken = takenAt(target);
  if (!taken) {
    letGo();
    return;
  }
  if (chosen) {
    const move = moveTo(chosen, taken.from);
    if (move) {
      playMove(move);
      return;
    }
    if (chosen.from === taken.from && chosen.count === taken.count) {
      letGo();
      return;
    }
  }
  const straight = taken.from === "s" ? stockMove()
    : movesFrom(taken.from, taken.count).find((move) => move[1] === "r");
  if (straight) playMove(straight);
  else if (!choose(taken) && target.closest(".card")) say("That card cannot move now.");
}

const board = element("board");
board.addEventListener("click", (event) => {
  if (dragged) dragged = false;
  else tap(event.target);
});
board.addEventListener("dblclick", (event) => {
  const taken = takenAt(event.target), move = taken && homeMove(taken.from);
  if (move && taken.count === countOf(move)) playMove(move);
});

board.addEventListener("pointerdown", (event) => {
  dragged = false;
  if (!event.isPrimary || event.button !== 0) return;
  const taken = takenAt(event.target);
  const move = taken && taken.from !== "s" && movesFrom(taken.from, taken.count)[0];
  if (!move || held) return;
  held = { ...taken, cards: cardsOf(here.position, move), x: event.clientX, y: event.clientY,
    begun: false };
});
board.addEventListener("pointermove", (event) => {
  if (!held || !event.isPrimary) return;
  const x = event.clientX - held.x, y = event.clientY - held.y;
  if (!held.begun) {
    if (Math.hypot(x, y) < FAR) return;
    const taken = held;
    choose(taken);
    held = { ...taken, begun: true };
    board.setPointerCapture(event.pointerId);
  }
  for (const card of held.cards) {
    const { style, classList } = cardElements.get(card);
    classList.add("held");
    style.transform = `translate(${x}px, ${y}px)`;
  }
});
board.addEventListener("pointerup", () => {
  if (!held?.begun) {
    held = null;
    return;
  }
  dragged = true;
  const move = dropped();
  if (move) playMove(move);
  else {
    const places = whereCardsAre(), cards = held.cards;
    letGo();
    glide(cards, places, layers(here.position), false);
  }
});
board.addEventListener("pointercancel", letGo);

// Where what is held would go: the place that it covers most of.
function dropped() {
  const box = cardElements.get(held.cards[0]).getBoundingClientRect();
  let most = 0, found;
  for (const move of movesFrom(held.from, held.count)) {
    const other = slotOf.get(move[1]).getBoundingClientRect();
    const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
    const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    if (wide > 0 && high > 0 && wide * high > most) {
      most = wide * high;
      found = move;
    }
  }
  return found;
}
