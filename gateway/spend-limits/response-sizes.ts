/** Tokens of a response of a run of which no other is known. */
const FIRST = 2_000;
/** Responses that are remembered of each run. */
const MAX_RESPONSES = 40;
const MAX_RUNS = 1_000;
const SHARE = 0.95;

/** Remembers how many tokens the latest responses of each run had. */
export class ResponseSizes {
  readonly #byRun = new Map<string, number[]>();

  /** Returns the 95th percentile of a run's responses; 2,000 while none is known. */
  expectMost(run: string): number {
    const known = this.#byRun.get(run);
    if (known === undefined) return FIRST;
    const sorted = known.toSorted((one, other) => one - other);
    return sorted[Math.ceil(SHARE * sorted.length) - 1] ?? FIRST;
  }

  add(run: string, tokens: number): void {
    const known = this.#byRun.get(run) ?? [];
    known.push(tokens);
    if (known.length > MAX_RESPONSES) known.shift();
    // The run that was used last is the last to be forgotten.
    this.#byRun.delete(run);
    this.#byRun.set(run, known);
    if (this.#byRun.size <= MAX_RUNS) return;
    const [oldest] = this.#byRun.keys();
    if (oldest !== undefined) this.#byRun.delete(oldest);
  }
}
