// What stands over the board: the scoring of an epoch or a round, revealed line by line, and the result of a match.
import * as motion from "./motion.js";

const NEXT_ROW = 250;
const NEXT_CELL = 220;
const LONGEST = 6000;
const GO_ON = 20000;
let token = 0;
let closed = null; // goes on with what waits for a scoring

function seen(call) {
  return sessionStorage.getItem(`seen ${location.pathname}`) === call.dataset.call;
}

function close(call) {
  sessionStorage.setItem(`seen ${location.pathname}`, call.dataset.call);
  if (call.isConnected) showAll(call);
  // What ended is known: it is not announced once more for the moment before it goes on.
  if (!call.matches(".result")) document.querySelector(".board .banner")?.remove();
  call.hidden = true;
  clearTimeout(call.timer);
  if (!call.isConnected) return;
  if (!isTyping()) document.querySelector("#prompt-h")?.focus({ preventScroll: true });
  closed?.();
}

// Whoever is in the middle of a line of chat ends it first: what they type answers nothing else.
function isTyping() {
  return document.activeElement?.matches("[data-keep]");
}

// Opens what has come, unless somebody has gone on already, and says whether somebody had to read it. What happened
// after a scoring waits for it.
export async function open(root) {
  const call = root.querySelector(".curtain-call");
  if (!call) return false;
  if (seen(call)) {
    call.hidden = true;
    return false;
  }
  call.hidden = false;
  if (!isTyping()) call.querySelector("[data-continue]")?.focus({ preventScroll: true });
  if ("goes" in call.dataset) goOn(call);
  reveal(call);
  if (call.matches(".result")) return false;
  await new Promise((resolve) => (closed = resolve));
  closed = null;
  return true;
}

// Others wait: it closes by itself, and a bar shows when.
function goOn(call) {
  const duration = Number(call.dataset.goes) || GO_ON;
  clearTimeout(call.timer);
  call.timer = setTimeout(() => close(call), duration);
  call
    .querySelector(".goes i")
    ?.animate([{ transform: "none" }, { transform: "scaleX(0)" }], { duration, fill: "forwards" });
}

// Somebody asks the others for a moment: their own page waits until they go on.
function holdOn(call, button) {
  clearTimeout(call.timer);
  call.querySelector(".goes").hidden = button.hidden = true;
  call.querySelector("[data-continue]").focus({ preventScroll: true });
}

function showAll(call) {
  for (const each of call.querySelectorAll(".counted :is(tr, td)"))
    each.classList.remove("coming", "counting");
  for (const total of call.querySelectorAll("[data-total]")) count(total, total.dataset.total);
  const all = call.querySelector("[data-all]");
  if (all && all === document.activeElement) call.querySelector("[data-continue]").focus();
  all?.setAttribute("hidden", "");
}

// A total stands in the score strip too, with what was won after the scoring; both count together.
function count(total, points) {
  total.textContent = written(points);
  const chip = document.querySelector(`.strip .p${total.dataset.seat} .points`);
  if (!chip || points === "?") return;
  // While the scoring is still to come, the strip knows nothing of it.
  total.dataset.later ??= total.closest("#stage") ? 0 : read(chip) - Number(total.dataset.total);
  chip.textContent = written(Number(points) + Number(total.dataset.later));
}

// Points below zero are written with a minus, not with a hyphen.
function written(points) {
  return String(points).replace("-", "−");
}

function read(points) {
  return Number(points.textContent.replace("−", "-"));
}

// Category by category, player by player; the totals above follow.
async function reveal(call) {
  const mine = ++token;
  const rows = [...call.querySelectorAll(".counted tbody tr")];
  const totals = [...call.querySelectorAll("[data-total]")];
  if (!rows.length || motion.still()) return showAll(call);
  const cells = rows.length * totals.length;
  const factor = Math.min(1, LONGEST / (cells * NEXT_CELL + rows.length * NEXT_ROW));
  for (const row of rows) row.classList.add("coming");
  for (const total of totals) count(total, total.dataset.was);
  const isOver = () =>
    mine !== token || call.hidden || !call.isConnected || call.querySelector("[data-all]")?.hidden;
  for (const row of rows) {
    row.classList.replace("coming", "counting");
    row.scrollIntoView({ block: "nearest" });
    const values = [...row.querySelectorAll("td")];
    for (const cell of values) cell.classList.add("coming");
    for (const [index, cell] of values.entries()) {
      await sleep(NEXT_CELL * factor);
      if (isOver()) return;
      cell.classList.remove("coming");
      if (cell.dataset.points) motion.sound("count");
      const total = totals[index];
      if (cell.dataset.points && total && total.dataset.was !== "?")
        count(total, read(total) + Number(cell.dataset.points));
    }
    await sleep(NEXT_ROW * factor);
    if (isOver()) return;
    row.classList.remove("counting");
  }
  showAll(call);
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// The result can be read again as often as somebody likes.
function openAgain(call) {
  sessionStorage.removeItem(`seen ${location.pathname}`);
  call.hidden = false;
  call.querySelector("[data-continue]")?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-result]")) {
    event.preventDefault();
    return openAgain(document.querySelector(".curtain-call.result"));
  }
  const call = event.target.closest?.(".curtain-call");
  if (!call) return;
  if (event.target.closest("[data-all]")) showAll(call);
  const hold = event.target.closest("[data-hold]");
  if (hold) holdOn(call, hold);
  if (event.target.closest("[data-continue]")) close(call);
});
document.addEventListener("keydown", (event) => {
  const call = document.querySelector(".curtain-call:not([hidden])");
  if (call && event.key === "Escape") close(call);
});
// A page that comes from the server knows nothing of what was closed here: it stays closed. Styles ask the page whether
// a scoring is open: with `:has()` every change in it would be a question about all of it.
function look() {
  for (const call of document.querySelectorAll(".curtain-call:not([hidden])"))
    if (seen(call)) call.hidden = true;
  const open = document.querySelector(".curtain-call:not([hidden], .result)") !== null;
  document.body.classList.toggle("called", open);
}
new MutationObserver(look).observe(document.body, {
  subtree: true,
  childList: true,
  attributeFilter: ["hidden"],
});
look();
// A page that is hidden meanwhile waits for nobody.
document.addEventListener("visibilitychange", () => document.hidden && closed?.());
