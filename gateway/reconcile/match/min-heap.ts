/** A priority queue: it gives the least of its items first. */
export class MinHeap<Item> {
  readonly #items: Item[] = [];
  readonly #compare: (one: Item, other: Item) => number;

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  /** Returns the least item without removing it. */
  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#items.push(item);
    let at = this.#items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapUnlessOrdered(parent, at)) return;
      at = parent;
    }
  }

  /** Removes the least item and returns it. */
  pop(): Item | undefined {
    const [least] = this.#items;
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return least;
    this.#items[0] = last;
    for (let at = 0; ;) {
      const child = this.#lesserChild(at);
      if (child === null || !this.#swapUnlessOrdered(at, child)) return least;
      at = child;
    }
  }

  #lesserChild(at: number): number | null {
    const [left, right] = [this.#items[2 * at + 1], this.#items[2 * at + 2]];
    if (left === undefined) return null;
    const isRight = right !== undefined && this.#compare(right, left) < 0;
    return 2 * at + (isRight ? 2 : 1);
  }

  #swapUnlessOrdered(parent: number, child: number): boolean {
    const [upper, lower] = [this.#items[parent], this.#items[child]];
    if (upper === undefined || lower === undefined) return false;
    if (this.#compare(lower, upper) >= 0) return false;
    this.#items[parent] = lower;
    this.#items[child] = upper;
    return true;
  }
}
