// The form of a new table works without this: here a finger or mouse may drag along the levels.
for (const slider of document.querySelectorAll("[data-slider]")) {
  const stops = [...slider.querySelectorAll(".stop")];
  const aim = ({ clientX, buttons }) => {
    if (!buttons) return;
    const stop = stops.find((each) => clientX < each.getBoundingClientRect().right) ?? stops.at(-1);
    stop.querySelector("input").checked = true;
  };
  slider.addEventListener("pointerdown", (event) => slider.setPointerCapture(event.pointerId));
  slider.addEventListener("pointerdown", aim);
  slider.addEventListener("pointermove", aim);
}
