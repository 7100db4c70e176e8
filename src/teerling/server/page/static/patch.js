// Turns a part of the page into what the server says it is. What is the same stays where it is, with its styles, its
// layout, its focus and where it was scrolled to: a move changes little of a table.
// What has so few parts is made anew if anything in it differs, so that what it shows begins anew; but not what somebody
// may be typing in.
const SMALL = 24;

// `adapt` may change what is wanted before anything is touched.
export function patch(root, html, adapt = () => {}) {
  const wanted = document.createElement("template");
  wanted.innerHTML = html;
  adapt(wanted.content);
  keepPlaces(root, wanted.content);
  patchChildren(root, wanted.content);
  for (const input of root.querySelectorAll("input:not([data-keep])")) resetInput(input);
}

// In a hand (`data-keeps`) a card (`data-kept`) that is still there stays in its place, and a new one takes the first
// that is free.
function keepPlaces(root, wanted) {
  const [old, fresh] = [root, wanted].map((each) => each.querySelector("[data-keeps]"));
  if (!old || !fresh) return;
  const placeOf = (card) =>
    Number(card.style.gridColumn) || [...card.parentElement.children].indexOf(card) + 1;
  const places = new Map(
    [...old.querySelectorAll("[data-kept]")].map((card) => [card.dataset.kept, placeOf(card)]),
  );
  const cards = [...fresh.querySelectorAll("[data-kept]")];
  const taken = new Set(cards.map((card) => places.get(card.dataset.kept)));
  let free = 1;
  for (const card of cards) {
    let place = places.get(card.dataset.kept);
    while (!place && taken.has(free)) free += 1;
    card.style.gridColumn = place ?? free++;
  }
  fresh.prepend(...cards.sort((one, other) => placeOf(one) - placeOf(other)));
}

function patchChildren(root, wanted) {
  const olds = [...root.childNodes];
  const news = [...wanted.childNodes];
  while (olds.length && news.length && olds[0].isEqualNode(news[0])) {
    olds.shift();
    news.shift();
  }
  let after = null;
  while (olds.length && news.length && olds.at(-1).isEqualNode(news.at(-1))) {
    after = olds.pop();
    news.pop();
  }
  for (const fresh of news) {
    const old = olds[0];
    if (old && isAlike(old, fresh)) {
      olds.shift();
      patchNode(old, fresh);
    } else root.insertBefore(fresh, old ?? after);
  }
  for (const old of olds) old.remove();
}

// Whether one thing became the other, so that only what differs in it is touched.
function isAlike(old, fresh) {
  return old.nodeName === fresh.nodeName && old.id === fresh.id;
}

function patchNode(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE || isSmall(old) || isSmall(fresh)) return old.replaceWith(fresh);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  patchChildren(old, fresh);
}

function isSmall(element) {
  return !element.getElementsByTagName("*")[SMALL] && !element.querySelector("[data-keep]");
}

// What somebody typed or ticked belongs to the page that is gone; whoever keeps it puts it back.
function resetInput(input) {
  if (input.checked !== input.defaultChecked) input.checked = input.defaultChecked;
  if (input.value !== input.defaultValue) input.value = input.defaultValue;
}
