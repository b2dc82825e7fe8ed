// Moves and games as the addresses of the page have them that is played on. A place is a letter.
const LETTERS = "ABCDEFGHIJKLMNOPQR";
const CELL_LETTERS = "abcdefghijklmnop";
const HOME_LETTERS = { w: "H", x: "S", y: "D", z: "C" };
const OTHERS = { r: "pile", s: "stock", t: "waste", u: "reserve" };

function placeOf(letter) {
  if (LETTERS.includes(letter)) return { kind: "column", index: LETTERS.indexOf(letter) };
  if (CELL_LETTERS.includes(letter)) {
    return { kind: "freecell", index: CELL_LETTERS.indexOf(letter) };
  }
  return letter in HOME_LETTERS ? HOME : { kind: OTHERS[letter], index: 0 };
}

const letterOf = ({ kind, index }, suit) => kind === "column" ? LETTERS[index]
  : kind === "freecell" ? CELL_LETTERS[index]
    : kind === "foundation" ? Object.keys(HOME_LETTERS).find((one) => HOME_LETTERS[one] === suit)
      : Object.keys(OTHERS).find((one) => OTHERS[one] === kind);

// A deal, moves that were made in it, and how many of them lead to what is shown.
function addressOf({ game: name, number, board }, moves, at) {
  const parts = [["game", typeof name === "string" ? name : JSON.stringify(name)],
    number === undefined ? ["board", board] : ["deal", number]];
  if (moves) parts.push(["at", at], ["moves", moves]);
  const plain = (value) => encodeURIComponent(value).replace(/%20/g, "+");
  return `#${parts.map(([key, value]) => `${key}=${plain(value)}`).join("&")}`;
}
