// A table in the browser: sends what is clicked, and swaps in the page that the server makes of it.
import "./aim.js";
import * as calls from "./calls.js";
import * as motion from "./motion.js";
import { patch } from "./patch.js";

const live = document.getElementById("live");
const state = document.getElementById("state");
const announcer = document.getElementById("said");
const why = document.getElementById("why");
const words = document.getElementById("words").dataset;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
let socket = null;
let lostConnections = 0;
let version = Number(live.dataset.version);
let announcedVersion = version;
let yours = live.querySelector(".prompt.mine") !== null;
let unansweredChat = null; // what was said and is not answered yet
let unstored = null; // the last line that is not known to be stored, as it was sent
let hintAwaited = false; // whether a hint was asked for that has not come yet
let touching = false; // whether the last press was that of a finger
let tapped = null; // the move that a finger has tapped once

let gone = false; // whether somebody was told that the line is gone

function tellGone() {
  gone = true;
  showNotice(words.lost, 0);
}

function showNotice(text, lasts = 4000) {
  state.textContent = text;
  state.hidden = !text;
  clearTimeout(showNotice.timer);
  if (text && lasts) showNotice.timer = setTimeout(() => (state.hidden = true), lasts);
}

// What a person is busy with survives a swap: focus, text being typed, and opened details.
function focusKey() {
  const active = document.activeElement;
  return active && live.contains(active) && (active.id || active.value || active.textContent.trim());
}

function keepInput(key) {
  const focused = document.activeElement;
  const typed = [...live.querySelectorAll("[data-keep]")].map((input) => [input, input.value]);
  const ticked = [version, picked()];
  const closed = [...live.querySelectorAll("details:not([open]) > summary")].map(
    (summary) => summary.textContent,
  );
  const opened = [...live.querySelectorAll("details[id][open]")].map((details) => details.id);
  return () => {
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    // A field that is still there may hold more by now.
    for (const [{ id, isConnected }, value] of typed) {
      const input = document.getElementById(id);
      if (input && !isConnected) input.value = value;
    }
    if (ticked[0] === version) {
      for (const box of live.querySelectorAll("[data-pick]")) box.checked = ticked[1].includes(box.value);
      countPicks();
    }
    for (const summary of live.querySelectorAll("details > summary")) {
      if (closed.includes(summary.textContent)) summary.parentElement.open = false;
    }
    // Nobody is called away from where they went meanwhile.
    if (!key || ![focused, document.body].includes(document.activeElement)) return;
    const same = [...live.querySelectorAll("button, input, a, summary, #prompt-h, #doubt")].find(
      (each) =>
        !each.disabled &&
        (each.id || each.value || each.textContent.trim()) === key &&
        (each.getAttribute("aria-disabled") !== "true" || "picks" in each.dataset),
    );
    const next = [
      ".choices button:not([aria-disabled], :disabled)",
      ".play button[name=move]:not([aria-disabled])",
      "#prompt-h",
    ];
    (same || next.map((where) => live.querySelector(where)).find(Boolean))?.focus({ preventScroll: true });
  };
}

// Pages come in pieces: of what the page before was made of, only the place is told (server/tables/pieces.py).
let held = [];

function whole(page) {
  if (!page.fresh) return page;
  const pieces = [...held, ...page.fresh];
  const used = new Set();
  const together = (places) => {
    for (const place of places) used.add(place);
    return places.map((place) => pieces[place]).join("<svg");
  };
  for (const frame of page.frames) frame.html = together(frame.html);
  page.html = together(page.html);
  held = Array.from(used, (place) => pieces[place]);
  return page;
}

// Pages are shown one after another: first what happened, move by move, then how it stands now.
const pages = [];
let showing = false;
let speed = 1;
let began = 0; // since when one thing is shown after another

// Whoever has looked on for long while more is coming sees only what decides something, and how it stands then.
function isLate() {
  return pages.length > 0 && performance.now() - began > motion.longest();
}

async function receive(page) {
  pages.push(page);
  if (showing) hear(page);
  else await showAll();
}

