// What the analysis says: of the position, of each move, of the game so far.
let account = null; // the last one of the position that is shown
let listening = null;
const SOON = 80; // milliseconds before a position is looked at: most are only passed
let soon = null;
let longer = 0;

function lookAt(node) {
  longer = 0;
  account = null;
  drawWorth();
  drawVerdict();
  drawChoices();
  listenTo(node);
}

function listenTo(node) {
  clearTimeout(soon);
  listening?.abort();
  listening = null;
  if (!element("analyse").checked || document.hidden || node.won) return;
  const control = new AbortController();
  listening = control;
  const asked = { deal: game.deal, line: lineTo(node), longer };
  soon = setTimeout(() => {
    listen("analyse", asked, control.signal, (told) => {
      if (here === node && listening === control) heardAccount(node, told);
    }).catch((error) => {
      if (!control.signal.aborted) element("state").textContent = error.message;
    });
  }, SOON);
}

function heardAccount(node, told) {
  account = told;
  path(node).forEach((one, index) => {
    if (index <= told.won) one.worth = "solved";
    else if (index >= told.lost) one.worth = "unsolvable";
  });
  drawVerdict();
  drawWorth();
  drawChoices();
  markMoves();
}

const moves = (count) => `${count} ${game.unit}${count === 1 ? "" : "s"}`;

function lengthWords([, least, most]) {
  if (most === null) return least > 1 ? `at least ${moves(least)}` : "";
  if (least === most) return `${moves(most)}, proven shortest`;
  return `a solution of ${moves(most)}${least > 1 ? `, at least ${least} needed` : ""}`;
}

function mistakeWords() {
  const { won, lost } = account;
  if (lost === 0) return "The deal itself cannot be won.";
  const made = path(here);
  if (won === lost - 1) return `It was lost by ${moveNamed(made[lost])}.`;
  return won >= 0 ? `It was lost by one of moves ${made[won].count + 1} to ${made[lost].count}.`
    : "Where it was lost is not known yet.";
}

const STATES = { waiting: "waiting for others\u2026", searching: "searching\u2026", done: "",
  compiling: "compiling, this once\u2026", stopped: "stopped, the time is over" };

function drawVerdict() {
  const verdict = element("verdict"), state = element("state");
  verdict.className = "";
  if (here.won) {
    verdict.textContent = "Solved.";
    state.textContent = "";
    return;
  }
  if (!account) {
    verdict.textContent = "";
    state.textContent = element("analyse").checked ? "\u2026" : "Not analysed.";
    return;
  }
  const [what] = account.value;
  verdict.className = what;
  if (what === "solved") {
    const known = account.solution === null ? "proven" : "solution in hand";
    verdict.textContent = [`Can be won (${known})`, lengthWords(account.value)].filter(Boolean)
      .join(": ");
  } else if (what === "unsolvable") {
    verdict.textContent = `Lost (proven). ${mistakeWords()}`;
  } else verdict.textContent = "Not known yet whether it can be won.";
  state.textContent = STATES[account.state];
  element("longer").disabled = account.state !== "stopped" || longer >= first.longest;
}

// The best move: of those that are equally good the one that takes most cards.
function bestMove() {
  if (!account) return null;
  const known = Object.entries(account.moves).filter(([, [what]]) => what === "solved");
  if (!known.length) return null;
  const least = known[0][1][2];
  const best = known.filter(([, value]) => value[2] === least).map(([move]) => move);
  return best.sort((one, other) => countOf(other) - countOf(one))[0];
}

function markOf(move) {
  const value = account?.moves[here.legal[move]];
  if (!value) return null;
  const [what, , most] = value;
  if (what === "unsolvable") return { worth: "lost", rank: 0, sign: "\u2717", count: "" };
  if (what === "undecided") return { worth: "open", rank: 1, sign: "?", count: "" };
  const best = account.moves[bestMove()]?.[2] === most;
  return { worth: best ? "best" : "won", rank: best ? 3 : 2, sign: "\u2713", count: most ?? "" };
}

function setMark(made, mark) {
  if (mark) {
    made.dataset.worth = mark.worth;
    made.dataset.sign = mark.sign;
    made.dataset.mark = mark.sign + mark.count;
  } else {
    delete made.dataset.worth;
    delete made.dataset.sign;
    delete made.dataset.mark;
  }
}

// On the board: what each card that can move is worth, or each place that what is chosen can go to.
function drawWorth() {
  for (const made of document.querySelectorAll("#board [data-worth]")) setMark(made, null);
  if (!account || !here) return;
  const found = new Map();
  for (const move of Object.keys(here.legal)) {
    const mark = markOf(move);
    let made = cardElements.get(cardsOf(here.position, move)[0]);
    if (chosen) {
      if (move[0] !== chosen.from || countOf(move) !== chosen.count) continue;
      made = slotOf.get(move[1]);
    }
    if (mark && !(found.get(made)?.rank >= mark.rank)) found.set(made, mark);
  }
  for (const [made, mark] of found) setMark(made, mark);
}

function choiceText(value) {
  if (!value) return "";
  const [what, least, most] = value;
  if (what === "unsolvable") return "loses";
  if (what === "undecided") return "unknown";
  if (most === null) return "wins";
  return least === most ? `wins in ${most}` : `wins in ${most} or less`;
}

// The position in which a button of the list is pressed. Its click comes when it is let go, if it is still there.
let pressed = null;

// All moves as buttons, best first.
function drawChoices() {
  if (pressed === here) return;
  const names = account ? Object.keys(account.moves) : [...new Set(Object.values(here.legal))];
  const made = names.map((move) => {
    const value = account?.moves[move], button = make("button", "choice");
    button.type = "button";
    button.dataset.choice = move;
    if (value) button.dataset.worth = markOf(move).worth;
    button.append(...cardsOf(here.position, move).map(chip), make("span", "way", moveSigns(move)),
      make("span", "says", choiceText(value)));
    const says = choiceText(value);
    button.setAttribute("aria-label",
      moveSpoken(here.position, move) + (says ? `: ${says}` : ""));
    const item = make("li");
    item.append(button);
    return item;
  });
  const list = element("choices"), focused = document.activeElement?.dataset?.choice;
  list.replaceChildren(...made);
  if (focused) list.querySelector(`[data-choice="${focused}"]`)?.focus();
}

element("choices").addEventListener("pointerdown", () => {
  pressed = here;
});
for (const end of ["pointerup", "pointercancel"]) {
  window.addEventListener(end, () => {
    if (!pressed) return;
    pressed = null;
    setTimeout(drawChoices);  // after the click
  });
}

element("choices").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) playMove(button.dataset.choice);
});

function hint() {
  if (here.won) return;
  const move = bestMove();
  if (move) {
    choose({ from: move[0], count: countOf(move) });
    slotOf.get(move[1]).classList.add("advised");
    say(`Hint: ${moveSpoken(here.position, move)}, ${choiceText(account.moves[move])}.`);
  } else if (account?.value[0] === "unsolvable") {
    say(`No move wins. ${mistakeWords()}`);
  } else say("No winning move is known yet.");
}

element("analyse").addEventListener("change", () => lookAt(here));
element("longer").addEventListener("click", () => {
  longer += 1;
  element("longer").disabled = true;
  listenTo(here);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) listening?.abort();
  else if (here) listenTo(here);
});
