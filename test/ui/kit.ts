import { test as base } from '@playwright/test';
import { Guard } from './guard.ts';
import { DesktopHouse } from '../desktop/desktop-house.ts';
import { ElectronHouse } from '../desktop/electron-house.ts';
import { findElectron, NOT_RUN } from './electron-binary.ts';
import { BrowserHouse, type House, type HouseOptions } from './house.ts';

export { expect } from '@playwright/test';

/** Where the window is: in a browser, or in the app as the double of Electron runs it, or as Electron itself does. */
export type Target = 'browser' | 'double' | 'electron';

interface Fixtures {
  readonly target: Target;
  /** How the test's own house is started. */
  readonly houseOptions: HouseOptions;
  /** The test's own Gatehouse, with the sandbox behind it. */
  readonly house: House;
  /** Starts another Gatehouse, which ends with the test. */
  readonly startHouse: (options?: HouseOptions) => Promise<House>;
  /** Names a complaint of the browser that the test itself provokes; any other fails the test. */
  readonly provoked: (complaint: RegExp) => void;
  readonly guard: Guard;
  /** The program of Electron itself; empty where none is needed. */
  readonly electron: string;
  /** The test's own house, started when it is first asked for. */
  readonly firstHouse: () => Promise<House>;
}

/** A test of the window. It fails when any of its pages throws, complains, breaks the content security policy or calls elsewhere. */
export const test = base.extend<Fixtures>({
  target: ['browser', { option: true }],
  houseOptions: [{}, { option: true }],
  // It comes before all others: what is skipped needs no browser.
  electron: [
    async ({ target }, use, info) => {
      const program = target === 'electron' ? findElectron(process.env) : '';
      info.skip(program === null, NOT_RUN);
      await use(program ?? '');
    },
    { auto: true },
  ],
  startHouse: async ({ target, electron }, use, info) => {
    await using houses = new AsyncDisposableStack();
    let started = 0;
    await use(async (options) => {
      if (target === 'browser') return houses.use(await BrowserHouse.open(options));
      if (target === 'double') return houses.use(await DesktopHouse.open(options));
      started += 1;
      info.skip(started > 1, 'The page belongs to the first house.');
      return houses.use(await ElectronHouse.open(electron, options));
    });
  },
  firstHouse: async ({ startHouse, houseOptions }, use) => {
    let first: Promise<House> | null = null;
    await use(() => (first ??= startHouse(houseOptions)));
  },
  house: async ({ firstHouse }, use) => {
    await use(await firstHouse());
  },
  page: async ({ page, target, firstHouse, guard }, use) => {
    const house = target === 'electron' ? await firstHouse() : null;
    if (!(house instanceof ElectronHouse)) return await use(page);
    guard.watch(house.page.context());
    await use(house.page);
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern to see what is needed
  guard: async ({}, use) => {
    await use(new Guard());
  },
  provoked: async ({ guard }, use) => {
    await use((complaint) => guard.allow(complaint));
  },
  // The houses end after the pages: a page whose house is gone complains with reason.
  context: async ({ context, guard, startHouse: _houses }, use) => {
    guard.watch(context);
    await use(context);
    base.expect(guard.complaints(), 'what the browser complained about').toEqual([]);
  },
});
