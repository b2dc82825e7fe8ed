// What can be copied of a solution.

// The address of this game at this move in the page that is played on.
function playOn() {
  const codes = positions.slice(1).map(({ source, target, moved }, index) => {
    const count = moves[index].num_cards, suit = moves[index].source.foundation?.suit;
    const letters = letterOf(source, suit) + letterOf(target, moved[0]?.[1]);
    return letters + (count > 1 ? count : "");
  });
  return PLAY + addressOf(replay.deal, codes.join(""), shown);
}
const PLAY = `http://127.0.0.1:${replay.port}/`;
const drawLink = () => {
  // Pairing games, and those of several packs, are not played there.
  const playable = !positions[0].removed && !positions[0].homes;
  element("play-on").hidden = !playable;
  if (playable) element("play-on").setAttribute("href", playOn());
};

element("copy-sfn").hidden = replay.sfn === null;
element("copy-sfn").addEventListener("click", () => copy("SFN", replay.sfn));
element("copy-json").addEventListener("click", () => copy("JSON", `${JSON.stringify(data)}\n`));
element("copy-board").addEventListener("click", () => copy("Board", boardText(positions[shown])));
element("copy-link").addEventListener("click",
  () => copy("Link", location.href.split("#")[0] + address()));
