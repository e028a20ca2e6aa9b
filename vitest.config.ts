import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What takes the whole machine for itself comes after the others. */
const ALONE = ['test/videos/faults.test.ts', 'test/bench.test.ts'];

/** A busy machine is slow; a test that waits for an event fails only when it does not come. */
const POLLING = { poll: { timeout: 15_000 } };

export default defineConfig({
  test: {
    // Most tests wait for processes and sockets; Vitest itself would leave one of two cores idle.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          name: 'unit',
          // What they try holds nothing between calls, so one load of a module is enough for all of them.
          isolate: false,
          include: [
            '{shared,gateway,sandbox,host,renderer,cli,electron,launcher,build,bench}/**/*.test.ts',
          ],
          testTimeout: 30_000,
          expect: POLLING,
        },
      },
      {
        test: {
          name: 'served',
          include: ['test/**/*.test.ts'],
          exclude: ['test/boundaries.test.ts', ...ALONE],
          globalSetup: 'test/kit/program.ts',
          testTimeout: 30_000,
          expect: POLLING,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'boundaries',
          include: ['test/boundaries.test.ts'],
          testTimeout: 120_000,
          expect: POLLING,
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
          testTimeout: 120_000,
          expect: POLLING,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
