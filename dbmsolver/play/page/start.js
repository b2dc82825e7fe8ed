// The buttons, and the game that the address or the command line asks for.
element("undo").addEventListener("click", undo);
element("redo").addEventListener("click", redo);
element("advice").addEventListener("click", hint);
element("play").addEventListener("click", toggleFilm);

function drawSpeed() {
  element("speed-text").textContent = `${speed()}\u00d7`;
  element("speed").setAttribute("aria-valuetext", `${speed()} times`);
}
element("speed").addEventListener("input", drawSpeed);
drawSpeed();

try {
  localStorage.setItem("dbmsolver-play", base.split("/")[1]);
} catch {
  // Links from elsewhere do not find the way then; nothing else needs it.
}

async function start() {
  const asked = fromAddress(location.hash);
  try {
    if (asked) {
      setUp(await ask("open", { deal: asked.deal, tree: asked.tree }), asked.at);
      return;
    }
  } catch (error) {
    setUp(await ask("open", first), 0);
    say(`The address is of no game: ${error.message}`);
    return;
  }
  setUp(await ask("open", first), 0);
}
inTurn(start);
window.addEventListener("hashchange", () => {
  if (location.hash !== address()) inTurn(start);
});
window.addEventListener("resize", () => {
  if (here) chooseEntry(element("list"), element("list").children[listed.indexOf(here)]);
});
