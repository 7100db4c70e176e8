// A board with `data-aim` says which of its moves is pointed at or has the focus, for styles of what that move would
// change elsewhere on it. Said by `:has()`, every press would be a question about the whole board.
const hovers = matchMedia("(hover: hover)"); // a finger points at nothing before it plays

function aim({ type }) {
  if (type.startsWith("mouse") && !hovers.matches) return;
  const pointed = hovers.matches ? ":is(:hover, :focus-visible)" : ":focus-visible";
  for (const board of document.querySelectorAll("[data-aim]")) {
    const aimed = board.querySelector(`[name=move]${pointed}`)?.value ?? "";
    if (board.dataset.aim !== aimed) board.dataset.aim = aimed;
  }
}

for (const kind of ["mouseover", "mouseout", "focusin", "focusout", "teerling:page"])
  document.addEventListener(kind, aim);
