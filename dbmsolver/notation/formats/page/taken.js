// What can be copied of a solution.
element("copy-sfn").hidden = replay.sfn === null;
element("copy-sfn").addEventListener("click", () => copy("SFN", replay.sfn));
element("copy-json").addEventListener("click", () => copy("JSON", `${JSON.stringify(data)}\n`));
element("copy-board").addEventListener("click", () => copy("Board", boardText(positions[shown])));
element("copy-link").addEventListener("click",
  () => copy("Link", location.href.split("#")[0] + address()));
