// A table in the browser: sends what is clicked, and swaps in the page that the server makes of it.
const live = document.getElementById("live");
const state = document.getElementById("state");
const said = document.getElementById("said");
const words = document.getElementById("words").dataset;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let socket = null;
let waits = 0;
let version = Number(live.dataset.version);
let heard = version;
let yours = live.querySelector(".prompt.mine") !== null;

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
  const ticked = [version, picked()];
  const closed = [...live.querySelectorAll("details:not([open]) > summary")].map((summary) => summary.textContent);
  return () => {
    for (const [id, value] of typed) {
      const input = document.getElementById(id);
      if (input) input.value = value;
    }
    if (ticked[0] === version) {
      for (const box of live.querySelectorAll("[data-pick]")) box.checked = ticked[1].includes(box.value);
      countPicks();
    }
    for (const summary of live.querySelectorAll("details > summary")) {
      if (closed.includes(summary.textContent)) summary.parentElement.open = false;
    }
    if (!key) return;
    const same = [...live.querySelectorAll("button, input, a, summary")].find(
      (each) =>
        (each.id || each.value || each.textContent.trim()) === key &&
        (each.getAttribute("aria-disabled") !== "true" || "picks" in each.dataset),
    );
    const next = [".choices button:not([aria-disabled])", ".play button[name=move]:not([aria-disabled])", ".prompt h2"];
    (same || next.map((where) => live.querySelector(where)).find(Boolean))?.focus({ preventScroll: true });
  };
}

function swap(page) {
  const restore = keep();
  const change = () => {
    live.innerHTML = page.html;
    version = page.version;
    live.dataset.version = version;
    live.dataset.connected = "";
    finish();
    restore();
  };
  // A page that comes while the last one still moves in cuts that short; that is no error.
  if (document.startViewTransition && !calm.matches && !document.hidden) document.startViewTransition(change).ready.catch(() => {});
  else change();
  document.title = page.title;
  said.textContent = page.announce;
  // Sounds and notices listen to this.
  const detail = { title: page.title, moved: page.version !== heard, turned: page.yours && !yours };
  heard = page.version;
  yours = page.yours;
  document.dispatchEvent(new CustomEvent("teerling:page", { detail }));
}

// Boxes that are ticked make one move together: "throw +" becomes "throw blue green". The server knows "+" too.
function picked() {
  return [...live.querySelectorAll("[data-pick]:checked")].map((box) => box.value);
}

// Says on the button how many are ticked; with none it says why it does nothing.
function countPicks() {
  const count = picked().length;
  for (const button of live.querySelectorAll("button[data-picks]")) {
    const counter = button.querySelector("[data-count]");
    if (counter) counter.textContent = count || "";
    button.title = count ? "" : button.dataset.picks;
    button.classList.toggle("no", !count);
    if (count) button.removeAttribute("aria-disabled");
    else button.setAttribute("aria-disabled", "true");
  }
}

// Marks on the board what a hint says is best: its button, or the boxes that make the move together.
function markBest() {
  const best = live.querySelector("[data-best]")?.dataset.best;
  if (!best) return;
  for (const each of live.querySelectorAll(".play button[name=move], [data-pick]")) {
    const [first, plus] = each.value.split("+");
    const fits = each.name === "move" ? each.value === best || (plus === "" && best.startsWith(first)) : best.split(" ").includes(each.value);
    (each.closest("label") ?? each).classList.toggle("advised", fits);
  }
}

// Small things that only a browser knows.
function finish() {
  markBest();
  countPicks();
  for (const input of live.querySelectorAll("[data-invite]")) {
    input.value = new URL(input.value, location).href;
  }
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(`${scheme}//${location.host}/tables/${live.dataset.table}/live?lang=${document.documentElement.lang}`);
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
    } else if (send({ kind: "move", move: button.value.replace("+", picked().join(" ")) })) event.preventDefault();
  }
  if (["back", "lift", "hint"].includes(button?.dataset.live) && send({ kind: button.dataset.live })) event.preventDefault();
});

live.addEventListener("change", countPicks);
// A preview: the pieces that a move would move lift, and their ghosts stand where they would land.
function preview(target) {
  const button = target?.closest?.("[data-shows]");
  if (button && button === preview.of) return;
  const aim = target ?? live;
  const top = aim.getBoundingClientRect().top;
  for (const ghost of live.querySelectorAll(".ghost")) ghost.remove();
  for (const piece of live.querySelectorAll(".lifts")) piece.classList.remove("lifts");
  preview.of = button;
  for (const pair of button?.dataset.shows.trim().split(" ") ?? []) {
    const [name, slot] = pair.split(">");
    const piece = live.querySelector(`[data-piece="${name}"]`);
    const place = live.querySelector(`[data-slot="${slot}"]`);
    if (!piece || !place) continue;
    const ghost = piece.cloneNode(true);
    ghost.style.viewTransitionName = "none";
    ghost.removeAttribute("data-piece");
    ghost.classList.add("ghost");
    place.append(ghost);
    piece.classList.add("lifts");
  }
  // Ghosts make the board grow; what somebody aims at stays where it is.
  scrollBy({ top: aim.getBoundingClientRect().top - top, behavior: "instant" });
}
live.addEventListener("pointerover", (event) => event.pointerType === "mouse" && preview(event.target));
live.addEventListener("pointerleave", () => preview(document.activeElement));
live.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && preview(event.target));
// A pressed button takes the focus from another; what it shows must not move away under the pointer.
live.addEventListener("focusout", () => preview(live.querySelector("[data-shows]:hover")));

connect();
finish();
