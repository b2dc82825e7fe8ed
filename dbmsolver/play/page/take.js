// What can be taken along: the game, with the solution that is in hand if that is wanted, as a file of
// any format, or as text.
function takenLine() {
  const more = element("with-solution").checked && account?.solution;
  return lineTo(here) + (more || "");
}

const exported = (format) => ask("export", { deal: game.deal, line: takenLine(), format });

async function save(format) {
  try {
    const { text, name } = await exported(format);
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
    element("copied").textContent = `${name} saved.`;
  } catch (error) {
    element("copied").textContent = error.message;
  }
}

for (const [format, ending] of first.formats) {
  const button = make("button", "", ending.slice(1).toUpperCase());
  button.title = `Save as a file of the format ${format}`;
  button.dataset.format = format;
  button.addEventListener("click", () => save(format));
  element("save").append(button);
}
element("copy-moves").addEventListener("click", async () => {
  try {
    copy("Moves", (await exported("moves")).text);
  } catch (error) {
    element("copied").textContent = error.message;
  }
});
element("copy-board").addEventListener("click", () => copy("Board", boardText(here.position)));
element("copy-link").addEventListener("click",
  () => copy("Link", location.href.split("#")[0] + address()));
