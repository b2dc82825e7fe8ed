// How high heading and controls are: the cards get what is left of the window.
const heights = new ResizeObserver(() => {
  const { style } = document.documentElement;
  style.setProperty("--head", `${document.querySelector("header").offsetHeight}px`);
  style.setProperty("--bar", `${element("bar").offsetHeight}px`);
});
heights.observe(document.querySelector("header"));
heights.observe(element("bar"));
