// Names of cards and places. A card is its two letters, such as "TD".
const RANKS = "0A23456789TJQK";
const SUITS = "HCDS";
const SUIT_NAMES = { H: "hearts", C: "clubs", D: "diamonds", S: "spades" };
const RANK_NAMES = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const CELLS = "abcdefgijklmnopq";
const OUTLINED = "HD";
const HOME = { kind: "foundation", index: 0 };

// The letters of a card, without the number that tells it from others like it.
const letters = (card) => card.slice(0, 2);
const element = (id) => document.getElementById(id);
const rankOf = (card) => RANKS.indexOf(card[0]);
const figure = (card) => (card[0] === "T" ? "10" : card[0]);
const spoken = (card) => `${RANK_NAMES[card[0]] || card[0]} of ${SUIT_NAMES[card[1]]}`;
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// The word for freecells: "reserve" where cards only leave them.
let cellWord = "freecell";
const cellsName = () => (cellWord === "reserve" ? "Reserve" : "Freecells");
const placeName = (place) => place.kind === "column" ? `column ${place.index + 1}`
  : place.kind === "freecell" ? `${cellWord} ${CELLS[place.index]}`
    : place.kind === "foundation" ? "home" : `the ${place.kind}`;
const placeSign = (place) => place.kind === "column" ? `${place.index + 1}`
  : place.kind === "freecell" ? CELLS[place.index]
    : place.kind === "foundation" ? "home" : place.kind;

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function pip(suit, className) {
  const made = element("suits").content.querySelector(`[data-suit="${suit}"]`).cloneNode(true);
  const look = OUTLINED.includes(suit) ? "outlined" : "filled";
  made.setAttribute("class", `pip ${look} ${className || ""}`);
  return made;
}

const colour = (card) => (OUTLINED.includes(card[1]) ? "red" : "black");

function corner(card, className) {
  const made = make("span", `corner ${className || ""}`);
  made.append(make("b", "", figure(card)), pip(card[1]));
  return made;
}

// A card of the board.
function cardElement(card) {
  const made = make("div", `card ${colour(card)}${card[0] === "T" ? " ten" : ""}`);
  made.dataset.card = letters(card);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", spoken(card));
  made.append(corner(card), pip(card[1], "centre"), corner(card, "turned"));
  return made;
}

// A card in a line of text.
function chip(card) {
  const made = make("span", `chip ${colour(card)}`);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", spoken(card));
  made.append(make("span", "", figure(card)), pip(card[1]));
  return made;
}
