// The list of moves. It is one stop for the Tab key; the arrow keys choose in it.
function entryElement(stop, index) {
  const made = make("li", stop.kind === "safe" ? "safe" : "");
  made.id = `stop-${index}`;
  made.setAttribute("role", "option");
  const cards = make("span", "cards");
  if (stop.kind === "start") cards.append("Start");
  else cards.append(...stop.cards.map(chip));
  made.append(make("span", "number", stop.kind === "start" ? "0" : numbers(stop)), cards);
  made.append(make("span", "way", stop.kind === "start" ? "" : signs(stop)));
  if (stop.kind !== "start") {
    const named = stop.cards.map(spoken).join(", ");
    made.setAttribute("aria-label", `${numbers(stop)}: ${named} ${words(stop)}`);
  }
  made.addEventListener("click", () => go(stop.end));
  return made;
}

const entries = stops.map(entryElement);
element("list").append(...entries);
const longest = stops.reduce((most, stop) => Math.max(most, numbers(stop).length), 3);
element("list").style.setProperty("--digits", longest);

// The chosen entry stands in the middle, so that the moves before and after it are seen.
function drawList(index) {
  const list = element("list"), entry = entries[index];
  for (const other of list.querySelectorAll('[aria-selected="true"]')) {
    if (other !== entry) other.setAttribute("aria-selected", "false");
  }
  entry.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", entry.id);
  list.scrollTop = entry.offsetTop - (list.clientHeight - entry.offsetHeight) / 2;
}

element("list").addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const room = Math.max(1, Math.floor(element("list").clientHeight / entries[0].offsetHeight) - 1);
  const ways = { ArrowUp: -1, ArrowDown: 1, PageUp: -room, PageDown: room };
  if (!(event.key in ways)) return;
  const index = stopOf(shown) + ways[event.key];
  go(stops[Math.min(Math.max(index, 0), stops.length - 1)].end);
  event.preventDefault();
});
