// The game: its deal, and a tree of moves. Nothing that was played is lost: another move begins a
// branch. A node is {parent, move, children, position, legal, won, depth, count, value}: `depth` is the
// number of moves made, `count` of those that count. `recent` is the child that was looked at last,
// which redo goes to. A move is text: the letters of two places, and how many cards go if they are
// several.
const first = JSON.parse(element("first").textContent);
let game = null;
let here = null;

// The server may take a moment to open a game: until then only the heading and the deals take anything.
for (const kind of ["click", "change", "keydown", "pointerdown"]) {
  window.addEventListener(kind, (event) => {
    if (!here && !event.target.closest("header, dialog")) event.stopImmediatePropagation();
  }, true);
}

const countOf = (move) => Number(move.slice(2)) || 1;

// The cards that a move takes, the deepest one first; of many that are turned the one on top.
function cardsOf(position, move) {
  const count = countOf(move), letter = move[0], { kind, index } = placeOf(letter);
  if (kind === "column") return position.columns[index].slice(-count);
  if (kind === "freecell") return [position.freecells[index]];
  if (kind === "foundation") return cardsHome(position, HOME_LETTERS[letter]).slice(-1);
  if (kind === "stock") return position.stock.slice(count - 1, count);
  return position[kind].slice(-1);
}

// True for the move that turns the waste over, which costs nothing.
const turnsOver = (move) =>
  placeOf(move[0]).kind === "waste" && placeOf(move[1]).kind === "stock";

function moveWords(move) {
  const source = placeOf(move[0]), target = placeOf(move[1]);
  if (turnsOver(move)) return "and all others back to the stock";
  const to = target.kind === "foundation" ? "" : "to ";
  const from = source.kind === "foundation" ? "home" : placeName(source);
  return `from ${from} ${to}${placeName(target)}`;
}

const moveSigns = (move) => `${placeSign(placeOf(move[0]))} \u2192 ${placeSign(placeOf(move[1]))}`;

const moveSpoken = (position, move) =>
  `${cardsOf(position, move).map(spoken).join(", ")} ${moveWords(move)}`;

function addNode(parent, told) {
  const known = parent?.children.find((child) => child.move === told.move);
  if (known) return known;
  const node = { parent, move: told.move, children: [], position: whole(told.position),
    legal: told.legal, won: told.won, depth: parent ? parent.depth + 1 : 0,
    count: parent ? parent.count + (turnsOver(told.move) ? 0 : 1) : 0, value: null };
  parent?.children.push(node);
  return node;
}

// The number of the move that leads to a node, as text; an empty text if the move costs nothing.
const numberOf = (node) => node.count === node.parent?.count ? "" : String(node.count);

const whole = (position) => ({ waste: null, removed: null, hidden: [], reserve: [], ...position });

// All nodes in the order in which they are written and listed: a move, then what was tried in its
// place, each with all that follows, then what follows the move.
function walk(node, visit, level = 0) {
  for (let at = node; at.children.length; [at] = at.children) {
    const [main, ...others] = at.children;
    visit(main, level);
    for (const other of others) {
      visit(other, level + 1, "begin");
      walk(other, visit, level + 1);
      visit(other, level + 1, "end");
    }
  }
}

function treeText() {
  let text = "", at = 0, number = 0;
  walk(game.root, (node, _, edge) => {
    if (edge === "end") text += ")";
    else {
      text += (edge ? "(" : "") + node.move;
      number += 1;
      if (node === here) at = number;
    }
  });
  return { text, at };
}

function path(node) {
  const found = [];
  for (let at = node; at; at = at.parent) found.unshift(at);
  return found;
}

const lineTo = (node) => path(node).slice(1).map((one) => one.move).join("");

const address = () => {
  const { text, at } = treeText();
  return addressOf(game.deal, text, at);
};

// What an address asks for: {deal, tree, at}, or null if it names no deal.
function fromAddress(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const name = given.get("game") || "freecell";
  const deal = {};
  try {
    deal.game = name.startsWith("{") ? JSON.parse(name) : name;
  } catch {
    return null;
  }
  if (given.has("deal")) deal.number = Number(given.get("deal"));
  else if (given.has("board")) deal.board = given.get("board");
  else return null;
  return { deal, tree: given.get("moves") || "", at: Number(given.get("at")) || 0 };
}

