/** The use of a shared resource by one holder. */
export interface Lease<Resource> {
  readonly resource: Resource;
  /** Ends this use. A second call does nothing. */
  readonly release: () => void;
}

/**
 * Counts the leases of a resource, and closes it once it is retired and the last lease has been released. `close` is called once; its
 * error rejects `retire` and `close`.
 */
export class SharedResource<Resource> {
  readonly #resource: Resource;
  readonly #close: (resource: Resource) => Promise<void>;
  readonly #closed = Promise.withResolvers<void>();
  #leases = 0;
  #retired = false;
  #closing = false;

  constructor(resource: Resource, close: (resource: Resource) => Promise<void>) {
    this.#resource = resource;
    this.#close = close;
    // Nobody may be waiting when the last lease is released.
    this.#closed.promise.catch(() => undefined);
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  acquire(): Lease<Resource> {
    this.#leases += 1;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      this.#leases -= 1;
      this.#closeWhenUnused();
    };
    return { resource: this.#resource, release };
  }

  /** Closes the resource as soon as it is unused. Resolves when it is closed. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.#closeWhenUnused();
    await this.#closed.promise;
  }

  /** Closes the resource now, even when it is in use. Resolves when it is closed. */
  async close(): Promise<void> {
    this.#retired = true;
    this.#closeNow();
    await this.#closed.promise;
  }

  #closeWhenUnused(): void {
    if (this.#retired && this.#leases === 0) this.#closeNow();
  }

  #closeNow(): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#close(this.#resource).then(this.#closed.resolve, this.#closed.reject);
  }
}
