import type { Limit, UnpricedPass } from '../../shared/money/limit.ts';

/** Requests of one client and model without a price that a limit of money let pass, because it cannot count them. */
interface Pass extends UnpricedPass {
  readonly limitId: string;
  requests: number;
  at: number;
}

/** Clients and models that are told; more make no difference. */
const MAX_PASSES = 100;

/** Remembers which requests passed limits of money uncounted, until prices change. */
export class UnpricedPasses {
  readonly #passes = new Map<string, Pass>();

  /** Notes that a request passed. `at`: Unix time in milliseconds. Returns whether it is the first of its client and model. */
  note(limit: Limit, { clientName, model, at }: Omit<UnpricedPass, 'requests'>): boolean {
    const key = `${limit.id}\n${clientName}\n${model}`;
    const known = this.#passes.get(key);
    if (known !== undefined) {
      known.requests += 1;
      known.at = at;
      return false;
    }
    if (this.#passes.size >= MAX_PASSES) return false;
    this.#passes.set(key, { limitId: limit.id, clientName, model, at, requests: 1 });
    return true;
  }

  /** Lists what passed limits that are there still, those of a model without a limit left out. A request that passed two counts once. */
  list(limits: readonly Limit[]): readonly UnpricedPass[] {
    const ids = new Set<string>(limits.map(({ id }) => id));
    const most = new Map<string, UnpricedPass>();
    for (const { limitId, clientName, model, at, requests } of this.#passes.values()) {
      if (!ids.has(limitId)) continue;
      const key = `${clientName}\n${model}`;
      const known = most.get(key);
      if (known === undefined || known.requests < requests)
        most.set(key, { clientName, model, at, requests });
    }
    return [...most.values()];
  }

  forget(): void {
    this.#passes.clear();
  }
}
