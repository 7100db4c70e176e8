// A table in the browser: sends what is clicked, and swaps in the page that the server makes of it.
const live = document.getElementById("live");
const state = document.getElementById("state");
const said = document.getElementById("said");
const words = document.getElementById("words").dataset;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let socket = null;
let waits = 0;
let version = Number(live.dataset.version);

function tell(text, lasts = 4000) {
  state.textContent = text;
  state.hidden = !text;
  clearTimeout(tell.timer);
  if (text && lasts) tell.timer = setTimeout(() => (state.hidden = true), lasts);
}

// What a person is busy with survives a swap: focus, text being typed, and opened details.
function keep() {
  const active = document.activeElement;
  const key = active && live.contains(active) && (active.id || active.value || active.textContent.trim());
  const typed = [...live.querySelectorAll("[data-keep]")].map((input) => [input.id, input.value]);
  const closed = [...live.querySelectorAll("details:not([open]) > summary")].map((summary) => summary.textContent);
  return () => {
    for (const [id, value] of typed) {
      const input = document.getElementById(id);
      if (input) input.value = value;
    }
    for (const summary of live.querySelectorAll("details > summary")) {
      if (closed.includes(summary.textContent)) summary.parentElement.open = false;
    }
    if (!key) return;
    const same = [...live.querySelectorAll("button, input, a, summary")].find(
      (each) => (each.id || each.value || each.textContent.trim()) === key && each.getAttribute("aria-disabled") !== "true",
    );
    (same || live.querySelector(".choices button:not([aria-disabled])") || live.querySelector(".prompt h2"))?.focus({ preventScroll: true });
  };
}

function swap(page) {
  const restore = keep();
  const change = () => {
    live.innerHTML = page.html;
    version = page.version;
    live.dataset.version = version;
    finish();
    restore();
  };
  if (document.startViewTransition && !calm.matches && !document.hidden) document.startViewTransition(change);
  else change();
  document.title = page.title;
  said.textContent = page.announce;
  if (page.yours && document.hidden && Notification.permission === "granted") new Notification(page.title);
}

// Small things that only a browser knows.
function finish() {
  for (const input of live.querySelectorAll("[data-invite]")) {
    input.value = new URL(input.value, location).href;
  }
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(`${scheme}//${location.host}/tables/${live.dataset.table}/live`);
  socket.onopen = () => {
    if (waits) tell(words.back);
    waits = 0;
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.kind === "page") swap(message);
    else if (message.kind === "error") tell(message.text, 8000);
  };
  socket.onclose = () => {
    waits += 1;
    if (waits > 1) tell(words.lost, 0);
    setTimeout(connect, Math.min(8000, 250 * 2 ** waits) * (0.7 + 0.6 * Math.random()));
  };
}

function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify({ at: version, ...message }));
  return true;
}

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.dataset.sure && !confirm(button.dataset.sure)) event.preventDefault();
  if (event.target.dataset.live === "move" && button?.name === "move") {
    if (button.getAttribute("aria-disabled") === "true") {
      event.preventDefault();
      tell(button.title, 8000);
    } else if (send({ kind: "move", move: button.value })) event.preventDefault();
  }
  if (button?.dataset.live === "back" && send({ kind: "back" })) event.preventDefault();
});

connect();
finish();
