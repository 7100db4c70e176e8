// Every page: it can be installed as an app, and comes back by itself when the line does.
navigator.serviceWorker?.register("/worker.js").catch(() => {});
if (document.body.classList.contains("offline")) {
  const again = () => location.reload();
  addEventListener("online", again);
  document.querySelector("[data-again]")?.addEventListener("click", again);
}
