/** Responses that are remembered of each group. */
const MAX_RESPONSES = 40;
const MAX_GROUPS = 1_000;
const SHARE = 0.95;

/** Remembers how many tokens the latest responses of groups of requests had. */
export class ResponseSizes {
  readonly #groups = new Map<string, number[]>();
  /** The responses of the group that was used last, which is at the end of the map. */
  #latest: number[] = [];

  /** Returns the 95th percentile of a group's responses; `null` while none is known. */
  expectMost(group: string): number | null {
    const sorted = this.#groups.get(group)?.toSorted((one, other) => one - other) ?? [];
    return sorted[Math.ceil(SHARE * sorted.length) - 1] ?? null;
  }

  add(group: string, tokens: number): void {
    const known = this.#groups.get(group) ?? [];
    known.push(tokens);
    if (known.length > MAX_RESPONSES) known.shift();
    if (known === this.#latest) return;
    this.#latest = known;
    // The group that was used last is the last to be forgotten.
    this.#groups.delete(group);
    this.#groups.set(group, known);
    if (this.#groups.size <= MAX_GROUPS) return;
    const [oldest] = this.#groups.keys();
    if (oldest !== undefined) this.#groups.delete(oldest);
  }
}
