// Calls of the worker's functions. A worker that takes too long can be stopped; a new one answers the next call.
export class Python {
  #worker;
  #waiting = new Map();
  #last = 0;
  #failure = null;
  #onStage;

  constructor(worker, onStage) {
    this.#onStage = onStage;
    this.#listen(worker);
  }

  call(name, ...parameters) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting.set(id, {resolve, reject});
      this.#worker.postMessage({id, name, parameters});
    });
  }

  get busy() {
    return this.#waiting.size > 0;
  }

  stop() {
    this.#worker.terminate();
    this.#rejectAll(new Error("stopped"));
    this.#listen(globalThis.startWorker());
  }

  #rejectAll(error) {
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #fail(reason) {
    this.#failure ??= new Error(`Python cannot be loaded (${reason}). Reload the page, or use the command line.`);
    this.#rejectAll(this.#failure);
    this.#onStage({failed: this.#failure.message});
  }

  #listen(worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({data}) => {
      if ("failed" in data) return this.#fail(data.failed);
      if ("stage" in data) return this.#onStage(data);
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (waiting) "error" in data ? waiting.reject(new Error(data.error)) : waiting.resolve(data.result);
    });
    worker.addEventListener("error", event => this.#fail(event.message || "the worker cannot be loaded"));
    if (worker.failure) this.#fail(worker.failure);
  }
}
