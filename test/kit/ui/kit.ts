import { test as base } from '@playwright/test';
import { PageGuard } from './page-guard.ts';
import { DesktopHarness } from '../desktop/desktop-harness.ts';
import { ElectronHarness } from '../desktop/electron-harness.ts';
import { findElectron, NOT_RUN } from './electron-binary.ts';
import { BrowserHarness, type Harness, type HarnessOptions } from './harness.ts';

export { expect } from '@playwright/test';

/** The place of the window: in a browser, in the app on the mock of Electron, or in Electron itself. */
export type Target = 'browser' | 'mock' | 'electron';

interface Fixtures {
  readonly target: Target;
  /** Options of the test's own harness. */
  readonly harnessOptions: HarnessOptions;
  /** The test's own Gatehouse, with the sandbox behind it. */
  readonly harness: Harness;
  /** Starts another Gatehouse, which ends with the test. */
  readonly startHarness: (options?: HarnessOptions) => Promise<Harness>;
  /** Names an error of the browser that the test itself provokes; any other fails the test. */
  readonly provoked: (error: RegExp) => void;
  readonly guard: PageGuard;
  /** The program of Electron itself; empty where none is needed. */
  readonly electron: string;
  /** The test's own harness, started when it is first asked for. */
  readonly firstHarness: () => Promise<Harness>;
}

/** A test of the window. It fails when any of its pages throws, reports an error, breaks the content security policy or calls elsewhere. */
export const test = base.extend<Fixtures>({
  target: ['browser', { option: true }],
  harnessOptions: [{}, { option: true }],
  // This comes before all other fixtures: a skipped test needs no browser.
  electron: [
    async ({ target }, use, info) => {
      const program = target === 'electron' ? findElectron(process.env) : '';
      info.skip(program === null, NOT_RUN);
      await use(program ?? '');
    },
    { auto: true },
  ],
  startHarness: async ({ target, electron }, use, info) => {
    await using harnesses = new AsyncDisposableStack();
    let started = 0;
    await use(async (options) => {
      if (target === 'browser') return harnesses.use(await BrowserHarness.open(options));
      if (target === 'mock') return harnesses.use(await DesktopHarness.open(options));
      started += 1;
      info.skip(started > 1, 'The page belongs to the first harness.');
      return harnesses.use(await ElectronHarness.open(electron, options));
    });
  },
  firstHarness: async ({ startHarness, harnessOptions }, use) => {
    let first: Promise<Harness> | null = null;
    await use(() => (first ??= startHarness(harnessOptions)));
  },
  harness: async ({ firstHarness }, use) => {
    await use(await firstHarness());
  },
  page: async ({ page, target, firstHarness, guard }, use) => {
    const harness = target === 'electron' ? await firstHarness() : null;
    if (!(harness instanceof ElectronHarness)) return await use(page);
    guard.watch(harness.page.context());
    await use(harness.page);
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern to see what is needed
  guard: async ({}, use) => {
    await use(new PageGuard());
  },
  provoked: async ({ guard }, use) => {
    await use((error) => guard.allow(error));
  },
  // The harnesses end after the pages: a page whose harness is gone reports errors with reason.
  context: async ({ context, guard, startHarness: _harnesses }, use) => {
    guard.watch(context);
    await use(context);
    base.expect(guard.violations(), 'errors of the browser').toEqual([]);
  },
});
