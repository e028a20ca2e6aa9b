import { test } from 'vitest';
import { type HarnessOptions, startHarness } from './harness.ts';

/** `test` with one `harness` for all tests of a file, for tables whose rows leave no data behind. */
export function testsIn(options: HarnessOptions = {}) {
  // oxlint-disable-next-line no-empty-pattern -- vitest wants the pattern to see what is used
  return test.extend('harness', { scope: 'file' }, async ({}, { onCleanup }) => {
    const harness = await startHarness(options);
    onCleanup(() => harness[Symbol.asyncDispose]());
    return harness;
  });
}
