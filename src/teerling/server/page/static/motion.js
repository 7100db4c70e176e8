// Motion tells what happened, in the order in which it happened, and then stops. Only pieces move: a piece with a
// `data-piece` that is in both pictures travels, a new one comes from the place that its `data-from` names, dice
// with a new `data-rolls` roll. Text changes at once. Any input ends what moves.
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const PACES = { calm: 1.4, normal: 1, fast: 0.5, instant: 0 };
const EASES = {
  leave: "cubic-bezier(.5,0,.9,.6)",
  out: "cubic-bezier(.2,.8,.2,1)",
  inout: "cubic-bezier(.5,0,.2,1)",
  land: "cubic-bezier(.3,1.4,.5,1)",
};
const FLIGHT = 420;
const LIFT = 160; // what runs lifts first,
const CLOSE = 240; // and when it has come down what is behind closes up; or others give way first
const ROLL = 1050;
const LEAST_HOLD = 600;
const STILL_DICE = 300;
const CHAIN = 4000; // moves of others take no longer than this before somebody may move
const WATCHED = 0.35; // how much shorter everything is where those who play only look on
export const MOST_FRAMES = 33; // so many fit into it, for a look at each

let running = new Set();
let waiting = null; // ends the pause that is going on
let skipping = false; // whether somebody wants to see how it stands now

export function pace() {
  return localStorage.getItem("pace") ?? "normal";
}

export function setPace(name) {
  localStorage.setItem("pace", name);
  document.dispatchEvent(new CustomEvent("teerling:pace"));
}

export function still() {
  return reduced.matches || pace() === "instant" || document.hidden;
}

// Whether one picture follows the other at once, so that only the last is seen.
export function hasty() {
  return skipping || document.hidden;
}

// Ends everything that moves; what is still to be shown is shown at once, until `ready` is called.
export function skip() {
  skipping = true;
  for (const animation of running) animation.finish();
  waiting?.();
}

// What moves on a page that is hidden meanwhile would never arrive.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return;
  for (const animation of running) animation.finish();
  waiting?.();
});

export function ready() {
  skipping = false;
}

export function pause(milliseconds) {
  // Nobody sees a hidden page, and its clocks are slow: it is to be up to date at once.
  if (skipping || !milliseconds || document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      waiting = null;
      resolve();
    }
    waiting = done;
  });
}

function animate(element, frames, options) {
  const animation = element.animate(frames, { fill: "backwards", ...options });
  running.add(animation);
  if (skipping) animation.finish();
  return animation.finished.catch(() => {}).finally(() => running.delete(animation));
}

// Where everything lies before a picture changes.
export function measure(root) {
  const places = new Map();
  const homes = new Map();
  const rolled = new Set();
  for (const piece of root.querySelectorAll("[data-piece]")) {
    if (piece.closest(".ghost")) continue;
    places.set(piece.dataset.piece, piece.getBoundingClientRect());
    homes.set(piece.dataset.piece, homeOf(piece));
  }
  for (const die of root.querySelectorAll("[data-rolls]")) rolled.add(die.dataset.rolls);
  return { places, homes, rolled };
}

function homeOf(piece) {
  return piece.closest("[data-place]")?.dataset.place;
}

function from(rect, to) {
  const dx = rect.left + rect.width / 2 - (to.left + to.width / 2);
  const dy = rect.top + rect.height / 2 - (to.top + to.height / 2);
  return `translate(${dx}px, ${dy}px) scale(${to.width ? rect.width / to.width : 1})`;
}

// Moves what lies elsewhere than before. `speed` scales every duration. Everything is measured before anything is set
// in motion: to measure after a change is to lay out the page once more.
export async function settle(root, before, speed = 1) {
  const factor = speed * (PACES[pace()] ?? 1);
  root.style.setProperty("--tempo", factor);
  hurry = speed;
  if (still() || skipping) return rollStill(root, before);
  const travels = travelsOf(root, before, factor);
  root.classList.toggle("settling", travels.length > 0);
  await Promise.all([...travels.map((start) => start()), roll(root, before, factor)]);
  root.classList.remove("settling");
}

