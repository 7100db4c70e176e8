// What is shared of a table: its link, and a picture of the result. And the name by which somebody sat down last.
const NAME = "teerling-name";
const ONLY_HERE = ["localhost", "127.0.0.1", "[::1]"]; // to everybody these are their own computer
const live = document.getElementById("live");

function remembered() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

// What is open stays open when somebody comes or goes and the page is made anew; moves are another's next time.
let opened = null;
document.addEventListener(
  "toggle",
  ({ target, newState }) => {
    if (!target.popover || !target.isConnected || target.querySelector("[name=move]")) return;
    if (newState === "open") opened = target.id;
    else if (opened === target.id) opened = null;
  },
  true,
);

// A line that is said where it cannot be seen is shown for a moment; it leads to the chat.
const heard = document.getElementById("heard");
const lines = () => [...live.querySelectorAll(".chat .lines li")];
let known = lines().length && lines().at(-1).textContent;
function hear() {
  const last = lines().at(-1);
  if (!last || last.textContent === known) return;
  known = last.textContent;
  const { top, bottom } = last.getBoundingClientRect();
  if (last.matches(".mine") || (top >= 0 && bottom <= innerHeight)) return;
  heard.replaceChildren(...[...last.children].map((each) => each.cloneNode(true)));
  heard.hidden = false;
  clearTimeout(hear.timer);
  hear.timer = setTimeout(() => (heard.hidden = true), 6000);
}
heard.addEventListener("click", (event) => {
  event.preventDefault();
  heard.hidden = true;
  lines().at(-1)?.scrollIntoView({ block: "center" });
  document.getElementById("chat-text")?.focus({ preventScroll: true });
});

// What is being written outlives the page.
const DRAFT = `draft ${live.dataset.table}`;
live.addEventListener("input", ({ target }) => {
  if (target.id === "chat-text") sessionStorage.setItem(DRAFT, target.value);
});

function ready() {
  const chat = document.getElementById("chat-text");
  if (chat && !chat.value && document.activeElement !== chat)
    chat.value = sessionStorage.getItem(DRAFT) ?? "";
  const open = opened && document.getElementById(opened);
  if (open && !open.matches(":popover-open")) open.showPopover();
  hear();
  for (const button of live.querySelectorAll("[data-share]")) button.hidden = !navigator.share;
  for (const word of live.querySelectorAll("[data-only-here]"))
    word.hidden = !ONLY_HERE.includes(location.hostname);
  const field = live.querySelector("[data-own-name]");
  if (field && !field.value && document.activeElement !== field) field.value = remembered();
}

async function copy(button) {
  const field = button.parentElement.querySelector("[data-invite]");
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Only pages that came safely may write there; what is selected can be copied in the old way, or by hand.
    field.select();
    if (!document.execCommand("copy")) return;
  }
  const words = button.querySelector("span");
  const before = words.textContent;
  words.textContent = button.dataset.done;
  setTimeout(() => (words.textContent = before), 2000);
}

document.addEventListener("click", (event) => {
  const copying = event.target.closest?.("[data-copy]");
  if (copying) copy(copying);
  const sharing = event.target.closest?.("[data-share]");
  if (sharing) navigator.share({ title: sharing.dataset.share, url: location.href }).catch(() => {});
});
// A picture of the result is shared where that is possible, and downloaded elsewhere.
async function sharePicture(link) {
  link.ariaBusy = "true";
  try {
    const answer = await fetch(link.href);
    const picture = await answer.blob();
    const files = [new File([picture], link.download, { type: picture.type })];
    if (!answer.ok || !navigator.canShare({ files })) throw new Error("not shared");
    await navigator.share({ files, title: link.dataset.picture });
  } catch (error) {
    // Whoever thinks better of it wants no file either.
    if (error.name !== "AbortError") download(link);
  }
  link.ariaBusy = null;
}

function download(link) {
  const plain = link.cloneNode();
  delete plain.dataset.picture;
  plain.click();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-picture]");
  if (!link || !navigator.canShare) return;
  event.preventDefault();
  if (!link.ariaBusy) sharePicture(link);
});
document.addEventListener("submit", (event) => {
  if (event.target.id === "chat") sessionStorage.removeItem(DRAFT);
  if (event.target.id !== "join") return;
  const field = live.querySelector("[data-own-name]");
  if (!field?.value.trim()) return;
  try {
    localStorage.setItem(NAME, field.value.trim());
  } catch {}
});
document.addEventListener("teerling:page", ready);
document.addEventListener("teerling:talk", hear);
ready();