// What people say is heard at once, whatever is being shown.
function hear(page) {
  const lines = live.querySelector("#talk .lines");
  const wanted = document.createElement("template");
  wanted.innerHTML = page.html;
  const said = wanted.content.querySelector("#talk .lines");
  if (!lines || !said || lines.isEqualNode(said)) return;
  patch(lines, said.innerHTML);
  afterTalk();
  document.dispatchEvent(new CustomEvent("teerling:talk"));
}

async function showAll() {
  showing = true;
  began = performance.now();
  while (pages.length) await show(pages.shift());
  showing = false;
  motion.ready();
}

async function show(page) {
  const stage = document.getElementById("stage");
  const focus = focusKey();
  const later = pages.flatMap((each) => [...each.frames, {}]);
  for (const [index, frame] of page.frames.entries()) {
    const chain = motion.chainOf([...page.frames.slice(index), {}, ...later]);
    // Whoever is far behind sees what decided something, and the end of it.
    if ((chain.length > motion.MOST_FRAMES || isLate()) && !frame.hold) continue;
    speed = Math.min(speed, motion.speedOf(chain, page.watched));
    await released();
    announcer.textContent = frame.said;
    if (motion.hasty() && !frame.scored) continue;
    const before = motion.measure(stage);
    patch(stage, frame.html);
    await motion.settle(stage, before, speed);
    motion.cue(stage);
    await motion.hold(stage, frame.hold || 260, speed, page.watched);
    if (frame.scored) await intermission(stage);
  }
  if (isLate()) return;
  speed = Math.min(speed, motion.speedOf(motion.chainOf([{}, ...later]), page.watched));
  await swap(page, focus);
  if (!pages.length) speed = 1;
}

// A scoring stands until somebody has read it, and only then it goes on. Nobody reads a hidden page: it is brought up
// to date, and shows the scoring with how it stands then.
async function intermission(root) {
  const read = calls.open(root);
  if (document.hidden || !(await read)) return;
  speed = 1;
  began = performance.now();
  motion.ready();
}

async function swap(page, focus) {
  await released();
  const before = motion.measure(live);
  const restore = keepInput(focusKey() || focus);
  const waited = live.querySelector(".room") !== null;
  if (!motion.still() && !motion.hasty()) {
    patch(live, page.html, keepTurn);
    await motion.settle(live, before, speed);
  }
  patch(live, page.html);
  version = page.version;
  live.dataset.version = version;
  live.dataset.connected = "";
  afterSwap();
  restore();
  // Whoever was at the chat, below the chairs, is taken to the board.
  if (waited && !live.querySelector(".room")) scrollTo(0, 0);
  explain(document.activeElement);
  showHint();
  showQuestion();
  document.title = page.title;
  announcer.textContent = page.announce;
  // Sounds and notices listen to this.
  const detail = {
    title: page.title,
    moved: page.version !== announcedVersion,
    turned: page.yours && !yours,
    cue: page.version !== announcedVersion && motion.cue(live),
  };
  announcedVersion = page.version;
  yours = page.yours;
  if (detail.turned && touching) navigator.vibrate?.(30);
  document.dispatchEvent(new CustomEvent("teerling:page", { detail }));
  if (motion.still()) await motion.settle(live, before, speed);
  await intermission(live);
}

// Whose turn it is, what that player may do and what it is worth change when everything that moves lies still.
function keepTurn(wanted) {
  const keep = (old, fresh, part) => {
    const kept = old.querySelector(part)?.cloneNode(true);
    if (kept) fresh.querySelector(part)?.replaceWith(kept);
  };
  for (const old of live.querySelectorAll(".strip .chip")) {
    const fresh = wanted.querySelector(`.strip [data-place="${old.dataset.place}"]`);
    if (!fresh) continue;
    fresh.classList.toggle("now", old.matches(".now"));
    for (const part of [".tags", ".points"]) keep(old, fresh, part);
  }
  const [old, fresh] = [live, wanted].map((root) => root.querySelector(".prompt"));
  // What a player could have done is not offered again.
  if (!old || !fresh || old.matches(".mine")) return;
  fresh.className = old.className;
  fresh.parentElement.classList.toggle("telling", old.parentElement.matches(".telling"));
  for (const part of [".deed", ".value"]) keep(old, fresh, part);
}

