// What stands over the board: the scoring of an epoch or a round, revealed line by line, and the result of a match.
import * as motion from "./motion.js";

const NEXT_ROW = 250;
const NEXT_CELL = 220;
const LONGEST = 6000;
const GO_ON = 20000;
let token = 0;

function seen(call) {
  return sessionStorage.getItem(`seen ${location.pathname}`) === call.dataset.call;
}

function close(call) {
  sessionStorage.setItem(`seen ${location.pathname}`, call.dataset.call);
  call.hidden = true;
  clearTimeout(call.timer);
  document.querySelector("#prompt-h")?.focus({ preventScroll: true });
}

// Opens what has come, unless somebody has gone on already.
export function open(live) {
  const call = live.querySelector(".curtain-call");
  if (!call) return;
  if (seen(call)) return (call.hidden = true);
  if (!call.hidden && call.dataset.opened) return;
  call.hidden = false;
  call.dataset.opened = "";
  call.querySelector("[data-continue]")?.focus({ preventScroll: true });
  if ("goes" in call.dataset) call.timer = setTimeout(() => close(call), GO_ON);
  reveal(call);
}

function showAll(call) {
  for (const row of call.querySelectorAll(".counted tbody tr")) row.classList.remove("coming", "counting");
  for (const total of call.querySelectorAll("[data-total]")) total.textContent = total.dataset.total;
  call.querySelector("[data-all]")?.setAttribute("hidden", "");
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
  for (const total of totals) total.textContent = total.dataset.was;
  for (const row of rows) {
    row.classList.replace("coming", "counting");
    const values = [...row.querySelectorAll("td")];
    for (const cell of values) cell.classList.add("coming");
    for (const [index, cell] of values.entries()) {
      await sleep(NEXT_CELL * factor);
      if (mine !== token || call.hidden || !call.isConnected) return;
      if (call.querySelector("[data-all]")?.hidden) return;
      cell.classList.remove("coming");
      const total = totals[index];
      if (cell.dataset.points && total && total.dataset.was !== "?")
        total.textContent = String(Number(total.textContent) + Number(cell.dataset.points));
    }
    await sleep(NEXT_ROW * factor);
    row.classList.remove("counting");
  }
  showAll(call);
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

document.addEventListener("click", (event) => {
  const call = event.target.closest?.(".curtain-call");
  if (!call) return;
  if (event.target.closest("[data-all]")) showAll(call);
  if (event.target.closest("[data-continue]")) close(call);
});
document.addEventListener("keydown", (event) => {
  const call = document.querySelector(".curtain-call:not([hidden])");
  if (call && event.key === "Escape") close(call);
});
