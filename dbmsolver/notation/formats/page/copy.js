// What can be taken along: the solution as text, the board that is shown, the address of a move.
async function copy(what, text) {
  const byHand = element("by-hand");
  byHand.hidden = true;
  try {
    await navigator.clipboard.writeText(text);
    element("copied").textContent = `${what} copied.`;
  } catch {
    byHand.value = text;
    byHand.hidden = false;
    byHand.select();
    element("copied").textContent = `The browser does not copy by itself: here is the text.`;
  }
}

element("copy-sfn").hidden = replay.sfn === null;
element("copy-sfn").addEventListener("click", () => copy("SFN", replay.sfn));
element("copy-json").addEventListener("click", () => copy("JSON", `${JSON.stringify(data)}\n`));
element("copy-board").addEventListener("click", () => copy("Board", boardText(positions[shown])));
element("copy-link").addEventListener("click",
  () => copy("Link", location.href.split("#")[0] + address()));
