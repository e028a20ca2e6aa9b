import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
} from '@playwright/test';
import { findChromium } from '../test/ui/kit/chromium.ts';
import { signIn, type WindowSession, applySession } from '../test/ui/kit/window-session.ts';

/** By then a screen has fetched what it shows later, such as its chart. */
const SETTLE_MS = 3_000;

/** A browser that is in the window of one Gatehouse. Disposing it ends it. */
export interface BrowserSession extends AsyncDisposable {
  /** A page in a browser that has been here never before: nothing is cached. */
  openFreshPage(): Promise<Page>;
}

/** Opens a browser and lets it in; `null` where no browser of the Chromium family is installed. */
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

/** Milliseconds from the start of a visit to the first thing seen. */
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

/** Loads a page and adds up its scripts and style sheets, each packed by gzip. In bytes. */
export async function measureCompressedSize(page: Page, url: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (/\.(?:js|css)$/.test(new URL(request.url()).pathname)) sizes.push(compressedSize(request));
  });
  await page.goto(url);
  // The stream of events never ends, so the network is never idle.
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
