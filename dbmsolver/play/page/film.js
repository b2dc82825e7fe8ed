// A solution is shown: its moves are played on from here, one after the other.
let film = null; // {nodes, timer}

function drawFilm() {
  element("play").setAttribute("aria-label", film ? "Pause" : "Show solution");
  for (const drawn of element("play").querySelectorAll("path")) {
    drawn.toggleAttribute("hidden", drawn.classList.contains(film ? "go" : "halt"));
  }
  element("now").setAttribute("aria-live", film ? "off" : "polite");
}

function stopFilm() {
  if (!film) return;
  clearTimeout(film.timer);
  film = null;
  drawFilm();
}

const showSolution = () => inTurn(async () => {
  if (!account?.solution) {
    say(account?.value[0] === "unsolvable" ? `There is no solution. ${mistakeWords()}`
      : "No solution is known yet.");
    return;
  }
  const { nodes } = await ask("play",
    { deal: game.deal, line: lineTo(here), moves: account.solution, together: true });
  let at = here;
  const made = nodes.map((told) => (at = addNode(at, told)));
  film = { nodes: made, timer: null };
  drawFilm();
  const tick = () => {
    const time = go(film.nodes.shift());
    if (!film.nodes.length) stopFilm();
    else film.timer = setTimeout(tick, Math.max(restTime(), time + 0.4 * restTime()));
  };
  film.timer = setTimeout(tick, 0.3 * restTime());
});

const toggleFilm = () => (film ? stopFilm() : showSolution());
