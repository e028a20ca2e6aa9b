import { test as base } from '@playwright/test';
import { Guard } from './guard.ts';
import { DesktopHouse } from '../desktop/desktop-house.ts';
import { BrowserHouse, type House, type HouseOptions } from './house.ts';

export { expect } from '@playwright/test';

interface Fixtures {
  /** Where the window is: in a browser, or in the app as the double of Electron runs it. */
  readonly target: 'browser' | 'double';
  /** How the test's own house is started. */
  readonly houseOptions: HouseOptions;
  /** The test's own Gatehouse, with the sandbox behind it. */
  readonly house: House;
  /** Starts another Gatehouse, which ends with the test. */
  readonly startHouse: (options?: HouseOptions) => Promise<House>;
  /** Names a complaint of the browser that the test itself provokes; any other fails the test. */
  readonly provoked: (complaint: RegExp) => void;
  readonly guard: Guard;
}

/** A test of the window. It fails when any of its pages throws, complains, breaks the content security policy or calls elsewhere. */
export const test = base.extend<Fixtures>({
  target: ['browser', { option: true }],
  houseOptions: [{}, { option: true }],
  startHouse: async ({ target }, use) => {
    await using houses = new AsyncDisposableStack();
    const open = (options?: HouseOptions): Promise<House> =>
      target === 'double' ? DesktopHouse.open(options) : BrowserHouse.open(options);
    await use(async (options) => houses.use(await open(options)));
  },
  house: async ({ startHouse, houseOptions }, use) => {
    await use(await startHouse(houseOptions));
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
