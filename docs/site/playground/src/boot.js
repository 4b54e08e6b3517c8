// Start the worker before the editor is loaded. Of a worker from a blob, the page's Content-Security-Policy applies too.
const address = new URL("worker.js", import.meta.url).href;
const source = new Blob([`import ${JSON.stringify(address)};`], {type: "text/javascript"});

export const startWorker = () => {
  const url = URL.createObjectURL(source);
  const worker = new Worker(url, {type: "module"});
  // It may fail before anyone listens.
  worker.addEventListener("error", event => (worker.failure = event.message || "the worker cannot be loaded"));
  return worker;
};

globalThis.startWorker = startWorker;
globalThis.firstWorker = startWorker();
