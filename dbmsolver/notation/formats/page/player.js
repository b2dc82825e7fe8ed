// The replay: which position is shown, and everything that changes it.
let shown = -1; // the number of moves made
let timer = null;
const MOST_CHIPS = 8; // cards that a line of text names

const WON = positions[0].pile ? "the columns are empty"
  : !positions[0].removed ? "all cards are home"
    : /^pairs-all/.test(data.header.cards_move) ? "all cards are removed" : "the pyramid is empty";

const address = () => `#move=${shown}`;

function describe(into, stop) {
  into.replaceChildren();
  if (stop.kind === "start") into.append(`Start, ${plural(moves.length, "move")} to go`);
  else {
    const many = stop.cards.length > MOST_CHIPS;
    const named = stop.cards.slice(0, many ? MOST_CHIPS - 1 : MOST_CHIPS);
    into.append(...named.map(chip));
    if (many) into.append(make("span", "", `and ${stop.cards.length - named.length} more`));
    into.append(make("span", "", words(stop)));
  }
}

function drawWords() {
  const index = stopOf(shown), stop = stops[index];
  const partly = shown !== stop.end; // inside of a group, by the address
  const coming = partly ? stop : stops[index + 1];
  describe(element("now"), stop);
  if (stop.kind !== "start") {
    const which = partly ? `${shown} (of ${numbers(stop)})` : numbers(stop);
    element("now").prepend(make("span", "number", `${which} / ${moves.length}`));
  }
  element("coming").replaceChildren();
  if (coming) {
    describe(element("coming"), coming);
    element("coming").prepend("Next:");
  } else {
    const end = replay.solved ? `Solved: ${WON}.` : "The moves end here.";
    element("coming").append(end);
  }
  const comment = commentOf(stop);
  element("comment").textContent = comment;
  element("comment").hidden = !comment;
  const slider = element("slider");
  slider.value = index;
  slider.setAttribute("aria-valuetext", `${shown} of ${plural(moves.length, "move")}`);
  for (const [id, off] of [["first", shown === 0], ["back", shown === 0],
    ["next", shown === moves.length], ["last", shown === moves.length]]) {
    element(id).setAttribute("aria-disabled", String(off));
  }
}

// Show the position after a number of moves. Cards glide if it is one stop away. Returns the
// milliseconds until they have come to rest.
function show(made) {
  const before = shown, target = Math.min(Math.max(made, 0), moves.length);
  if (target === before) return 0;
  shown = target;
  const stop = stops[stopOf(shown)];
  const passed = before < 0 ? null
    : stops.find((one) => one.kind !== "start" && one.begin === Math.min(before, shown)
      && one.end === Math.max(before, shown));
  endMotion();
  const places = passed && whereCardsAre(), layer = passed && layers(positions[before]);
  drawBoard(positions[shown], stop.cards);
  const cards = passed ? [...passed.cards, ...passed.fills] : [];
  if (shown < before) cards.reverse();
  const time = passed ? glide(cards, places, layer, passed.kind === "safe") : 0;
  drawWords();
  drawList(stopOf(shown));
  drawLink();
  document.body.dataset.move = shown;
  return time;
}

function pause() {
  if (timer !== null) rememberAddress();
  clearTimeout(timer);
  timer = null;
  element("play").setAttribute("aria-label", "Play");
  for (const path of element("play").querySelectorAll("path")) {
    path.toggleAttribute("hidden", path.classList.contains("halt"));
  }
  element("now").setAttribute("aria-live", "polite");
}

function play() {
  element("play").setAttribute("aria-label", "Pause");
  for (const path of element("play").querySelectorAll("path")) {
    path.toggleAttribute("hidden", path.classList.contains("go"));
  }
  element("now").setAttribute("aria-live", "off"); // nobody is read every move of a film
  if (shown === moves.length) show(0);
  const tick = () => {
    const time = show(following());
    if (shown === moves.length) pause();
    else timer = setTimeout(tick, Math.max(restTime(), time + 0.4 * restTime()));
  };
  timer = setTimeout(tick, 0.5 * restTime());
}

function rememberAddress() {
  try {
    history.replaceState(null, "", address());
  } catch {
    // Browsers refuse it in some frames, and when it is done too often: the page works without.
  }
}

const following = () => (stops.find((stop) => stop.end > shown) || stops[stops.length - 1]).end;
const preceding = () => stops.filter((stop) => stop.end < shown).pop()?.end ?? 0;

// Go to a position because the reader says so: that ends the film.
function go(made) {
  pause();
  show(made);
  rememberAddress();
}

function fromAddress() {
  const match = /^#move=(\d{1,6})$/.exec(location.hash);
  pause();
  show(match ? Number(match[1]) : 0);
  if (match) rememberAddress();
}