// A click is a press and a release of the same button: what is pressed is not replaced meanwhile.
const LONGEST_PRESS = 700;
let pressed = false;
let goOn = null;
document.addEventListener("pointerdown", () => (pressed = true), true);
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(
    kind,
    () => {
      pressed = false;
      // The click comes after the release.
      setTimeout(() => goOn?.());
    },
    true,
  );
}

// However much comes of what somebody does, the press itself is painted first.
let painted = null;
for (const kind of ["pointerdown", "pointerup", "click", "keydown"])
  document.addEventListener(kind, () => (painted = nextPaint()), true);

function nextPaint() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    // A page that is hidden meanwhile is not painted.
    setTimeout(resolve, LONGEST_PRESS);
  });
}

async function released() {
  if (pressed)
    await new Promise((resolve) => {
      goOn = resolve;
      setTimeout(resolve, LONGEST_PRESS);
    });
  goOn = null;
  await painted;
}

// What somebody does ends what is being shown. Nobody decides about dice that still roll: that only lets them lie.
let blind = false;
for (const kind of ["pointerdown", "keydown"])
  document.addEventListener(
    kind,
    () => {
      blind = live.matches(".rolling") || live.querySelector(".rolling") !== null;
      if (showing) motion.skip();
    },
    true,
  );
