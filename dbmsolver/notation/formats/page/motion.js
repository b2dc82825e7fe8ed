// Cards glide to their new places, unless the reader prefers less motion.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const SPEEDS = [0.25, 0.5, 0.75, 1, 1.5, 2.5, 5];
const speed = () => SPEEDS[Number(element("speed").value)];
// Milliseconds that the replay rests at a stop, and that a card is on its way.
const restTime = () => 1100 / speed();
const glideTime = () => Math.min(450, 0.45 * restTime());
const LATER = 0.3; // a card that follows another one home starts after this part of its way

const whereCardsAre = () => new Map(
  [...cardElements].map(([card, made]) => [card, made.getBoundingClientRect()]));

// How far up in its column or pile a card lies: cards that wait lie on each other as before.
function layers(position) {
  const found = new Map();
  for (const column of position.columns) {
    column.forEach((card, index) => found.set(card, index + 1));
  }
  position.reserve.forEach((card, index) => found.set(card, index + 1));
  for (const { cards } of position.pile ? [] : homesOf(position)) {
    cards.forEach((card, index) => found.set(card, index + 1));
  }
  (position.removed || []).forEach((card, index) => found.set(card, index + 1));
  if (position.waste) position.waste.forEach((card, index) => found.set(card, index + 1));
  if (position.pile) position.pile.forEach((card, index) => found.set(card, index + 1));
  return (card) => found.get(card) || rankOf(card);
}

function endMotion() {
  for (const made of cardElements.values()) {
    for (const motion of made.getAnimations()) motion.cancel();
  }
}

// Let the cards come from where they were, in front of all others; if asked to, one after another.
// Returns the milliseconds until the last one is there.
function glide(cards, before, layer, oneByOne) {
  if (calm.matches) return 0;
  const duration = glideTime();
  const delay = oneByOne ? Math.min(LATER * duration, 4 * duration / cards.length) : 0;
  cards.forEach((card, index) => {
    const made = cardElements.get(card);
    const old = before.get(card), here = made.getBoundingClientRect();
    const x = old.left - here.left, y = old.top - here.top;
    const start = `translate(${x}px, ${y}px)`, front = 100 + index;
    made.animate(
      [{ transform: start, zIndex: layer(card) },
        { transform: start, zIndex: front, offset: 0.001 },
        { transform: "none", zIndex: front }],
      { duration, delay: delay * index, easing: "ease-in-out", fill: "backwards" },
    );
  });
  return duration + delay * Math.max(cards.length - 1, 0);
}
