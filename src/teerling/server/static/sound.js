// Quiet sounds, made on the spot and off until somebody switches them on: a tick for a move, a bell for your turn.
const button = document.querySelector("[data-sound]");
const KEY = "teerling-sound";
let on = false;
let audio = null;

try {
  on = localStorage.getItem(KEY) === "on";
} catch {}

// A tone that starts at once and fades away.
function tone(pitch, loudness, seconds, delay = 0, shape = "sine") {
  const begin = audio.currentTime + delay;
  const source = new OscillatorNode(audio, { type: shape, frequency: pitch });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, begin);
  volume.gain.linearRampToValueAtTime(loudness, begin + 0.006);
  volume.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
  source.connect(volume).connect(audio.destination);
  source.start(begin);
  source.stop(begin + seconds);
}

function tick() {
  tone(310, 0.05, 0.07, 0, "triangle");
}

function bell() {
  for (const [pitch, loudness, seconds] of [
    [659, 0.06, 1.1],
    [1318, 0.025, 0.7],
    [1975, 0.01, 0.4],
  ]) {
    tone(pitch, loudness, seconds);
    tone(pitch * 1.335, loudness * 0.8, seconds, 0.16);
  }
}

// Browsers let a page sound only after somebody has touched it.
function wake() {
  if (!on) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume().catch(() => {});
}

function show() {
  button.setAttribute("aria-pressed", String(on));
  button.title = on ? button.dataset.on : button.dataset.off;
  button.querySelector("use").setAttribute("href", on ? "#shell-sound" : "#shell-silence");
}

button?.addEventListener("click", () => {
  on = !on;
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {}
  show();
  wake();
  if (on) bell();
});
addEventListener("pointerdown", wake);
addEventListener("keydown", wake);
document.addEventListener("teerling:page", ({ detail }) => {
  if (!on || audio?.state !== "running") return;
  if (detail.turned) bell();
  else if (detail.moved) tick();
});
if (button) {
  button.hidden = typeof AudioContext === "undefined";
  show();
}
