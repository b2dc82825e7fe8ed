// The list of moves. It is one stop for the Tab key; the arrow keys choose in it.
function entryElement(stop, index) {
  const start = stop.kind === "start";
  const named = stop.cards.map(spoken).join(", ");
  const made = listEntry(`stop-${index}`, start ? "0" : numbers(stop),
    start ? ["Start"] : stop.cards.map(chip), start ? "" : signs(stop),
    start ? "" : `${numbers(stop)}: ${named} ${words(stop)}`);
  if (stop.kind === "safe") made.className = "safe";
  made.addEventListener("click", () => go(stop.end));
  return made;
}

const entries = stops.map(entryElement);
element("list").append(...entries);
const longest = stops.reduce((most, stop) => Math.max(most, numbers(stop).length), 3);
element("list").style.setProperty("--digits", longest);

const drawList = (index) => chooseEntry(element("list"), entries[index]);

element("list").addEventListener("keydown", (event) => {
  const steps = stepsInList(event, element("list"));
  if (steps === undefined) return;
  const index = stopOf(shown) + steps;
  go(stops[Math.min(Math.max(index, 0), stops.length - 1)].end);
  event.preventDefault();
});
