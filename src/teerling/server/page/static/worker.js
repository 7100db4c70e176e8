// Keeps the shell for when there is no line, shows notices for pages, and brings a table back when its notice is
// pressed. What is for one person is never kept; whatever the server answers comes first.
const SHELL = "teerling-shell";
const AWAY = "/offline";
const KEPT = /^\/(static|fonts|icons)\/|^\/styles\.css$|^\/games\/[^/]+\/table\.css$/;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((shell) => shell.addAll([AWAY, "/static/icon.svg"])));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function fromNetwork(request) {
  const shell = await caches.open(SHELL);
  try {
    const answer = await fetch(request);
    if (answer.ok) await shell.put(request, answer.clone());
    return answer;
  } catch (lost) {
    const kept = await shell.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw lost;
  }
}

async function page(request) {
  try {
    return await fetch(request);
  } catch {
    const shell = await caches.open(SHELL);
    return (await shell.match(AWAY)) ?? Response.error();
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (KEPT.test(address.pathname)) event.respondWith(fromNetwork(request));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = event.notification.data;
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => {
      const open = windows.find((each) => each.url === address);
      return open ? open.focus() : self.clients.openWindow(address);
    }),
  );
});