document.addEventListener(
  "click",
  (event) => {
    if (!blind || !event.target.closest?.("button[name=move]")) return;
    blind = false;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// Boxes that are ticked make one move together: "throw +" becomes "throw blue green". The server knows "+" too.
function picked() {
  return [...live.querySelectorAll("[data-pick]:checked")].map((box) => box.value);
}

// Says on the button how many are ticked; with none it says why it does nothing.
function countPicks() {
  const count = picked().length;
  for (const button of live.querySelectorAll("button[data-picks]")) {
    const counter = button.querySelector("[data-count]");
    // A button may say it in words: one text for every number, from none on.
    if (counter) counter.textContent = counter.dataset.said?.split("|")[count] ?? (count || "");
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
    const fits =
      each.name === "move"
        ? each.value === best || (plus === "" && best.startsWith(first))
        : best.split(" ").includes(each.value);
    (each.closest("label") ?? each).classList.toggle("advised", fits);
  }
}

// A hint that was asked for may stand outside a small screen.
function showHint() {
  const hint = live.querySelector(".advice");
  if (!hintAwaited || !hint) return;
  hintAwaited = hint.querySelector("[data-thinking]") !== null;
  hint.scrollIntoView({ block: "nearest", behavior: reducedMotion.matches ? "instant" : "smooth" });
}

// What the tutor asks is looked at first, once; its buttons are not, so that a key held down answers nothing.
let questioned = null;
function showQuestion() {
  const question = live.querySelector("#doubt");
  const asked = question && question.querySelector("[data-certain]").value;
  if (asked && asked !== questioned) question.focus();
  questioned = asked;
}

// Why something cannot be done stands beside it while it has the focus; a pointer sees the title.
function explain(target) {
  const button = target?.matches("[aria-disabled=true][title]:focus-visible") ? target : null;
  putAway(why);
  if (button) note(why, button, button.title);
}

// Every piece explains itself: to a pointer, to the focus, and to a finger that taps it.
const tip = document.getElementById("tip");
function tell(target) {
  const piece = target?.closest?.("[data-tip]");
  putAway(tip);
  if (piece) note(tip, piece, piece.dataset.tip);
}

function note(sheet, thing, text) {
  sheet.textContent = text;
  sheet.hidden = false;
  thing.setAttribute("aria-describedby", sheet.id);
  place(sheet, thing);
}

// Most presses find no note to put away: they look for nothing, and change nothing.
function putAway(sheet) {
  if (sheet.hidden) return;
  sheet.hidden = true;
  if (sheet.beside.getAttribute("aria-describedby") === sheet.id)
    sheet.beside.removeAttribute("aria-describedby");
}

// Puts a note below a thing, or above it where there is no room.
function place(note, thing) {
  const seen = thing.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = note;
  const left = Math.min(
    seen.left + (seen.width - width) / 2,
    document.documentElement.clientWidth - width - 8,
  );
  const top = seen.bottom + height + 16 < innerHeight ? seen.bottom + 8 : seen.top - height - 8;
  note.style.left = `${Math.max(8, left)}px`;
  note.style.top = `${Math.max(8, top)}px`;
  note.beside = thing;
}

// A note stays with its thing when the page scrolls or the window changes.
function placeAgain() {
  for (const note of [why, tip]) if (!note.hidden && note.beside.isConnected) place(note, note.beside);
}
addEventListener("scroll", placeAgain, { capture: true, passive: true });
addEventListener("resize", placeAgain);

// Small things that only a browser knows.
function afterSwap() {
  tapped = null;
  markNews();
  markBest();
  countPicks();
  for (const input of live.querySelectorAll("[data-invite]")) {
    input.value = new URL(input.value, location).href;
  }
  afterTalk();
}

function afterTalk() {
  const lines = live.querySelector(".chat .lines");
  lines?.scrollTo(0, lines.scrollHeight);
  const said = lines?.querySelector(".mine:last-child p")?.lastChild.textContent.trim();
  if (doubtedChat !== null && said === doubtedChat.trim()) {
    unansweredChat = doubtedChat;
    clearChat();
  }
  doubtedChat = null;
}

// What came or moved since the viewer's last move carries a mark until the next one. A piece that may lie in several
// places says with `data-mark` where it lies now.
function markNews() {
  const table = live.querySelector(".table");
  if (!table) return;
  const key = `pieces ${live.dataset.table}`;
  const pieces = [...live.querySelectorAll("#stage :is([data-mark], [data-piece]:not([data-mark] *))")];
  const nameOf = (piece) => piece.dataset.mark ?? piece.dataset.piece;
  const { since, steps } = table.dataset;
  const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
  // The viewer has just moved, or looks for the first time: nothing is new.
  const names = !kept || since === steps ? pieces.map(nameOf) : kept.names;
  sessionStorage.setItem(key, JSON.stringify({ names }));
  for (const piece of pieces) piece.classList.toggle("fresh", !names.includes(nameOf(piece)));
}

// The field is emptied when the server has the line, unless somebody types the next one already.
function clearChat() {
  const field = document.getElementById("chat-text");
  if (field?.value === unansweredChat) field.value = "";
  unansweredChat = unstored = null;
}

function connect() {
  clearTimeout(again);
  clearTimeout(asked);
  moved = null;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(
    `${scheme}//${location.host}/tables/${live.dataset.table}/live?pieces&lang=${document.documentElement.lang}&pace=${motion.pace()}`,
  );
  held = [];
  // A line that does not open is as dead as one that says nothing: nothing is heard of it, not even an error.
  asked = setTimeout(giveUp, OPENS_WITHIN);
  socket.onopen = () => {
    clearTimeout(asked);
    asked = null;
    clearTimeout(missed);
    missed = null;
    if (gone) showNotice(words.back);
    gone = false;
    lostConnections = 0;
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    clearTimeout(asked);
    asked = null;
    if (message.kind === "page") {
      sendAgain(message.version);
      receive(whole(message));
    } else if (message.kind === "said") clearChat();
    else if (message.kind === "error") {
      unansweredChat = moved = unanswered = null;
      showNotice(message.text, 8000);
    }
  };
  socket.onclose = lost;
}

function lost() {
  clearTimeout(asked);
  asked = null;
  lostConnections += 1;
  doubtedChat = unansweredChat ?? doubtedChat;
  unansweredChat = null;
  missed ??= setTimeout(tellGone, BRIEFLY);
  // Another server may be there at once, one that is started anew is back soon, and one that is gone for longer is
  // not asked all the time.
  const wait = lostConnections === 1 ? 150 : 500 * 2 ** Math.min(4, Math.max(0, lostConnections - SOON));
  again = setTimeout(connect, wait * (0.7 + 0.6 * Math.random()));
}

// A line may die without a word. Whoever comes back to the page asks whether it lives, and everybody now and then.
const ASK_EVERY = 8000;
const ANSWERED_WITHIN = 4000;
const OPENS_WITHIN = 6000;
const BRIEFLY = 700; // a line that is back by then was not missed
const MOVED_WITHIN = 2000; // a move that is not answered by then asks too
const SOON = 10; // so many times it is tried without a long pause
let asked = null;
let again = null;
let missed = null;
let moved = null; // the version at which a move was sent that is not answered yet
let unanswered = null; // that move, for which version it is, and until when another line takes it along
const TAKEN_ALONG = 10000;
let doubtedChat = null; // a line of chat of which nobody knows whether it arrived

function ask() {
  if (asked !== null || !send({ kind: "ping", pace: motion.pace() })) return;
  asked = setTimeout(giveUp, ANSWERED_WITHIN);
}

// Nothing was heard for too long: another line is tried.
function giveUp() {
  socket.onopen = socket.onclose = socket.onmessage = null;
  socket.close();
  lost();
}

function lookAgain() {
  if (document.hidden) return;
  if (socket.readyState === WebSocket.CLOSED) connect();
  else ask();
}
setInterval(() => document.hidden || ask(), ASK_EVERY);
document.addEventListener("teerling:pace", ask); // bots keep the pace that somebody likes
for (const kind of ["offline", "online", "pageshow", "focus"]) addEventListener(kind, lookAgain);
document.addEventListener("visibilitychange", lookAgain);

function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify({ at: version, ...message }));
  return true;
}