// What is to be set in motion, and how.
function travelsOf(root, before, factor) {
  const pieces = [...root.querySelectorAll("[data-piece]")];
  const places = new Map(pieces.map((piece) => [piece, piece.getBoundingClientRect()]));
  const travelled = (piece) => {
    const [was, place] = [before.places.get(piece.dataset.piece), places.get(piece)];
    return was && (Math.abs(was.left - place.left) >= 2 || Math.abs(was.top - place.top) >= 2);
  };
  const givesWay = (piece) => {
    const home = homeOf(piece);
    return home && home === before.homes.get(piece.dataset.piece) && !piece.dataset.beat;
  };
  const travels = [];
  const running = pieces.some((piece) => piece.dataset.beat === "run" && travelled(piece));
  const way = pieces.some((piece) => givesWay(piece) && travelled(piece));
  let delay = (running ? LIFT + FLIGHT + CLOSE : way ? CLOSE : 0) * factor;
  for (const [piece, place] of places) {
    const was = before.places.get(piece.dataset.piece);
    if (!place.width) continue;
    if (was) {
      if (!travelled(piece)) continue;
      const start = from(was, place);
      if (givesWay(piece)) {
        travels.push(() => slide(piece, start, CLOSE * factor));
        continue;
      }
      if (piece.dataset.beat) {
        travels.push(() => run(piece, start, running, factor));
        continue;
      }
      const after = delay;
      travels.push(() => fly(piece, [start, "none"], FLIGHT * factor, after, "inout"));
    } else if (piece.dataset.from) {
      const source =
        before.places.get(piece.dataset.from) ??
        middleOf(document.querySelector(`[data-place="${piece.dataset.from}"]`));
      if (!source) continue;
      const after = delay;
      travels.push(() => arrive(piece, source, place, factor, after));
    } else continue;
    delay += 70 * factor;
  }
  return travels;
}

// A race in three beats: those that run lift together, run together, and then the others close up.
function run(piece, start, running, factor) {
  const total = running ? LIFT + FLIGHT + CLOSE : CLOSE;
  const landed = running ? (LIFT + FLIGHT) / total : 0;
  const runs = piece.dataset.beat === "run";
  const frames = runs
    ? [
        { transform: start },
        { transform: `translateY(-6px) ${start}`, offset: LIFT / total },
        { transform: "translateY(-6px)", offset: landed },
        { transform: "none" },
      ]
    : [{ transform: start }, { transform: start, offset: landed }, { transform: "none" }];
  if (runs) piece.classList.add("flying");
  for (const frame of frames) frame.easing = EASES.inout;
  return animate(piece, frames, { duration: total * factor }).then(() => piece.classList.remove("flying"));
}

// Sounds listen to this. What flies past is not heard.
const HEARD = 0.4;
let hurry = 1;
function lands(what) {
  if (!skipping && hurry >= HEARD) sound(what);
}

export function sound(what) {
  if (!document.hidden) document.dispatchEvent(new CustomEvent("teerling:lands", { detail: what }));
}

// What is announced has a sound of its own.
export function cue(root) {
  const announced = root.querySelector("[data-cue]");
  if (announced) sound(announced.dataset.cue);
  return announced !== null;
}

function slide(piece, start, duration) {
  return animate(piece, [{ transform: start }, { transform: "none" }], { duration, easing: EASES.inout });
}

function fly(piece, transforms, duration, delay, ease) {
  piece.classList.add("flying");
  return animate(
    piece,
    transforms.map((transform) => ({ transform })),
    { duration, delay, easing: EASES[ease] },
  ).then(() => landed(piece));
}

function landed(piece) {
  piece.classList.remove("flying");
  lands(piece.dataset.sound ?? "tile");
}

// A place may be large or out of sight: what comes from there is small, and comes from the edge at least.
function middleOf(place) {
  const rect = place?.getBoundingClientRect();
  if (!rect?.width) return null;
  const y = Math.min(Math.max(rect.top + rect.height / 2, -60), innerHeight + 60);
  return new DOMRect(rect.left + rect.width / 2 - 18, y - 18, 36, 36);
}

