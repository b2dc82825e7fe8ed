// Buttons, sliders, keys, and swipes over the table.
element("first").addEventListener("click", () => go(0));
element("back").addEventListener("click", () => go(preceding()));
element("next").addEventListener("click", () => go(following()));
element("last").addEventListener("click", () => go(moves.length));
const toggle = () => (timer === null ? play() : pause());
element("play").addEventListener("click", toggle);

element("slider").max = stops.length - 1;
element("slider").addEventListener("input", (event) => go(stops[Number(event.target.value)].end));

function drawSpeed() {
  element("speed-text").textContent = `${speed()}\u00d7`;
  element("speed").setAttribute("aria-valuetext", `${speed()} times`);
}
element("speed").addEventListener("input", drawSpeed);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input, textarea")) return;
  const keys = {
    ArrowLeft: preceding, ArrowRight: following, Home: () => 0, End: () => moves.length,
  };
  if (event.key in keys) go(keys[event.key]());
  else if (event.key === " " && !event.target.matches("button")) toggle();
  else return;
  event.preventDefault();
});

const SWIPE = 40; // pixels; less is a tap
let touch = null;
element("table").addEventListener("pointerdown", (event) => {
  touch = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
});
element("table").addEventListener("pointercancel", () => { touch = null; });
element("table").addEventListener("pointerup", (event) => {
  if (!touch || !event.isPrimary) return;
  const x = event.clientX - touch.x, y = event.clientY - touch.y;
  touch = null;
  if (Math.abs(x) < SWIPE || Math.abs(x) < 1.5 * Math.abs(y)) return;
  go(x < 0 ? following() : preceding());
});

window.addEventListener("hashchange", fromAddress);
window.addEventListener("resize", () => drawList(stopOf(shown)));
buildBoard(positions[0], deepest(positions));
drawSpeed();
fromAddress();
