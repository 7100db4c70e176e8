// A review in the browser: as long as it is worked out, what is new is fetched and put in place.
const review = document.getElementById("review");
const announcer = document.getElementById("said");
const SOON = 1000;
const LATER = 3000;
const LATEST = 10000;
const LONGER = 100;

// What somebody has opened, and where the keyboard is, stays.
function swap(html) {
  const opened = [...review.querySelectorAll("details[open]")].map((each) => each.id);
  const focused = review.contains(document.activeElement) ? document.activeElement : null;
  const link = focused?.getAttribute("href");
  const scrolled = [...review.querySelectorAll(".scroll")].map((each) => each.scrollTop);
  review.innerHTML = html;
  for (const id of opened) review.querySelector(`#${id}`)?.setAttribute("open", "");
  review.querySelectorAll(".scroll").forEach((each, i) => (each.scrollTop = scrolled[i] ?? 0));
  if (link) {
    const same = [...review.querySelectorAll("a")].filter((each) => each.getAttribute("href") === link);
    same.find((each) => each.checkVisibility())?.focus({ preventScroll: true });
  } else if (focused?.matches("summary")) {
    review.querySelector(`#${focused.parentElement.id} > summary`)?.focus({ preventScroll: true });
  }
  hideForScripts();
}

function hideForScripts() {
  for (const each of review.querySelectorAll("[data-noscript]")) each.hidden = true;
}

function say(text) {
  const line = document.getElementById("working-text");
  if (line) line.textContent = text;
}

async function look() {
  if (document.hidden) return setTimeout(look, LATER);
  const answer = await fetch(`${location.pathname}/progress`).catch(() => null);
  if (!answer?.ok) {
    say(review.dataset.lost);
    return setTimeout(look, LATER);
  }
  const now = await answer.json();
  if (now.complete || now.failed || String(now.number) !== review.dataset.number) {
    const parts = await fetch(`${location.pathname}?fragment=1`).catch(() => null);
    if (!parts?.ok) return setTimeout(look, LATER);
    review.dataset.number = now.number;
    swap(await parts.text());
  }
  if (now.complete || now.failed) {
    announcer.textContent = now.complete ? review.dataset.done : now.text;
    return;
  }
  const bar = review.querySelector("progress");
  if (bar) bar.value = now.percent;
  say(now.text);
  // Whoever has many before them need not ask often.
  setTimeout(look, now.before ? Math.min(LATEST, LATER + LONGER * now.before) : SOON);
}

hideForScripts();
if (!review.dataset.complete) setTimeout(look, SOON / 2);