// A piece comes from a place; one that was hidden turns on its way, and lands softly.
function arrive(piece, source, place, factor, delay) {
  const start = from(source, place);
  if (!("turns" in piece.dataset)) return fly(piece, [start, "none"], FLIGHT * factor, delay, "land");
  const middle = start.replace(
    /translate\((.*?)px, (.*?)px\)/,
    (_, x, y) => `translate(${x / 2}px, ${y / 2}px)`,
  );
  const duration = (FLIGHT + 120) * factor;
  // Its back is seen until it has turned half-way.
  piece.classList.add("backed", "flying");
  animate(piece, [], { duration: duration / 2, delay }).then(() => piece.classList.remove("backed"));
  return animate(
    piece,
    [
      { transform: `${start} rotateY(180deg)`, easing: EASES.leave },
      { transform: `${middle} rotateY(90deg)`, easing: EASES.out },
      { transform: "none" },
    ],
    { duration, delay },
  ).then(() => landed(piece));
}

// Dice tumble with changing faces; what depends on them is hidden until the last one lies still.
async function roll(root, before, factor) {
  const dice = [...root.querySelectorAll("[data-rolls]")].filter(
    (die) => !before.rolled.has(die.dataset.rolls),
  );
  if (!dice.length) return;
  const apart = Math.min(120, 300 / dice.length);
  root.classList.add("rolling");
  await Promise.all(
    dice.map((die, index) =>
      tumble(die, (ROLL - 150 + index * apart + ("last" in die.dataset ? 150 : 0)) * factor),
    ),
  );
  root.classList.remove("rolling");
}

async function tumble(die, duration) {
  const face = die.querySelector("[data-face]") ?? die;
  const use = face.tagName.toLowerCase() === "use";
  const shown = use ? face.getAttribute("href") : face.textContent;
  const faces = die.dataset.faces?.split(" ") ?? [];
  const cross = die.classList.contains("cross");
  let turn = Math.floor(Math.random() * faces.length);
  const show = (what) => (use ? face.setAttribute("href", what) : (face.textContent = what));
  const ticking = faces.length && setInterval(() => show(faces[turn++ % faces.length]), 90);
  die.classList.remove("cross");
  await animate(
    die,
    [
      { transform: "translate(-30px, 46px) rotate(-200deg) scale(.8)" },
      { transform: "translate(8px, -22px) rotate(60deg) scale(1.06)", offset: 0.45 },
      { transform: "translate(-3px, 4px) rotate(-14deg)", offset: 0.78 },
      { transform: "none" },
    ],
    { duration, easing: EASES.out },
  );
  clearInterval(ticking);
  lands("die");
  show(shown);
  if (cross) die.classList.add("cross");
}

// Without motion, dice show their result after a still moment.
async function rollStill(root, before) {
  const thrown = [...root.querySelectorAll("[data-rolls]")].some(
    (die) => !before.rolled.has(die.dataset.rolls),
  );
  if (!thrown || skipping || document.hidden || pace() === "instant") return;
  await pause(STILL_DICE);
}

// A frame stands for as long as its game says, with a bar that shows it.
export function hold(root, milliseconds, speed, watched) {
  const factor = PACES[pace()] ?? 1;
  const least = milliseconds >= LEAST_HOLD ? LEAST_HOLD * (watched ? WATCHED : 1) : 0;
  const time = factor && Math.max(least, milliseconds * factor * speed);
  const bar = root.querySelector(".hold i");
  if (bar && time)
    animate(bar, [{ transform: "scaleX(0)" }, { transform: "none" }], { duration: time, easing: "linear" });
  return pause(time);
}

// What is shown without a rest: up to the next scoring, which somebody reads.
export function chainOf(frames) {
  const end = frames.findIndex((frame) => frame.scored);
  return end < 0 ? frames : frames.slice(0, end + 1);
}

// For how long others' moves may be shown one by one.
export function longest() {
  return CHAIN * (PACES[pace()] ?? 1);
}

// How quickly a chain of moves is shown, so that it fits; a page that waits has no hold.
export function speedOf(chain, watched) {
  const wanted = chain.reduce(
    (sum, { hold }) => sum + (hold === undefined ? 0 : Math.max(hold, 450)) + FLIGHT,
    0,
  );
  return Math.min(watched ? WATCHED : 1, CHAIN / Math.max(wanted, 1));
}
