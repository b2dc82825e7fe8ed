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
