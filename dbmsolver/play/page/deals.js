// New deals: by number, by chance, or from a text.
const dialog = element("deals");
for (const [name, title] of first.games) {
  const option = make("option", "", title);
  option.value = name;
  element("game").append(option);
}

element("new").addEventListener("click", () => {
  element("deal-said").textContent = "";
  if (game && typeof game.deal.game === "string") element("game").value = game.deal.game;
  dialog.showModal();
});

async function dealAnew(what, asked) {
  element("deal-said").textContent = "Dealing\u2026";
  try {
    const opened = await ask(what, asked);
    dialog.close();
    await inTurn(() => setUp(opened, 0));
    element("table").focus();
  } catch (error) {
    element("deal-said").textContent = error.message;
  }
}

const chosenGame = () => element("game").value;
function dealNumber() {
  const text = element("number").value.trim();
  if (/^-?[0-9]{1,15}$/.test(text)) {
    dealAnew("open", { deal: { game: chosenGame(), number: Number(text) } });
  } else element("deal-said").textContent = "No number, expected one such as 11982.";
}
element("deal-number").addEventListener("click", dealNumber);
element("number").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  dealNumber();
});
element("kinds").addEventListener("click", (event) => {
  const { kind } = event.target.dataset;
  if (kind) dealAnew("deal", { game: chosenGame(), kind });
});
element("deal-text").addEventListener("click", () => {
  dealAnew("deal", { game: chosenGame(), text: element("pasted").value });
});
