// How high heading and controls are: the cards get what is left of the window. Where they do not fit
// side by side, the table scrolls.
const heights = new ResizeObserver(() => {
  const { style } = document.documentElement;
  style.setProperty("--head", `${document.querySelector("header").offsetHeight}px`);
  style.setProperty("--bar", `${element("bar").offsetHeight}px`);
  const table = element("table");
  table.classList.toggle("sideways", table.scrollWidth > table.clientWidth);
});
heights.observe(document.querySelector("header"));
heights.observe(element("bar"));
heights.observe(element("table"));
