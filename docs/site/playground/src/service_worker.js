// Keep the files of the playground, so that it starts quickly, and without a network.
const CACHE = "{{cache}}";
const FILES = "{{files}}";

addEventListener("install", event => {
  event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", event => {
  const others = caches.keys().then(names => names.filter(name => name.startsWith("jobsworth-") && name !== CACHE));
  event.waitUntil(others.then(names => Promise.all(names.map(name => caches.delete(name)))).then(() => clients.claim()));
});

addEventListener("fetch", event => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== location.origin) return;
  event.respondWith(caches.open(CACHE).then(async cache => (await cache.match(event.request, {ignoreSearch: true})) ?? fetch(event.request)));
});
