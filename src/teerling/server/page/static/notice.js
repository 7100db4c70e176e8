// "It is your turn", as a notice of the system while the page is out of sight; only for those who ask for it.
const button = document.querySelector("[data-notice]");
const state = document.getElementById("state");
const KEY = "teerling-notice";
const possible = "Notification" in window && "serviceWorker" in navigator;
let wanted = false;

try {
  wanted = localStorage.getItem(KEY) === "on";
} catch {}

const on = () => possible && wanted && Notification.permission === "granted";

function show() {
  button.hidden = !possible;
  button.setAttribute("aria-pressed", String(on()));
  button.title = on() ? button.dataset.on : button.dataset.off;
  button.querySelector("use").setAttribute("href", on() ? "#shell-bell" : "#shell-no-bell");
}

function showState(text) {
  state.textContent = text;
  state.hidden = false;
  setTimeout(() => (state.hidden = true), 6000);
}

// Phones show notices only through a worker, so everybody uses one.
async function readyWorker() {
  const registration = await navigator.serviceWorker.register("/worker.js");
  const coming = registration.installing ?? registration.waiting;
  while (!registration.active && coming)
    await new Promise((done) => coming.addEventListener("statechange", done, { once: true }));
  return registration;
}

async function toggle() {
  wanted = !on();
  if (wanted && Notification.permission === "default") await Notification.requestPermission();
  if (wanted && Notification.permission !== "granted") {
    wanted = false;
    showState(button.dataset.refused);
  }
  try {
    localStorage.setItem(KEY, wanted ? "on" : "off");
  } catch {}
  show();
  if (wanted) {
    showState(button.dataset.on);
    await readyWorker().catch(() => {});
  }
}

button?.addEventListener("click", toggle);
document.addEventListener("teerling:page", async ({ detail }) => {
  if (!detail.turned || !document.hidden || !on()) return;
  try {
    const registration = await readyWorker();
    await registration.showNotification(detail.title, {
      tag: location.pathname,
      icon: "/static/icon.svg",
      data: location.href,
    });
  } catch {
    // The title of the tab says it too.
  }
});
if (button) show();
