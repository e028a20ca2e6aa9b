import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Rooms } from '../../gateway/gateway.ts';
import { nextFreePort } from '../../cli/port.ts';
import { freePort } from '../kit/free-port.ts';
import type { House } from './house.ts';
import { expect, test } from './kit.ts';
import { liveIn, REPAIRED_ID } from './lived-in.ts';
import { MODEL_IDS, openPretendService, type PretendService } from './pretend-service.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'screens');
const WIDE = { width: 1440, height: 900 };
const MIDDLE = { width: 900, height: 900 };
const NARROW = { width: 420, height: 900 };
const EXCHANGES = 10_000;

interface Screen {
  readonly name: string;
  readonly path: string;
  /** What is on it when it is ready. */
  readonly shows: string | RegExp;
  readonly widths?: readonly (typeof WIDE)[];
}

const LIVED_IN: readonly Screen[] = [
  { name: 'home', path: '/', shows: 'Claude Code', widths: [WIDE, NARROW] },
  { name: 'models', path: '/models', shows: MODEL_IDS[0] },
  { name: 'history', path: '/history', shows: /claude-sonnet/u, widths: [WIDE, MIDDLE, NARROW] },
  { name: 'exchange', path: `/history?exchange=${REPAIRED_ID}`, shows: REPAIRED_ID },
  { name: 'failed', path: '/history?outcome=failed', shows: 'Claude Code' },
  { name: 'clients', path: '/clients', shows: 'nightly report', widths: [WIDE, MIDDLE] },
  { name: 'settings', path: '/settings', shows: 'Gatehouse 0', widths: [WIDE, NARROW] },
];

const NEW: readonly Screen[] = [
  { name: 'welcome', path: '/welcome', shows: /sandbox/iu, widths: [WIDE, NARROW] },
  { name: 'home-empty', path: '/', shows: 'http://127.0.0.1' },
  { name: 'history-empty', path: '/history', shows: 'No exchange yet' },
];

test('pictures of a house that is lived in', async ({ page, startHouse }) => {
  test.setTimeout(600_000);
  await using service = await openPretendService();
  let keys: string[] = [];
  const more = async (rooms: Rooms) => {
    keys = await liveIn(rooms, EXCHANGES);
  };
  // The usual one, if it is free, as on everybody's machine.
  const port = (await nextFreePort(6416)) ?? (await freePort());
  const house = await startHouse({ ownPort: true, furniture: { settings: { port }, more } });
  await connect(house, service);
  for (const [place, model] of MODEL_IDS.slice(0, 3).entries()) {
    await house.begin({ localKey: keys[place] ?? '', model, stream: true });
  }
  await takeAll(house, page, LIVED_IN);
});

test('pictures of a new house', async ({ page, house }) => {
  test.setTimeout(600_000);
  await takeAll(house, page, NEW);
});

async function connect(house: House, { url }: PretendService): Promise<void> {
  const { upstreams, models } = await house.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const { id } = await upstreams.add({ name: 'Model gateway', baseUrl: url, ...more });
  await upstreams.saveKey({ id, key: 'a-service-key-for-pictures', place: 'file' });
  await upstreams.use({ id });
  await models.refresh();
}

async function takeAll(house: House, page: Page, screens: readonly Screen[]): Promise<void> {
  for (const { name, path, shows, widths = [WIDE] } of screens) {
    await house.open(page, path);
    for (const size of widths) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        // Narrow pictures are about the room, not about the colours.
        if (size !== WIDE && colorScheme === 'dark') continue;
        await page.emulateMedia({ colorScheme });
        await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible();
        const file = `${name}-${size === WIDE ? colorScheme : size.width}.png`;
        await page.screenshot({ path: join(FOLDER, file), animations: 'disabled' });
      }
    }
  }
}