// A move that went with its line is made when the next one shows the same position soon; if something has happened
// since, it is not. The server takes a move for a version only once.
function keepForNextLine(message) {
  unanswered = { message, at: version, until: performance.now() + TAKEN_ALONG };
}

function sendAgain(now) {
  if (unanswered === null || moved === now) return;
  const { message, at, until } = unanswered;
  unanswered = null;
  if (at === now && performance.now() < until && send({ ...message, at })) moved = at;
}

// A line keeps its mark until it is known to be stored: the server has it once, however often it is sent.
function lineOf(text) {
  if (unstored?.text !== text) {
    const mark = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    unstored = { kind: "chat", text, mark };
  }
  return unstored;
}

// What a form says, as a message; forms that lead to another page have none.
function messageOf(form, button) {
  if (form.id === "chat") return lineOf(form.elements.text.value);
  if (button && "says" in button.dataset) return lineOf(button.value);
  if (["back", "lift", "hint", "reconsider"].includes(button?.dataset.live))
    return { kind: button.dataset.live };
  if (form.dataset.live === "move" && button?.name === "move")
    return {
      kind: "move",
      move: button.value.replace("+", picked().join(" ")),
      sure: "certain" in button.dataset,
    };
  return null;
}

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  const stop = (text, lasts) => {
    event.preventDefault();
    if (text) showNotice(text, lasts);
  };
  if (button?.name === "move" && button.getAttribute("aria-disabled") === "true")
    return stop(button.title, 8000);
  // A form that nobody answers would lead to the browser's error page. Where no socket ever opened, forms still serve.
  const message = messageOf(event.target, button);
  if ("connected" in live.dataset && socket.readyState !== WebSocket.OPEN) {
    // Whoever had not been told that the line is gone has made their move.
    if (message?.kind === "move" && !gone) keepForNextLine(message);
    tellGone();
    return stop();
  }
  if (button?.dataset.sure && !confirm(button.dataset.sure)) return stop();
  if (message?.kind === "chat" && unansweredChat !== null) return stop();
  // On a slow line somebody presses twice.
  if (message?.kind === "move" && moved === version) return stop();
  if (!message || !send(message)) return;
  stop();
  hintAwaited ||= message.kind === "hint";
  if (message.kind === "move") {
    keepForNextLine(message);
    moved = version;
    setTimeout(() => moved === version && ask(), MOVED_WITHIN);
  }
  if (event.target.id === "chat") {
    unansweredChat = message.text;
    event.target.elements.text.focus();
  }
});

