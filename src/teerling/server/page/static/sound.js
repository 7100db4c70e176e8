// Quiet sounds, off until somebody switches them on. They sound when a thing lands or something is announced, and as
// loud as somebody likes.
import { instrument } from "./sounds.js";

const button = document.querySelector("[data-sound]");
const slider = document.querySelector("[data-volume]");
const KEY = "teerling-sound";
const VOLUME = "teerling-volume";
const TOGETHER = 0.045; // seconds between things that land at the same moment
let on = false;
let volume = 0.5;
let audio = null;
let out = null;
let sounds = null;
let busy = 0; // when the last thing that has landed is heard

try {
  on = localStorage.getItem(KEY) === "on";
  volume = Math.min(1, Math.max(0, Number(localStorage.getItem(VOLUME) ?? 0.5) || 0));
} catch {}

function play(name) {
  if (!on || !volume || audio?.state !== "running") return;
  busy = Math.max(audio.currentTime, Math.min(busy + TOGETHER, audio.currentTime + 0.4));
  (sounds[name] ?? sounds.tile)(busy);
}

// Browsers let a page sound only after somebody has touched it.
function wake() {
  if (!on) return;
  if (!audio) {
    audio = new AudioContext();
    out = new GainNode(audio, { gain: volume });
    out.connect(audio.destination);
    sounds = instrument(audio, out);
  }
  if (audio.state === "suspended") audio.resume().catch(() => {});
}

function show() {
  button.setAttribute("aria-pressed", String(on));
  button.title = on ? button.dataset.on : button.dataset.off;
  button.querySelector("use").setAttribute("href", on ? "#shell-sound" : "#shell-silence");
  if (slider) slider.value = String(Math.round(100 * volume));
}

function keep() {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
    localStorage.setItem(VOLUME, String(volume));
  } catch {}
}

button?.addEventListener("click", () => {
  on = !on;
  keep();
  show();
  wake();
  audio?.resume().then(
    () => play("bell"),
    () => {},
  );
});
slider?.addEventListener("input", () => {
  volume = Number(slider.value) / 100;
  if (out) out.gain.value = volume;
  keep();
});
slider?.addEventListener("change", () => play("tile"));
addEventListener("pointerdown", wake);
addEventListener("keydown", wake);
document.addEventListener("teerling:lands", ({ detail }) => play(detail));
document.addEventListener("teerling:page", ({ detail }) => {
  if (detail.turned) play("bell");
  else if (detail.moved && !detail.cue) play("tick");
});
if (button) {
  button.hidden = typeof AudioContext === "undefined";
  show();
}
