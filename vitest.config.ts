import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Every gateway of a test starts a thread from its sources: what one has compiled the others need not.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'out', 'compiled');

const isCi = process.env['CI'] !== undefined;
const isRandom = process.argv.includes('random');

/** Far longer than any test takes: a test that waits for an event fails only when the event does not come. */
const WAITING = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  // A repeated test is named at the end and in out/repeated.json: it has a fault to be mended. Random values are not tried again.
  retry: isCi && !isRandom ? 2 : 0,
} as const;

/** Properties are tried with the same values in every run. */
const SAME_VALUES = { setupFiles: 'test/kit/same-values.ts' };

/** What these try holds nothing between calls, so one load of a module is enough for all files of a worker. */
const LOADED_ONCE = { isolate: false };

/** What runs the built command. */
const BUILT = { globalSetup: 'test/kit/process/program.ts' };

export default defineConfig({
  test: {
    // Most tests wait for processes and sockets; Vitest itself would leave one of two cores idle.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default', './test/kit/repeated/vitest-reporter.ts'],
    projects: [
      {
        test: {
          ...WAITING,
          ...SAME_VALUES,
          ...LOADED_ONCE,
          name: 'unit',
          include: [
            '{shared,gateway,sandbox,host,renderer,cli,electron,launcher,build,bench}/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...WAITING,
          ...SAME_VALUES,
          ...LOADED_ONCE,
          ...BUILT,
          name: 'quick',
          include: ['test/quick/**/*.test.ts'],
        },
      },
      {
        test: {
          ...WAITING,
          ...SAME_VALUES,
          ...BUILT,
          name: 'all',
          include: ['test/all/**/*.test.ts'],
        },
      },
      {
        test: {
          ...WAITING,
          ...BUILT,
          name: 'reliability',
          include: ['test/reliability/**/*.test.ts'],
          // Each needs the machine for itself.
          fileParallelism: false,
          retry: 0,
        },
      },
    ],
  },
});
