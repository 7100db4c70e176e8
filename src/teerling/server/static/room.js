// What is shared of a table: its link, and a picture of the result. And the name by which somebody sat down last.
const NAME = "teerling-name";
const live = document.getElementById("live");

function remembered() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

function ready() {
  for (const button of live.querySelectorAll("[data-share]")) button.hidden = !navigator.share;
  const field = live.querySelector("[data-own-name]");
  if (field && !field.value && document.activeElement !== field) field.value = remembered();
}

async function copy(button) {
  const field = button.parentElement.querySelector("[data-invite]");
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Where pages may not write, what is selected can be copied by hand.
    field.select();
    return;
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
  const picture = await fetch(link.href).then((answer) => answer.blob());
  const files = [new File([picture], link.download, { type: picture.type })];
  if (navigator.canShare({ files })) await navigator.share({ files, title: link.dataset.picture });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-picture]");
  if (!link || !navigator.canShare) return;
  event.preventDefault();
  sharePicture(link).catch(() => {});
});
document.addEventListener("submit", (event) => {
  const field = live.querySelector("[data-own-name]");
  if (event.target.id !== "join" || !field?.value.trim()) return;
  try {
    localStorage.setItem(NAME, field.value.trim());
  } catch {}
});
document.addEventListener("teerling:page", ready);
ready();
