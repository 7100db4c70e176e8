// Quiet sounds, made on the spot and off until somebody switches them on: wood for a tile, a clack for a die, a
// ring for what shines, a bell for your turn. They sound when a thing lands, and as loud as somebody likes.
const button = document.querySelector("[data-sound]");
const slider = document.querySelector("[data-volume]");
const KEY = "teerling-sound";
const VOLUME = "teerling-volume";
const TOGETHER = 0.045; // seconds between things that land at the same moment
let on = false;
let volume = 0.5;
let audio = null;
let out = null;
let noise = null;
let busy = 0; // when the last thing that has landed is heard

try {
  on = localStorage.getItem(KEY) === "on";
  volume = Math.min(1, Math.max(0, Number(localStorage.getItem(VOLUME) ?? 0.5) || 0));
} catch {}

// A gain that begins at once and fades away.
function fading(loudness, seconds, begin) {
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(loudness, begin + 0.004);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
  gain.connect(out);
  return gain;
}

function tone(pitch, loudness, seconds, begin, shape = "sine", falls = 1) {
  const source = new OscillatorNode(audio, { type: shape, frequency: pitch });
  if (falls !== 1) source.frequency.exponentialRampToValueAtTime(pitch * falls, begin + seconds);
  source.connect(fading(loudness, seconds, begin));
  source.start(begin);
  source.stop(begin + seconds);
}

// A short breath of noise around a pitch.
function breath(pitch, width, loudness, seconds, begin) {
  noise ??= noises();
  const source = new AudioBufferSourceNode(audio, { buffer: noise, loop: true });
  const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: pitch, Q: width });
  source.connect(filter).connect(fading(loudness, seconds, begin));
  source.start(begin, Math.random() * 0.5);
  source.stop(begin + seconds);
}

function noises() {
  const buffer = new AudioBuffer({ length: audio.sampleRate, sampleRate: audio.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return buffer;
}

const SOUNDS = {
  tile(begin) {
    breath(900, 1.2, 0.22, 0.05, begin);
    tone(190, 0.16, 0.09, begin, "sine", 0.6);
  },
  die(begin) {
    breath(2600, 2.5, 0.3, 0.035, begin);
    breath(1500, 3, 0.2, 0.05, begin + 0.05);
    tone(420, 0.05, 0.05, begin, "triangle", 0.7);
  },
  ring(begin) {
    for (const [pitch, loudness, seconds] of [
      [1244, 0.05, 0.7],
      [2637, 0.03, 0.45],
      [3951, 0.012, 0.25],
    ])
      tone(pitch, loudness, seconds, begin);
  },
  card(begin) {
    breath(3800, 0.7, 0.14, 0.09, begin);
  },
  tick(begin) {
    tone(310, 0.07, 0.07, begin, "triangle");
  },
  bell(begin) {
    for (const [pitch, loudness, seconds] of [
      [659, 0.09, 1.1],
      [1318, 0.035, 0.7],
      [1975, 0.014, 0.4],
    ]) {
      tone(pitch, loudness, seconds, begin);
      tone(pitch * 1.335, loudness * 0.8, seconds, begin + 0.16);
    }
  },
};

function play(name) {
  if (!on || !volume || audio?.state !== "running") return;
  busy = Math.max(audio.currentTime, Math.min(busy + TOGETHER, audio.currentTime + 0.4));
  (SOUNDS[name] ?? SOUNDS.tile)(busy);
}

// Browsers let a page sound only after somebody has touched it.
function wake() {
  if (!on) return;
  if (!audio) {
    audio = new AudioContext();
    out = new GainNode(audio, { gain: volume });
    out.connect(audio.destination);
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
  else if (detail.moved) play("tick");
});
if (button) {
  button.hidden = typeof AudioContext === "undefined";
  show();
}
