// An entry of a list of moves: its number, its cards, the way they go, and how all that is read out.
function listEntry(id, number, cards, way, label) {
  const made = make("li");
  made.id = id;
  made.setAttribute("role", "option");
  const around = make("span", "cards");
  around.append(...cards);
  made.append(make("span", "number", number), around, make("span", "way", way));
  if (label) made.setAttribute("aria-label", label);
  return made;
}

// Choose an entry. It stands in the middle, so that the moves before and after it are seen.
function chooseEntry(list, entry) {
  for (const other of list.querySelectorAll('[aria-selected="true"]')) {
    if (other !== entry) other.setAttribute("aria-selected", "false");
  }
  entry.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", entry.id);
  list.scrollTop = entry.offsetTop - (list.clientHeight - entry.offsetHeight) / 2;
}

// How far a key of the list goes in it; nothing for other keys.
function stepsInList(event, list) {
  if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
  const high = list.querySelector("li").offsetHeight;
  const room = Math.max(1, Math.floor(list.clientHeight / high) - 1);
  return { ArrowUp: -1, ArrowDown: 1, PageUp: -room, PageDown: room }[event.key];
}
