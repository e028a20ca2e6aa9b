import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
} from '@playwright/test';
import { findChromium } from '../test/kit/ui/chromium.ts';
import { signIn, type WindowSession, applySession } from '../test/kit/ui/window-session.ts';

/** Time until a screen has fetched the parts that it loads lazily, such as its chart. */
const SETTLE_MS = 3_000;

/** A browser with access to the window of one Gatehouse. Disposing it closes the browser. */
export interface BrowserSession extends AsyncDisposable {
  /** Opens a page in a new browser context, in which nothing is cached. */
  openFreshPage(): Promise<Page>;
}

/** Opens a browser and the window in it; `null` where no Chromium-based browser is installed. */
export async function openBrowserSession(link: string): Promise<BrowserSession | null> {
  const executablePath = findChromium(process.env);
  if (executablePath === null) return null;
  const args = ['--no-sandbox', '--disable-background-networking'];
  const browser = await chromium.launch({ executablePath, args });
  const entry = await signIn(link);
  await finishFirstSteps(entry);
  return {
    openFreshPage: async () => await newPage(browser, entry),
    [Symbol.asyncDispose]: async () => await browser.close(),
  };
}

/** Returns the milliseconds from the start of navigation to the first contentful paint. */
export async function measureFirstPaint(page: Page): Promise<number> {
  return await page.evaluate(
    async () =>
      await new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const [entry] = list.getEntriesByName('first-contentful-paint');
          if (entry !== undefined) resolve(entry.startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

/** Returns the milliseconds from the start of navigation until the screen shows its panels instead of placeholders. */
export async function measureFirstPanel(page: Page): Promise<number> {
  return await page.evaluate(
    async () =>
      await new Promise<number>((resolve) => {
        const look = (): void => {
          if (document.querySelector('main h2') === null) requestAnimationFrame(look);
          else resolve(performance.now());
        };
        look();
      }),
  );
}

/** Loads a page and returns the total size of its scripts and style sheets in bytes, each compressed by gzip. */
export async function measureCompressedSize(page: Page, url: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (/\.(?:js|css)$/.test(new URL(request.url()).pathname)) sizes.push(compressedSize(request));
  });
  await page.goto(url);
  // The event stream never ends, so the network never becomes idle.
  await pause(SETTLE_MS);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function compressedSize(request: Request): Promise<number> {
  const answer = await request.response();
  return answer === null ? 0 : gzipSync(await answer.body()).length;
}

async function newPage(browser: Browser, entry: WindowSession): Promise<Page> {
  const context: BrowserContext = await browser.newContext();
  await applySession(entry, context);
  return await context.newPage();
}

async function finishFirstSteps({ origin, headers }: WindowSession): Promise<void> {
  const answer = await fetch(`${origin}/rpc/settings/change`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ json: { setUp: true } }),
  });
  if (!answer.ok) throw new Error(`The first steps could not be ended: ${await answer.text()}`);
}
