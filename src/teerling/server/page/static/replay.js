// A replay in the browser: steps are fetched and swapped in, without loading the page anew.
import * as motion from "./motion.js";

const steps = document.getElementById("steps");
const moment = document.getElementById("moment");
const slider = document.getElementById("slider");
const place = document.getElementById("place");
const moves = document.getElementById("moves");
const announcer = document.getElementById("said");
const runButton = steps.querySelector("[data-step=run]");
const last = Number(steps.dataset.last);
const fragments = new Map();
let number = Number(steps.dataset.number);
let wanted = number;
let timer = null;

function address(n) {
  return `${location.pathname}?move=${n}&seat=${steps.dataset.seat}`;
}

function fragmentOf(n) {
  if (!fragments.has(n)) {
    const text = fetch(`${address(n)}&fragment=1`).then((answer) => {
      if (!answer.ok) throw new Error(answer.status);
      return answer.text();
    });
    text.catch(() => fragments.delete(n));
    fragments.set(n, text);
    if (fragments.size > 80) fragments.delete(fragments.keys().next().value);
  }
  return fragments.get(n);
}

// What shows where we are: slider, links and the line in the log.
function markPlace(n) {
  slider.value = n;
  place.textContent = `${n} / ${last}`;
  document.getElementById("views-move").value = n;
  // Where the match is over it cannot be played on.
  const playOn = document.getElementById("play-on");
  if (playOn) {
    document.getElementById("play-on-step").value = n;
    if ("ends" in playOn.dataset) document.getElementById("play-on-ends").hidden = n < last;
  }
  const targets = { first: 0, back: Math.max(0, n - 1), forward: Math.min(last, n + 1), last };
  for (const link of steps.querySelectorAll("a[data-step]")) link.href = address(targets[link.dataset.step]);
  moves.querySelector(".now")?.classList.remove("now");
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = moves.querySelector(`a[data-number="${n}"]`);
  if (!line) return;
  line.setAttribute("aria-current", "step");
  line.parentElement.classList.add("now");
  moves.scrollTop = line.parentElement.offsetTop - moves.clientHeight / 3;
}

async function go(n, smooth = true) {
  wanted = Math.max(0, Math.min(last, n));
  const target = wanted;
  markPlace(target);
  let html;
  try {
    html = await fragmentOf(target);
  } catch {
    stop();
    announcer.textContent = place.textContent = steps.dataset.failed;
    return;
  }
  // Somebody may have gone further meanwhile.
  if (target !== wanted || target === number) return;
  number = target;
  const change = () => {
    const made = document.createElement("template");
    made.innerHTML = html;
    for (const part of made.content.querySelectorAll("[data-part]")) {
      document.getElementById(part.dataset.part).replaceChildren(...part.childNodes);
    }
  };
  motion.skip();
  motion.ready();
  const before = motion.measure(moment);
  change();
  announce();
  if (smooth) motion.settle(moment, before);
  history.replaceState(null, "", address(number));
  if (number < last) fragmentOf(number + 1);
}

function announce() {
  const told = [...moment.querySelectorAll(".happened li")].map((line) => line.firstChild.textContent.trim());
  announcer.textContent = [moment.firstElementChild.dataset.title, ...told].join(". ");
}

function stop() {
  clearInterval(timer);
  timer = null;
  runButton.setAttribute("aria-pressed", "false");
}

function run() {
  if (timer) return stop();
  if (wanted === last) go(0);
  runButton.setAttribute("aria-pressed", "true");
  timer = setInterval(() => (wanted < last ? go(wanted + 1) : stop()), 1400);
}

function stepTo(name) {
  const targets = { first: 0, back: wanted - 1, forward: wanted + 1, last };
  stop();
  go(targets[name]);
}

document.addEventListener("click", (event) => {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const step = event.target.closest("a[data-step]");
  const line = event.target.closest("#moves li");
  if (step) {
    event.preventDefault();
    stepTo(step.dataset.step);
  } else if (line && !event.target.closest("a.rule")) {
    event.preventDefault();
    stop();
    go(Number(line.querySelector("a[data-number]").dataset.number));
  } else if (event.target.closest("[data-step=run]")) run();
});

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  const name = KEYS[event.key];
  if (!name || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, dialog")) return;
  event.preventDefault();
  stepTo(name);
});

slider.addEventListener("input", () => {
  stop();
  go(Number(slider.value), false);
});
document
  .getElementById("views-seat")
  .addEventListener("change", (event) => event.target.form.requestSubmit());

// A match that is still being played goes on meanwhile; the page says so.
const news = document.getElementById("news");
async function checkForNews() {
  if (document.hidden || !news.hidden) return;
  const answer = await fetch(news.dataset.last).catch(() => null);
  if (!answer?.ok) return;
  const now = await answer.json();
  if (now.last === last && !now.over) return;
  news.hidden = false;
  announcer.textContent = news.textContent;
}
if (news) setInterval(checkForNews, 4000);

for (const button of document.querySelectorAll("[data-noscript], .views button")) button.hidden = true;
runButton.hidden = false;
markPlace(number);
if (number < last) fragmentOf(number + 1);
