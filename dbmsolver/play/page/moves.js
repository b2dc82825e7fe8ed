// The list of all moves, with branches. It is one stop for the Tab key; the arrow keys choose in it.
let listed = []; // the nodes, in their order, the start first

// What is said of an entry: its number, if it has one, and the move.
function spokenEntry(node) {
  const said = moveSpoken(node.parent.position, node.move), number = numberOf(node);
  return number ? `${number}: ${said}` : said;
}

const moveNamed = (node) => numberOf(node) ? `move ${node.count}`
  : `turning the waste over after move ${node.count}`;

function entryOf(node, level) {
  const before = node.parent.position, cards = cardsOf(before, node.move);
  const made = listEntry(`move-${listed.length}`, numberOf(node), cards.map(chip),
    moveSigns(node.move), spokenEntry(node));
  if (level) {
    made.classList.add("branch");
    made.style.setProperty("--level", Math.min(level, 6));
  }
  return made;
}

let drawnTree = null;

function drawMoves() {
  const { text } = treeText();
  if (drawnTree?.text !== text || drawnTree.root !== game.root) {
    drawnTree = { text, root: game.root };
    const start = listEntry("move-0", "0", ["Start"], "", "");
    const made = [start];
    listed = [game.root];
    walk(game.root, (node, level, edge) => {
      if (edge === "end") return;
      made.push(entryOf(node, level));
      listed.push(node);
    });
    element("list").replaceChildren(...made);
    element("list").style.setProperty("--digits",
      Math.max(3, String(Math.max(...listed.map((node) => node.count))).length));
  }
  const ahead = new Set(path(here));
  listed.forEach((node, index) => {
    element("list").children[index].classList.toggle("passed", ahead.has(node));
  });
  markMoves();
  chooseEntry(element("list"), element("list").children[listed.indexOf(here)]);
}

// The move after which a game is lost is marked, and said.
function markMoves() {
  listed.forEach((node, index) => {
    const entry = element("list").children[index];
    const mistake = node.worth === "unsolvable" && node.parent?.worth === "solved";
    if (entry.classList.contains("mistake") === mistake) return;
    entry.classList.toggle("mistake", mistake);
    entry.querySelector(".says")?.remove();
    if (!mistake) return;
    entry.append(make("span", "says", "\u2717 loses the game"));
    entry.setAttribute("aria-label", `${spokenEntry(node)}; loses the game`);
  });
}

const goTo = (node) => inTurn(() => {
  stopFilm();
  go(node);
});

element("list").addEventListener("click", (event) => {
  const entry = event.target.closest("li");
  if (entry) goTo(listed[[...element("list").children].indexOf(entry)]);
});
element("list").addEventListener("keydown", (event) => {
  const steps = stepsInList(event, element("list"));
  if (steps === undefined) return;
  const index = Math.min(Math.max(listed.indexOf(here) + steps, 0), listed.length - 1);
  goTo(listed[index]);
  event.preventDefault();
});
