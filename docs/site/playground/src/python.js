// Calls of the worker's functions. A worker that takes too long can be stopped; a new one answers the next call.
export class Python {
  #worker;
  #waiting = new Map();
  #last = 0;
  #onStage;

  constructor(worker, onStage) {
    this.#onStage = onStage;
    this.#listen(worker);
  }

  call(name, ...parameters) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#worker.postMessage({id, name, parameters});
    });
  }

  get busy() {
    return this.#waiting.size > 0;
  }

  stop() {
    this.#worker.terminate();
    for (const {reject} of this.#waiting.values()) reject(new Error("stopped"));
    this.#waiting.clear();
    this.#listen(globalThis.startWorker());
  }

  #listen(worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({data}) => {
      if ("stage" in data || "failed" in data) return this.#onStage(data);
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (waiting) "error" in data ? waiting.reject(new Error(data.error)) : waiting.resolve(data.result);
    });
    worker.addEventListener("error", event => this.#onStage({failed: event.message || "the worker cannot be loaded"}));
  }
}
