// Every page: it can be installed as an app, and comes back by itself when the line does.
navigator.serviceWorker?.register("/worker.js").catch(() => {});
if (document.body.classList.contains("offline")) {
  const again = () => location.reload();
  addEventListener("online", again);
  // Not every line that is lost is told.
  setInterval(
    () =>
      fetch("/healthz").then(
        (answer) => answer.ok && again(),
        () => {},
      ),
    4000,
  );
  document.querySelector("[data-again]")?.addEventListener("click", again);
}
