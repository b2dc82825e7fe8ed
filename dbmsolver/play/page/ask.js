// Questions to the server: an object, answered by one. Errors are what the server says.
const base = location.pathname;

async function send(what, asked, signal) {
  const answer = await fetch(base + what, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(asked),
    signal,
  });
  if (answer.ok) return answer;
  let said = `The server refused: ${answer.status}.`;
  try {
    said = (await answer.json()).error;
  } catch {
    // It is no answer of ours: the number has to do.
  }
  throw new Error(said);
}

const ask = async (what, asked) => (await send(what, asked)).json();

// Events as they come, until they end or the signal aborts them.
async function listen(what, asked, signal, heard) {
  const reader = (await send(what, asked, signal)).body
    .pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) heard(JSON.parse(event.slice("data: ".length)));
  }
}
