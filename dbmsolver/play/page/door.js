// A link from elsewhere cannot have the secret. A browser in which the page was open knows it.
const secret = localStorage.getItem("dbmsolver-play");
if (secret && /^[\w-]+$/.test(secret)) {
  fetch(`/${secret}/`, { method: "HEAD" }).then((answer) => {
    if (answer.ok) location.replace(`/${secret}/${location.hash}`);
  });
}
