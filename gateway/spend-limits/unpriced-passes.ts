import type { Limit, UnpricedPass } from '../../shared/money/limit.ts';

/** Clients and models that are told; more make no difference. */
const MAX_PASSES = 100;

/** Remembers which requests passed limits of money uncounted, because what they cost is not known. */
export class UnpricedPasses {
  readonly #passes = new Map<string, UnpricedPass>();

  /** Notes a request that passed. `at`: Unix time in milliseconds. Returns whether it is the first of its client and model. */
  note({ clientName, model, at }: Omit<UnpricedPass, 'requests'>): boolean {
    const key = JSON.stringify([clientName, model]);
    const known = this.#passes.get(key);
    if (known === undefined && this.#passes.size >= MAX_PASSES) return false;
    const requests = (known?.requests ?? 0) + 1;
    this.#passes.set(key, { clientName, model, requests, at: known?.at ?? at });
    return known === undefined;
  }

  /** Lists what passed; nothing without a limit of money. */
  list(limits: readonly Limit[]): readonly UnpricedPass[] {
    const isLimited = limits.some(({ measure }) => measure === 'money');
    return isLimited ? [...this.#passes.values()] : [];
  }

  forget(isPriced: (pass: UnpricedPass) => boolean): void {
    for (const [key, pass] of this.#passes) if (isPriced(pass)) this.#passes.delete(key);
  }
}
