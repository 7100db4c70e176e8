// The first-time guide: a few steps, each beside the real thing on the board that it speaks of.
const guide = document.getElementById("guide");
const offer = document.getElementById("offer");
const live = document.getElementById("live");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const GAP = 14;

if (guide) {
  const spot = guide.querySelector(".spot");
  const box = guide.querySelector(".steps");
  const steps = [...guide.querySelectorAll("[data-target]")];
  const next = guide.querySelector("[data-next]");
  const back = guide.querySelector("[data-back]");
  const key = `teerling-guide-${guide.dataset.game}`;
  let current = 0;

  // The page is swapped while somebody reads, so the thing is looked up each time.
  const target = () => {
    const found = [...live.querySelectorAll(`[data-guide="${steps[current].dataset.target}"]`)];
    return found.find((each) => each.getClientRects().length);
  };

  // The card stands under the thing, above it or beside it; where it fits nowhere, at the lower edge.
  function place() {
    if (!guide.open) return;
    const thing = target();
    guide.classList.toggle("lost", !thing);
    const { offsetWidth: width, offsetHeight: height } = box;
    const [right, bottom] = [document.documentElement.clientWidth, innerHeight];
    let left = (right - width) / 2;
    let top = (bottom - height) / 2;
    if (thing) {
      const seen = thing.getBoundingClientRect();
      for (const [name, value] of [
        ["left", seen.left - 6],
        ["top", seen.top - 6],
        ["width", seen.width + 12],
        ["height", seen.height + 12],
      ]) {
        spot.style[name] = `${value}px`;
      }
      left = seen.left + (seen.width - width) / 2;
      if (bottom - seen.bottom > height + 2 * GAP) top = seen.bottom + GAP;
      else if (seen.top > height + 2 * GAP) top = seen.top - height - GAP;
      else {
        top = Math.min(Math.max(seen.top, GAP), bottom - height - GAP);
        if (right - seen.right > width + 2 * GAP) left = seen.right + GAP;
        else if (seen.left > width + 2 * GAP) left = seen.left - width - GAP;
        else top = bottom - height - GAP;
      }
    }
    box.style.left = `${Math.max(8, Math.min(left, right - width - 8))}px`;
    box.style.top = `${Math.max(8, top)}px`;
  }

  // Scrolls so that the thing and the card are seen together, if they fit.
  function reveal() {
    const thing = target();
    if (!thing) return;
    const seen = thing.getBoundingClientRect();
    const rest = innerHeight - seen.height - box.offsetHeight - 2 * GAP;
    scrollTo({
      top: scrollY + seen.top - Math.max(GAP, rest / 2),
      behavior: reducedMotion.matches ? "instant" : "smooth",
    });
  }

  function show(number) {
    current = Math.max(0, Math.min(number, steps.length - 1));
    steps.forEach((step, i) => (step.hidden = i !== current));
    back.disabled = current === 0;
    next.textContent = current === steps.length - 1 ? next.dataset.done : next.dataset.next;
    reveal();
    place();
  }

  // A table that waits for players or is over has no room for the offer.
  function look() {
    const offered = !offer.hidden && document.querySelector(".result, .room") === null;
    document.body.classList.toggle("offered", offered);
    // Whoever has played it to the end knows the game.
    if (!seenBefore() && document.querySelector("[data-played]")) remember();
  }

  function remember() {
    offer.hidden = true;
    try {
      localStorage.setItem(key, "seen");
    } catch {}
    look();
  }

  function seenBefore() {
    try {
      return localStorage.getItem(key) !== null;
    } catch {
      return true;
    }
  }

  function start() {
    remember();
    guide.showModal();
    show(0);
    next.focus();
  }

  const forward = () => (current === steps.length - 1 ? guide.close() : show(current + 1));
  next.addEventListener("click", forward);
  back.addEventListener("click", () => {
    show(current - 1);
    if (back.disabled) next.focus();
  });
  guide.querySelector("[data-close]").addEventListener("click", () => guide.close());
  guide.addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight") forward();
    else if (event.key === "ArrowLeft") show(current - 1);
    else return;
    event.preventDefault();
    next.focus();
  });
  for (const button of document.querySelectorAll("[data-guide-start]"))
    button.addEventListener("click", start);
  guide.addEventListener("close", () =>
    document.querySelector("nav [data-guide-start]").focus({ preventScroll: true }),
  );
  offer.querySelector("[data-close]").addEventListener("click", remember);
  addEventListener("scroll", place, { passive: true });
  addEventListener("resize", place);
  new MutationObserver(() => {
    place();
    look();
  }).observe(live, { childList: true, subtree: true });
  offer.hidden = seenBefore() || document.querySelector(".result") !== null;
  look();
  // Somebody asked to be shown around before there was a table.
  if (location.hash === "#guide") {
    history.replaceState(null, "", location.pathname);
    start();
  }
}
