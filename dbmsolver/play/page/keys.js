// Keys: names of places, as notations have them, or a frame that the arrow keys move.
let frame = null; // {letter, count}: the place that the arrow keys have come to
let typed = null; // the place that was typed first

const order = () => [...slots.values()].sort((one, other) => rankOfPlace(one) - rankOfPlace(other));
const rankOfPlace = (letter) => {
  const kinds = ["stock", "waste", "pile", "freecell", "foundation", "reserve", "column"];
  const { kind } = placeOf(letter);
  const index = LETTERS.includes(letter) ? LETTERS.indexOf(letter)
    : letter in HOME_LETTERS ? SUITS.indexOf(HOME_LETTERS[letter])
      : CELL_LETTERS.indexOf(letter);
  return 100 * kinds.indexOf(kind) + index;
};

function endFocus() {
  frame = null;
  typed = null;
}

function drawFrame() {
  for (const made of document.querySelectorAll(".frame")) made.classList.remove("frame");
  if (!frame) return;
  const place = slotOf.get(frame.letter), cards = [...place.querySelectorAll(":scope > .card")];
  const card = cards[cards.length - frame.count];
  (card || place).classList.add("frame");
  (card || place).scrollIntoView({ block: "nearest", inline: "nearest" });
  const name = place.getAttribute("aria-label");
  const what = cards.slice(-frame.count).map((made) => spoken(made.dataset.card));
  say(frame.count > 1 || !what.length ? `${name}: ${what.join(", ") || "empty"}`
    : `${name}: ${what[0]}`);
}

function moveFrame(key) {
  const all = order();
  if (!frame) frame = { letter: all.find((letter) => LETTERS.includes(letter)) || all[0], count: 1 };
  else if (key === "ArrowLeft" || key === "ArrowRight") {
    const step = key === "ArrowRight" ? 1 : -1;
    const index = all.indexOf(frame.letter) + step + all.length;
    frame = { letter: all[index % all.length], count: 1 };
  } else {
    const column = LETTERS.includes(frame.letter)
      ? here.position.columns[LETTERS.indexOf(frame.letter)].length : 1;
    const count = frame.count + (key === "ArrowUp" ? 1 : -1);
    frame.count = Math.min(Math.max(count, 1), Math.max(column, 1));
  }
  drawFrame();
}

function useFrame() {
  if (!frame) return;
  const place = slotOf.get(frame.letter), cards = [...place.querySelectorAll(":scope > .card")];
  tap(cards[cards.length - frame.count] || place);
}

// The place that a key names, null for others.
function placeOfKey(key) {
  if (/^[0-9]$/.test(key)) {
    const letter = LETTERS[(Number(key) + 9) % 10];
    return slotOf.has(letter) ? letter : null;
  }
  const cell = CELLS.indexOf(key);
  if (cell >= 0 && slotOf.has(CELL_LETTERS[cell])) return CELL_LETTERS[cell];
  const other = { h: pileElement ? "r" : "w", s: "s", w: "t", v: "u" }[key];
  return other && slotOf.has(other) ? other : null;
}

function typePlace(letter) {
  if (typed === null) {
    const straight = letter === "s" ? stockMove() : movesFrom(letter).find((move) => move[1] === "r");
    if (straight) playMove(straight);
    else if (movesFrom(letter).length) {
      typed = letter;
      choose({ from: letter, count: countOf(movesFrom(letter)[0]) });
      say(`From ${placeName(placeOf(letter))}: where to?`);
    } else say("Nothing there can move now.");
    return;
  }
  const from = typed;
  typed = null;
  const all = moveTo({ from, count: 0 }, letter);
  if (all) playMove(all);
  else {
    letGo();
    say("That move is not legal here.");
  }
}

// Whether a control needs the key itself.
function isForControl(target, key) {
  if (target.matches("textarea, select")) return true;
  if (!target.matches("input")) return false;
  if (target.type === "checkbox") return key === " ";
  return target.type !== "range" || key.startsWith("Arrow");
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || element("deals").open) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (isForControl(event.target, key)) return;
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") (event.shiftKey ? redo : undo)();
    else if (key === "y") redo();
    else return;
  } else if (key.startsWith("Arrow")) {
    if (event.target === element("list")) return;
    moveFrame(key);
  } else if ((key === "Enter" || key === " ") && !event.target.matches("button, summary")) useFrame();
  else if (key === "Escape") {
    letGo();
    endFocus();
    drawFrame();
  } else if (key === "z") undo();
  else if (key === "y") redo();
  else if (key === "?") hint();
  else if (key === "x") toggleFilm();
  else if (placeOfKey(key)) typePlace(placeOfKey(key));
  else return;
  event.preventDefault();
});
