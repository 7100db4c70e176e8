// A replay in the browser: steps are fetched and swapped in, without loading the page anew.
const steps = document.getElementById("steps");
const moment = document.getElementById("moment");
const slider = document.getElementById("slider");
const place = document.getElementById("place");
const moves = document.getElementById("moves");
const said = document.getElementById("said");
const runs = steps.querySelector("[data-step=run]");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const last = Number(steps.dataset.last);
const kept = new Map();
let number = Number(steps.dataset.number);
let wanted = number;
let transition = null;
let timer = null;

function address(n) {
  return `${location.pathname}?move=${n}&seat=${steps.dataset.seat}`;
}

function fetched(n) {
  if (!kept.has(n)) {
    const text = fetch(`${address(n)}&fragment=1`).then((answer) => {
      if (!answer.ok) throw new Error(answer.status);
      return answer.text();
    });
    text.catch(() => kept.delete(n));
    kept.set(n, text);
    if (kept.size > 80) kept.delete(kept.keys().next().value);
  }
  return kept.get(n);
}

// What shows where we are: slider, links and the line in the log.
function point(n) {
  slider.value = n;
  place.textContent = `${n} / ${last}`;
  document.getElementById("views-move").value = n;
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
  point(target);
  let html;
  try {
    html = await fetched(target);
  } catch {
    stop();
    said.textContent = place.textContent = steps.dataset.failed;
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
  transition?.skipTransition();
  if (smooth && document.startViewTransition && !calm.matches && !document.hidden) {
    transition = document.startViewTransition(change);
    transition.ready.catch(() => {});
    transition.updateCallbackDone.then(announce);
    transition.finished.finally(() => (transition = null));
  } else {
    change();
    announce();
  }
  history.replaceState(null, "", address(number));
  if (number < last) fetched(number + 1);
}

function announce() {
  const told = [...moment.querySelectorAll(".happened li")].map((line) => line.firstChild.textContent.trim());
  said.textContent = [moment.firstElementChild.dataset.title, ...told].join(". ");
}

function stop() {
  clearInterval(timer);
  timer = null;
  runs.setAttribute("aria-pressed", "false");
}

function run() {
  if (timer) return stop();
  if (wanted === last) go(0);
  runs.setAttribute("aria-pressed", "true");
  timer = setInterval(() => (wanted < last ? go(wanted + 1) : stop()), 1400);
}

function by(name) {
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
    by(step.dataset.step);
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
  by(name);
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
async function look() {
  if (document.hidden || !news.hidden) return;
  const answer = await fetch(news.dataset.last).catch(() => null);
  if (!answer?.ok) return;
  const now = await answer.json();
  if (now.last === last && !now.over) return;
  news.hidden = false;
  said.textContent = news.textContent;
}
if (news) setInterval(look, 4000);

for (const button of document.querySelectorAll("[data-noscript], .views button")) button.hidden = true;
runs.hidden = false;
point(number);
if (number < last) fetched(number + 1);
