import type { FromGateway, LimitAmount, UsedAmounts } from './messages.ts';

interface Admitted {
  readonly at: number;
  readonly expected: UsedAmounts;
  /** `null` until it has ended; the process may be killed before. */
  used: UsedAmounts | null;
}

/** How much more a client may have used than its limit, because estimates were short. */
export interface Allowed extends LimitAmount {
  /** The run that it holds for; `null` for a limit per day. */
  readonly run: string | null;
  readonly shortfall: number;
  /** Requests that were in flight at the last admission, itself included. */
  readonly atOnce: number;
  /** What was expected of those of them that a kill ended, by the Unix time in milliseconds at which they came. */
  readonly killed: ReadonlyMap<number, readonly number[]>;
  /** What requests had used that were settled in this run, by the Unix time in milliseconds at which they came. */
  readonly settled: ReadonlyMap<number, readonly number[]>;
}

/** Follows what the limits of one run of the gateway reserve and settle. */
export class LimitLog {
  readonly #amounts: readonly LimitAmount[];
  /** Ids of the runs that had requests, by the ids of clients whose limit is per run. */
  readonly #runs: ReadonlyMap<string, Set<string>>;
  /** By {@link toKey}, as the others. */
  readonly #open = new Map<string, Map<number, Admitted>>();
  /** The requests that were in flight when a client's latest request was admitted, itself included. */
  readonly #latest = new Map<string, readonly Admitted[]>();

  readonly #settled = new Map<
    string,
    readonly { readonly at: number; readonly use: UsedAmounts }[]
  >();

  constructor(amounts: readonly LimitAmount[]) {
    this.#amounts = amounts;
    const ofRuns = amounts.filter(({ period }) => period === 'run');
    this.#runs = new Map(ofRuns.map(({ clientId }) => [clientId, new Set()]));
  }

  add({
    kind,
    number,
    clientId,
    run: ofRequest,
    at,
    use,
  }: Extract<FromGateway, { readonly use: UsedAmounts }>): void {
    const runs = this.#runs.get(clientId);
    const run = runs === undefined ? null : ofRequest;
    if (run !== null) runs?.add(run);
    const key = toKey(clientId, run);
    const open = this.#open.get(key) ?? new Map<number, Admitted>();
    this.#open.set(key, open);
    if (kind === 'admitted') {
      open.set(number, { at, expected: use, used: null });
      this.#latest.set(key, [...open.values()]);
      return;
    }
    const admitted = open.get(number);
    if (admitted !== undefined) admitted.used = use;
    const settled = this.#settled.get(key) ?? [];
    this.#settled.set(key, [...settled, { at, use }]);
    open.delete(number);
  }

  /**
   * Returns the limits with what the estimates of the requests in flight at the last admission were short by. Before it, estimates and
   * use were within the limit together.
   */
  allowed(): readonly Allowed[] {
    const limits = this.#amounts.flatMap((limit) => {
      const runs = this.#runs.get(limit.clientId);
      return [...(runs ?? [null])].map((run) => ({ ...limit, run }));
    });
    return limits.map((limit) => {
      const { measure, clientId, run } = limit;
      const key = toKey(clientId, run);
      const latest = this.#latest.get(key) ?? [];
      const shortfalls = latest.map(({ expected, used }) =>
        used === null ? 0 : used[measure] - expected[measure],
      );
      const shortfall = shortfalls.reduce((sum, short) => sum + Math.max(0, short), 0);
      return {
        ...limit,
        shortfall,
        atOnce: latest.length,
        killed: byTime(
          latest
            .filter(({ used }) => used === null)
            .map(({ at, expected }) => ({ at, amount: expected[measure] })),
        ),
        settled: byTime(
          (this.#settled.get(key) ?? []).map(({ at, use }) => ({ at, amount: use[measure] })),
        ),
      };
    });
  }
}

function byTime(
  amounts: readonly { readonly at: number; readonly amount: number }[],
): ReadonlyMap<number, readonly number[]> {
  const groups = Map.groupBy(amounts, ({ at }) => at);
  return new Map([...groups].map(([at, group]) => [at, group.map(({ amount }) => amount)]));
}

function toKey(clientId: string, run: string | null): string {
  return `${clientId} ${run ?? ''}`;
}
