import { defineConfig } from '@playwright/test';
import { findChromium } from './test/ui/kit/chromium.ts';
import type { Target } from './test/ui/kit/kit.ts';

const executablePath = findChromium(process.env);

const launchOptions = {
  ...(executablePath === null ? {} : { executablePath }),
  args: ['--no-sandbox', '--disable-background-networking'],
  // Without a language of the system, Chromium has no names for files beyond ASCII.
  env: { ...process.env, LC_ALL: 'C.UTF-8' },
};
/** Electron's ports say when their other end closes; Chromium's do not unless told to. */
const ELECTRON_PORTS = '--enable-blink-features=MessagePortCloseEvent';
const forApp = { ...launchOptions, args: [...launchOptions.args, ELECTRON_PORTS] };

/**
 * Covers links and tabs, settings from the command line, accessibility, and screens that only call the engine: the app does not
 * change these, because its page is the same and every call takes the same way. The others are run in both: files, clipboard,
 * streams, notifications, menus and starts differ there.
 */
const ONLY_IN_BROWSERS = {
  files: [
    'aliases',
    'appearance',
    'bodies',
    'chat-list',
    'chat-thread',
    'compare',
    'connect',
    'engine-gone',
    'entrance',
    'every-screen',
    'first-screen',
    'history-filter',
    'limits',
    'markdown',
    'marks',
    'models',
    'prices',
    'runaway',
    'usage',
    'videos-list',
    'videos-xss',
    'xss',
  ].map((name) => `**/${name}.spec.ts`),
  tests: /@browser|accessible/u,
};

const inMock = {
  testDir: 'test',
  testIgnore: ONLY_IN_BROWSERS.files,
  grepInvert: ONLY_IN_BROWSERS.tests,
  use: { target: 'mock', launchOptions: forApp },
} as const;

/** The window in a real browser, before a real gateway. What a failed test leaves lies in `out/test-ui`. */
export default defineConfig<{ target: Target }>({
  testDir: 'test/ui',
  globalSetup: './test/kit/program.ts',
  outputDir: 'out/test-ui/left',
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  // A test waits for its gateway and for its browser in turn, so one more than the cores of a small machine.
  workers: 3,
  // A test that passes only when repeated has found a fault, in the program or in itself.
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: 'out/test-ui/results.json' }],
    ['./test/ui/kit/not-run.ts'],
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    // Snapshots of the page would fetch what its content security policy forbids. Pictures all along cost a tenth of a test's time.
    trace: { mode: 'retain-on-failure', snapshots: false, screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions,
  },
  projects: [
    { name: 'window', testMatch: '*.spec.ts' },
    { ...inMock, name: 'mock', testMatch: ['ui/**/*.spec.ts', 'desktop/**/*.spec.ts'] },
    {
      name: 'screens',
      snapshotPathTemplate: 'docs/screens/texts/{arg}{ext}',
      testDir: 'test',
      testMatch: ['ui/screens.ts', 'desktop/window/screens.ts'],
      use: { launchOptions: forApp },
    },
    {
      name: 'electron',
      testMatch: '*.spec.ts',
      testIgnore: ONLY_IN_BROWSERS.files,
      grepInvert: ONLY_IN_BROWSERS.tests,
      use: { target: 'electron' },
    },
  ],
});
