import { test } from 'vitest';
import { type HouseOptions, startHouse } from './house.ts';

/** `test` with one `house` for all tests of a file. For tables whose rows leave nothing behind. */
export function testsIn(options: HouseOptions = {}) {
  // oxlint-disable-next-line no-empty-pattern -- vitest wants the pattern to see what is used
  return test.extend('house', { scope: 'file' }, async ({}, { onCleanup }) => {
    const house = await startHouse(options);
    onCleanup(() => house[Symbol.asyncDispose]());
    return house;
  });
}
