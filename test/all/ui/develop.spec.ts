import { once } from 'node:events';
import { Development } from '../../kit/process/development.ts';
import { expect, test } from '../../kit/ui/kit.ts';

const LINK = /Window\s+(http:\/\/127\.0\.0\.1:\d+\/#\S+)/u;
const BASE = /Messages\s+(http:\/\/127\.0\.0\.1:\d+)$/u;

test(
  'under npm run dev the page changes in place, and the engine restarts with the page still signed in',
  { tag: '@browser' },
  async ({ page, provoked }) => {
    test.setTimeout(180_000);
    // While the engine starts again its stream breaks and nobody answers calls; the browser notes each.
    provoked(/status of 50\d|ERR_INCOMPLETE_CHUNKED_ENCODING/u);
    await using development = await Development.start();
    await page.goto(await development.line(LINK));
    await development.line(BASE);
    const rail = page.getByRole('navigation', { name: 'Screens' });
    // The first start bundles the libraries of the page.
    await expect(rail.getByRole('link', { name: 'Home' })).toBeVisible({ timeout: 90_000 });
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

    await development.replace(
      'renderer/layout/navigation-rail.tsx',
      "label: 'Home'",
      "label: 'Harness'",
    );
    await expect(rail.getByRole('link', { name: 'Harness' })).toBeVisible();

    await development.replace(
      'gateway/proxy/inbound/own-requests.ts',
      '"status":"ok"',
      '"status":"new"',
    );
    const health = await fetch(`${await development.line(BASE)}/health`);
    expect(await health.json()).toMatchObject({ status: 'new' });
    await rail.getByRole('link', { name: 'Clients' }).click();
    await expect(page.getByText('First client')).toBeVisible();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBe(true);
    // A page that is left behind would complain that nobody serves it.
    await page.close();
  },
);

test(
  'under npm run dev an engine that fails to start waits for the next change, and Ctrl-C ends everything',
  { tag: '@browser' },
  async () => {
    test.setTimeout(180_000);
    await using development = await Development.start();
    const link = new URL(await development.line(LINK));
    const headers = { origin: 'http://elsewhere.example', 'content-type': 'application/json' };
    const foreign = await fetch(new URL('/rpc/status', link), { method: 'POST', headers });
    expect(foreign.status).toBe(403);
    // Every user of this machine reaches the page's server; another page of the machine may not read from it.
    const page = await fetch(link.origin, { headers: { origin: 'http://localhost:9999' } });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    for (const name of ['serving.json', 'gatehouse.db']) {
      for (const query of ['', '?raw', '?import&raw', '?import&url']) {
        const file = `/@fs${development.dir}/out/dev/data/${name}${query}`;
        expect((await fetch(new URL(file, link))).status, file).toBe(403);
      }
    }
    await development.replace('cli/main.ts', 'import', 'impart');
    await development.line(/The engine ended with exit code 1/u);
    await development.replace('cli/main.ts', 'impart', 'import');
    await development.line(LINK);
    development.child.kill('SIGINT');
    expect(await once(development.child, 'close')).toEqual([0, null]);
    await expect(fetch(link.origin)).rejects.toThrow('fetch failed');
  },
);
