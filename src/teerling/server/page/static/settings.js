// A small menu at the table: how fast things are shown. How loud they are is the sounds' own business.
import { pace, setPace } from "./motion.js";

const menu = document.querySelector(".settings");
for (const choice of menu.querySelectorAll("[name=pace]")) {
  choice.checked = choice.value === pace();
  choice.addEventListener("change", () => setPace(choice.value));
}
document.addEventListener("pointerdown", (event) => menu.contains(event.target) || (menu.open = false));
menu.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
menu.hidden = false;
