import { normalizeName } from './name-matching.ts';

/** Two names are similar from this share of common character pairs on. */
const MIN_SIMILARITY = 0.4;

function toCharacterPairs(text: string): ReadonlySet<string> {
  const plain = normalizeName(text);
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < plain.length; i += 1) pairs.add(plain.slice(i, i + 2));
  return pairs;
}

/** Finds ids similar to a name by their common character pairs (Dice's coefficient), ignoring providers. */
export class SimilarityIndex {
  readonly #ids: readonly string[];
  readonly #sizes: readonly number[];
  readonly #idsWith = new Map<string, number[]>();

  constructor(ids: readonly string[]) {
    this.#ids = ids;
    this.#sizes = ids.map((id, index) => {
      const pairs = toCharacterPairs(id.slice(id.lastIndexOf('/') + 1));
      for (const pair of pairs) {
        const indexes = this.#idsWith.get(pair);
        if (indexes === undefined) this.#idsWith.set(pair, [index]);
        else indexes.push(index);
      }
      return pairs.size;
    });
  }

  /** Returns at most `limit` ids, most similar first. */
  find(name: string, limit: number): readonly string[] {
    const pairs = toCharacterPairs(name.slice(name.lastIndexOf('/') + 1));
    const common = new Map<number, number>();
    for (const pair of pairs) {
      for (const index of this.#idsWith.get(pair) ?? []) {
        common.set(index, (common.get(index) ?? 0) + 1);
      }
    }
    return [...common]
      .map(([index, count]) => ({
        id: this.#ids[index] ?? '',
        score: (2 * count) / (pairs.size + (this.#sizes[index] ?? 0)),
      }))
      .filter(({ score }) => score >= MIN_SIMILARITY)
      .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, limit)
      .map(({ id }) => id);
  }
}
