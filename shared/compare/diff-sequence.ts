/** Items in a row that are equal, or that one of two lists has alone. */
export interface Run {
  readonly kind: 'same' | 'removed' | 'added';
  /** Places of the first item in the list before and in the one after. */
  readonly before: number;
  readonly after: number;
  readonly count: number;
}

/** The work that comparisons may still do, in steps of some nanoseconds. */
export interface Budget {
  steps: number;
}

/** Differences from which two lists count as different altogether; the memory grows with its square. */
const MAX_EDITS = 1_000;

/**
 * Finds the fewest differences between two lists (E. Myers, “An O(ND) Difference Algorithm and Its Variations”, 1986). Returns
 * `null` when there are too many, or when the budget is used up.
 */
export function diffSequence(
  before: readonly string[],
  after: readonly string[],
  budget: Budget,
): readonly Run[] | null {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [left, right] = toNumbers(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  const kinds = findEdits(left, right, budget);
  if (kinds === null) return null;
  return toRuns([{ kind: 'same', count: start }, ...kinds, { kind: 'same', count: end }]);
}

type Step = Pick<Run, 'kind' | 'count'>;

function toNumbers(before: readonly string[], after: readonly string[]) {
  const numbers = new Map<string, number>();
  const toNumber = (text: string) => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  return [Int32Array.from(before, toNumber), Int32Array.from(after, toNumber)] as const;
}

/** Returns the steps from one list to the other; `null` when there are too many. */
function findEdits(left: Int32Array, right: Int32Array, budget: Budget): readonly Step[] | null {
  const most = Math.min(left.length + right.length, MAX_EDITS);
  // For each diagonal the place in `left` that is reached farthest, at `most + 1` for the diagonal 0.
  const reached = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reached.slice(most + 1 - edits, most + 2 + edits));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = most + 1 + diagonal;
      const isDown =
        diagonal === -edits || (diagonal !== edits && get(reached, at - 1) < get(reached, at + 1));
      const from = isDown ? get(reached, at + 1) : get(reached, at - 1) + 1;
      let x = from;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal])
        x += 1;
      reached[at] = x;
      budget.steps -= x - from + 1;
      if (x >= left.length && x - diagonal >= right.length) return trackBack(trace, diagonal, x);
    }
    if (budget.steps < 0) return null;
  }
  return null;
}

/** Finds the way that led to the end, from its end. */
function trackBack(trace: readonly Int32Array[], last: number, end: number): readonly Step[] {
  const steps: Step[] = [];
  let [diagonal, x] = [last, end];
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const reached = trace[edits] ?? new Int32Array();
    const at = (place: number) => get(reached, place + edits);
    const isDown =
      diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const from = isDown ? at(diagonal + 1) : at(diagonal - 1) + 1;
    if (x > from) steps.push({ kind: 'same', count: x - from });
    steps.push({ kind: isDown ? 'added' : 'removed', count: 1 });
    diagonal += isDown ? 1 : -1;
    x = isDown ? from : from - 1;
  }
  if (x > 0) steps.push({ kind: 'same', count: x });
  return steps.toReversed();
}

function get(list: Int32Array, place: number): number {
  return list[place] ?? 0;
}

/** Joins steps of one kind, and adds their places. Between two equal parts everything removed comes first. */
function toRuns(steps: readonly Step[]): readonly Run[] {
  const runs: Run[] = [];
  let [before, after, removed, added] = [0, 0, 0, 0];
  const push = (kind: Run['kind'], count: number) => {
    if (count === 0) return;
    runs.push({ kind, before, after, count });
    if (kind !== 'added') before += count;
    if (kind !== 'removed') after += count;
  };
  const pushEdits = () => {
    push('removed', removed);
    push('added', added);
    [removed, added] = [0, 0];
  };
  for (const { kind, count } of steps) {
    if (kind === 'removed') removed += count;
    else if (kind === 'added') added += count;
    else if (count > 0) {
      pushEdits();
      push('same', count);
    }
  }
  pushEdits();
  return runs;
}
