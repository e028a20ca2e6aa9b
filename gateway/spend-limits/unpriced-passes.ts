import type { Limit, UnpricedPass } from '../../shared/money/limit.ts';

/** Requests that passed limits uncounted. */
export interface NotedPass extends UnpricedPass {
  /** Stable id of their service. */
  readonly service: string;
  /** Unix time in milliseconds at which the latest came. */
  readonly latestAt: number;
}

/** Clients and models that are told, the latest; more make no difference. */
const MAX_PASSES = 100;

/** Remembers which requests passed limits of money uncounted, because what they cost is not known. */
export class UnpricedPasses {
  /** By client, model and service, those that passed last at the end. */
  readonly #passes = new Map<string, NotedPass>();

  /** Notes a request that passed. `at`: Unix time in milliseconds. Returns whether it is the first of its client and model. */
  note({ clientName, model, service, at }: Omit<NotedPass, 'requests' | 'latestAt'>): boolean {
    const key = JSON.stringify([clientName, model, service]);
    const known = this.#passes.get(key);
    this.#passes.delete(key);
    const [oldest] = this.#passes.keys();
    if (this.#passes.size >= MAX_PASSES) this.#passes.delete(oldest ?? '');
    const requests = (known?.requests ?? 0) + 1;
    this.#passes.set(key, {
      clientName,
      model,
      service,
      requests,
      at: known?.at ?? at,
      latestAt: at,
    });
    return known === undefined;
  }

  /** Lists what passed in the order of their first requests, nothing without a limit of money; forgets what `isPriced` now. */
  list(limits: readonly Limit[], isPriced: (pass: NotedPass) => boolean): readonly UnpricedPass[] {
    for (const [key, pass] of this.#passes) if (isPriced(pass)) this.#passes.delete(key);
    const isLimited = limits.some(({ measure }) => measure === 'money');
    return isLimited ? [...this.#passes.values()].toSorted((one, other) => one.at - other.at) : [];
  }
}