function remember() {
  try {
    history.replaceState(null, "", address());
  } catch {
    // Browsers refuse it when it is done too often: the next move does it.
  }
}

// Set up what the server has opened, and show one of its nodes.
function setUp(opened, at) {
  stopFilm();
  const nodes = [];
  for (const told of opened.nodes) nodes.push(addNode(nodes[told.parent] ?? null, told));
  game = { ...opened, root: nodes[0] };
  here = null;
  element("title").textContent = game.title;
  document.title = `${game.title}: dbmsolver`;
  cellWord = game.reserve ? "reserve" : "freecell";
  element("facts").textContent = `${game.game}: ${game.rules}`;
  roomFor(nodes.map((node) => node.position));
  buildBoard(game.root.position, game.deep);
  nameSlots();
  endFocus();
  go(nodes[at] || nodes[0]);
}

// How deep columns are drawn: it grows as they do, by some cards at a time.
function roomFor(positions) {
  const deep = Math.ceil(deepest(positions) / 3) * 3 + 1;
  if (!(game.deep >= deep)) game.deep = deep;
  element("board").style.setProperty("--deep", game.deep);
}

// Which cards lie elsewhere in another position.
function moved(before, after) {
  const places = (position) => {
    const found = new Map();
    position.columns.forEach((cards, index) => cards.forEach((card) => found.set(card, index)));
    position.freecells.forEach((card, index) => card && found.set(card, `cell ${index}`));
    for (const kind of ["stock", "waste", "reserve", "pile"]) {
      (position[kind] || []).forEach((card) => found.set(card, kind));
    }
    return found;
  };
  const old = places(before);
  const found = [...places(after)].filter(([card, place]) => old.get(card) !== place);
  const named = new Set(places(after).keys());
  for (const card of old.keys()) if (!named.has(card)) found.push([card, "home"]);
  return found.map(([card]) => card);
}

// Show a node: cards glide from where they are seen. Returns the milliseconds until they rest.
function go(node) {
  if (!node) return 0;
  const before = here;
  endMotion();
  const places = before && whereCardsAre();
  here = node;
  account = null;
  for (let at = node; at.parent; at = at.parent) at.parent.recent = at;
  letGo();
  roomFor([node.position]);
  const shown = node.parent ? moved(node.parent.position, node.position) : [];
  drawBoard(node.position, node.move && node.move[1] !== "s" ? shown : []);
  markFree();
  let time = 0;
  if (before && before !== node) {
    const cards = moved(before.position, node.position);
    time = glide(cards, places, layers(before.position), false);
  }
  drawNow();
  drawMoves();
  lookAt(node);
  remember();
  document.body.dataset.move = node.depth;
  document.body.dataset.game = typeof game.deal.game === "string" ? game.deal.game : "";
  return time;
}

function drawNow() {
  const now = element("now");
  now.replaceChildren();
  if (here.won) now.append(make("span", "number", `Won in ${plural(here.count, "move")}`));
  else if (!here.move) now.append("Your move.");
  else {
    now.append(make("span", "number", numberOf(here)),
      ...cardsOf(here.parent.position, here.move).map(chip), make("span", "", moveWords(here.move)));
  }
  const turns = here.position.turns;
  if (turns !== undefined && turns !== null) {
    now.append(make("span", "turns", `The waste can be turned over ${plural(turns, "more time")}.`));
  }
  for (const [id, off] of [["undo", !here.parent], ["redo", !here.children.length]]) {
    element(id).setAttribute("aria-disabled", String(off));
  }
}

// Say something beside the last move, until there is another one.
function say(text) {
  element("now").replaceChildren(text);
}

// One thing after the other: a question is asked when the one before it is answered.
let asking = Promise.resolve();
function inTurn(work) {
  asking = asking.then(work).catch((error) => {
    letGo();
    say(error.message);
  });
  return asking;
}

// Play a move; the server says what comes of it.
const playMove = (move) => inTurn(async () => {
  if (!(move in here.legal)) throw new Error("That move is not legal here.");
  stopFilm();
  const known = here.children.find((child) => child.move === move);
  if (known) return go(known);
  const from = here;
  const { nodes } = await ask("play", { deal: game.deal, line: lineTo(from), moves: move });
  return go(addNode(from, nodes[0]));
});

const undo = () => inTurn(() => {
  stopFilm();
  go(here.parent);
});
const redo = () => inTurn(() => {
  stopFilm();
  go(here.recent || here.children[0]);
});
