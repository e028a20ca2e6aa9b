import { defineConfig } from '@playwright/test';
import { findChromium } from './test/kit/ui/chromium.ts';
import type { Target } from './test/kit/ui/kit.ts';

const executablePath = findChromium(process.env);
const isCi = process.env['CI'] !== undefined;

const launchOptions = {
  ...(executablePath === null ? {} : { executablePath }),
  args: [
    '--no-sandbox',
    '--disable-background-networking',
    // A page lives for seconds: to optimise its code takes a quarter of a test's work and gives nothing back.
    '--js-flags=--no-maglev --no-opt --single-threaded-gc',
  ],
  // Without a language of the system, Chromium has no names for files beyond ASCII.
  env: { ...process.env, LC_ALL: 'C.UTF-8' },
};
/** Electron's ports say when their other end closes; Chromium's do not unless told to. */
const ELECTRON_PORTS = '--enable-blink-features=MessagePortCloseEvent';
const forApp = { ...launchOptions, args: [...launchOptions.args, ELECTRON_PORTS] };

/** Marks tests of what the app does not change: tabs, links into the window, accessibility. */
const ONLY_IN_BROWSERS = /@browser/u;
const IN_APP = '{quick,all}/ui/**/*.spec.ts';

/** The window in a real browser, before a real gateway. What a failed test leaves lies in `out/test-ui`. */
export default defineConfig<{ target: Target }>({
  globalSetup: './test/kit/process/program.ts',
  outputDir: 'out/test-ui/left',
  fullyParallel: true,
  forbidOnly: isCi,
  // A test waits for its gateway and for its browser in turn, so one more than the cores of a small machine.
  workers: 3,
  // A repeated test is named at the end and in out/repeated.json: it has a fault to be mended.
  retries: isCi ? 2 : 0,
  // Far longer than any test takes: a test that waits for an event fails only when the event does not come.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: 'out/test-ui/results.json' }],
    ['./test/kit/ui/not-run.ts'],
    ['./test/kit/repeated/playwright-reporter.ts'],
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    // A trace costs a tenth of a test's time. Snapshots of the page would fetch what its content security policy forbids.
    trace: {
      mode: isCi ? 'on-first-retry' : 'retain-on-failure',
      snapshots: false,
      screenshots: false,
    },
    screenshot: 'only-on-failure',
    launchOptions,
  },
  projects: [
    // What the app does not change lies in folders called `browser`, the rest in `ui`.
    { name: 'quick', testDir: 'test/quick', testMatch: '**/*.spec.ts' },
    {
      name: 'browser',
      testDir: 'test/all',
      testMatch: ['browser/**/*.spec.ts', 'ui/**/*.spec.ts'],
    },
    {
      name: 'mock',
      testDir: 'test',
      testMatch: [IN_APP, 'all/desktop/**/*.spec.ts'],
      grepInvert: ONLY_IN_BROWSERS,
      use: { target: 'mock', launchOptions: forApp },
    },
    {
      name: 'pictures',
      testDir: 'test/all',
      snapshotPathTemplate: 'docs/screens/texts/{arg}{ext}',
      testMatch: ['ui/screens.ts', 'desktop/window/screens.ts'],
      use: { launchOptions: forApp },
    },
    {
      name: 'electron',
      testDir: 'test',
      testMatch: IN_APP,
      grepInvert: ONLY_IN_BROWSERS,
      use: { target: 'electron' },
    },
  ],
});
