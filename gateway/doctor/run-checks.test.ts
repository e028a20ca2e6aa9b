import { expect, test } from 'vitest';
import { ok } from './finding.ts';
import { type Check, runChecks } from './run-checks.ts';

const GOOD: Check = { name: 'good', run: async () => [ok('good', 'It works.')] };
const BROKEN: Check = {
  name: 'disk',
  run: () => Promise.reject(new Error('The disk is gone.')),
};
const never = new AbortController().signal;

/** A check without an end, and the reason why its signal was aborted. */
function createHung() {
  const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
  const run: Check['run'] = (signal) => {
    signal.addEventListener('abort', () => resolve(signal.reason));
    return new Promise(() => undefined);
  };
  return { check: { name: 'hung', run }, aborted };
}

test('a check that hangs has no result, and keeps no other from its own', async () => {
  const hung = createHung();
  const found = await runChecks([hung.check, GOOD], { timeoutMs: 5, signal: never });
  expect(found.map(({ check, state }) => [check, state])).toEqual([
    ['hung', 'unknown'],
    ['good', 'ok'],
  ]);
  expect(found[0]?.sentence).toContain('No result came within');
  expect(await hung.aborted).toBeInstanceOf(Error);
});

test('a check that throws has no result, with the reason', async () => {
  const [found] = await runChecks([BROKEN], { timeoutMs: 1_000, signal: never });
  expect(found).toMatchObject({
    state: 'unknown',
    sentence: 'The check “disk” came to no result. The disk is gone.',
  });
});

test('all checks stop together', async () => {
  const hung = createHung();
  const stop = new AbortController();
  const running = runChecks([GOOD, hung.check], { timeoutMs: 60_000, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  expect(await hung.aborted).toMatchObject({ message: 'enough' });
});
