// The rules beside the board: a click on a rule's id opens them there. Without this the links lead to the page.
const panel = document.getElementById("rules");
const text = panel.querySelector(".text");
let opener = null; // what opened the panel, so that the focus can go back
let fetching = null;

// The text is fetched once, when it is first needed.
function load(address) {
  fetching ??= fetch(`${address}?fragment=1`).then((answer) => {
    if (!answer.ok) throw new Error(answer.status);
    return answer.text();
  });
  return fetching.then((html) => {
    if (!text.firstChild) text.innerHTML = html;
  });
}

function show(id) {
  for (const each of text.querySelectorAll(".here")) each.classList.remove("here");
  const rule = id && text.querySelector(`[id="${CSS.escape(id)}"]`);
  if (!rule) {
    panel.scrollTop = 0;
    panel.querySelector("[data-close]").focus();
    return;
  }
  rule.classList.add("here");
  rule.tabIndex = -1;
  rule.focus({ preventScroll: true });
  rule.scrollIntoView({ block: "start" });
}

async function open(link) {
  const address = new URL(link.href);
  try {
    await load(address.pathname);
  } catch {
    location.href = link.href;
    return;
  }
  opener = link;
  if (!panel.open) panel.show();
  show(decodeURIComponent(address.hash.slice(1)));
}

function close() {
  if (!panel.open) return;
  panel.close();
  // The page may have been swapped since: the same link is looked for again.
  const again = opener?.isConnected
    ? opener
    : document.querySelector(`a[href="${opener?.getAttribute("href")}"]`);
  (again || document.getElementById("main")).focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("a[data-rule], a[data-rules]");
  const inside = event.target.closest("#rules a[href^='#']");
  if (link) {
    event.preventDefault();
    open(link);
  } else if (inside) {
    event.preventDefault();
    show(inside.hash.slice(1));
  } else if (event.target.closest("#rules [data-close]")) close();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && panel.open) close();
});
