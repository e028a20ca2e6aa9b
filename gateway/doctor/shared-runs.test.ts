import { expect, test } from 'vitest';
import { SharedRuns } from './shared-runs.ts';

/** Counts its runs, each of which ends when the test says so. */
function createWork() {
  const runs: { readonly end: (value: number) => void; readonly signal: AbortSignal }[] = [];
  const start = (signal: AbortSignal): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    runs.push({ end: resolve, signal });
    return promise;
  };
  return { runs, start };
}

function failAtOnce(): Promise<never> {
  return Promise.reject(new Error('broken'));
}

test('callers of the same name share a run; one of another name, and a later one, do not', async () => {
  const shared = new SharedRuns<number>();
  const { runs, start } = createWork();
  const both = [shared.join('a', start, undefined), shared.join('a', start, undefined)];
  const other = shared.join('b', start, undefined);
  expect(runs).toHaveLength(2);
  runs[0]?.end(1);
  runs[1]?.end(2);
  expect(await Promise.all([...both, other])).toEqual([1, 1, 2]);
  const later = shared.join('a', start, undefined);
  runs[2]?.end(3);
  expect(await later).toBe(3);
});

test('a caller that leaves does not disturb the others, and the last one stops the run', async () => {
  const shared = new SharedRuns<number>();
  const { runs, start } = createWork();
  const callers = [new AbortController(), new AbortController()];
  const [first, second] = callers.map(({ signal }) => shared.join('a', start, signal));
  callers[0]?.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  expect(runs[0]?.signal.aborted).toBe(false);
  callers[1]?.abort(new Error('left too'));
  await expect(second).rejects.toThrow('left too');
  expect(runs[0]?.signal.aborted).toBe(true);
  const next = shared.join('a', start, undefined);
  runs[1]?.end(5);
  expect(await next).toBe(5);
});

test('the error of a run reaches all of its callers', async () => {
  const shared = new SharedRuns<number>();
  const both = [shared.join('a', failAtOnce, undefined), shared.join('a', failAtOnce, undefined)];
  for (const one of both) await expect(one).rejects.toThrow('broken');
});