live.addEventListener("change", countPicks);

// A preview: the pieces that a move would move lift, and their ghosts stand where they would land.
const ghosts = [];
function preview(target) {
  const button = target?.closest?.("[data-shows]");
  if (button === preview.of || !(button || preview.of)) return;
  const aim = target ?? live;
  const top = aim.getBoundingClientRect().top;
  for (const ghost of ghosts.splice(0)) ghost.remove();
  for (const piece of live.querySelectorAll(".lifts")) piece.classList.remove("lifts");
  preview.of = button ?? null;
  for (const pair of button?.dataset.shows.trim().split(/\s+/) ?? []) {
    const [name, slot] = pair.split(">");
    const piece = live.querySelector(`[data-piece="${name}"]`);
    const place = live.querySelector(`[data-slot="${slot}"]`);
    if (!piece || !place) continue;
    const ghost = piece.cloneNode(true);
    ghost.style.viewTransitionName = "none";
    ghost.removeAttribute("data-piece");
    ghost.classList.add("ghost");
    place.append(ghost);
    ghosts.push(ghost);
    piece.classList.add("lifts");
  }
  // Ghosts make the board grow; what somebody aims at stays where it is.
  scrollBy({ top: aim.getBoundingClientRect().top - top, behavior: "instant" });
}
// A pointer crosses many pieces on its way: it is answered where it is then, and not while it presses.
let under = null; // what the pointer is over, until that is told
let rests = false; // whether the pointer has not moved since it pressed: what comes to lie under it says nothing
document.addEventListener(
  "pointerdown",
  () => {
    rests = true;
    tell(null);
  },
  true,
);
document.addEventListener("pointermove", () => (rests = false), { capture: true, passive: true });
function hover(target) {
  if (!under) nextPaint().then(tellHovered);
  under = { target };
}

function tellHovered() {
  const { target } = under;
  under = null;
  if (pressed || target?.isConnected === false) return;
  preview(target ?? document.activeElement);
  if (!rests) tell(target);
}
live.addEventListener("pointerover", (event) => event.pointerType === "mouse" && hover(event.target));
live.addEventListener("pointerleave", (event) => (event.pointerType === "mouse" ? hover(null) : tell(null)));
live.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && preview(event.target));
// A pressed button takes the focus from another; what it shows must not move away under the pointer.
live.addEventListener("focusout", () => preview(tapped ?? live.querySelector("[data-shows]:hover")));

// A finger cannot hover: its first tap on such a move shows what it would do, the second plays it.
document.addEventListener("pointerdown", (event) => (touching = event.pointerType === "touch"), true);
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-shows]:not([aria-disabled])");
  // A click by a key has no detail.
  if (!touching || !event.detail || (button && button === tapped)) return;
  if (button) event.preventDefault();
  tapped?.classList.remove("aimed");
  tapped = button;
  tapped?.classList.add("aimed");
  painted.then(() => {
    if (tapped !== button) return;
    preview(tapped);
    live
      .querySelector(".ghost")
      ?.scrollIntoView({ block: "nearest", behavior: reducedMotion.matches ? "instant" : "smooth" });
  });
});

// Whoever taps a player of the strip sees that player's display, where it lies further down.
live.addEventListener("click", (event) => {
  const seat = event.target.closest(".strip .chip")?.dataset.place.replace("seat", "display");
  const display = seat && live.querySelector(`[data-place="${seat}"]`);
  display?.scrollIntoView({ block: "nearest", behavior: reducedMotion.matches ? "instant" : "smooth" });
});

live.addEventListener("focusin", (event) => explain(event.target));
live.addEventListener("focusout", () => explain(null));
live.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && tell(event.target));
live.addEventListener("focusout", () => tell(null));
live.addEventListener(
  "click",
  (event) => touching && painted.then(() => event.target.isConnected && tell(event.target)),
);
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  explain(null);
  tell(null);
});

connect();
afterSwap();
showing = true;
intermission(live).then(showAll);
