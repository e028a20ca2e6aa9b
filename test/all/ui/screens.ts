import type { Page } from '@playwright/test';
import type { Repositories } from '../../../gateway/gateway.ts';
import { DEFAULT_VIDEO_REQUEST, OPENAI_FIELD_MAP } from '../../../shared/video/video.ts';
import { nextFreePort } from '../../../host/process/port-owner.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { anId } from '../../kit/videos/video-id.ts';
import { beginChat, chatPath, sendMessage } from '../../kit/ui/chat-steps.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { expectCurrentPicture, savePicture } from '../../kit/ui/picture.ts';
import { agentRequest, seedAgentRuns } from '../../kit/ui/seed/agent-runs.ts';
import { seedHistory, REPAIRED_ID } from '../../kit/ui/seed/history.ts';
import { seedConversations } from '../../kit/ui/seed/conversations.ts';
import type { ConversationIds } from '../../kit/ui/seed/sample-conversation.ts';
import { MODEL_IDS, openDemoService, type DemoService } from '../../kit/ui/demo-service.ts';
import { seedVideos } from '../../kit/ui/seed/video-jobs.ts';

const WIDE = { width: 1440, height: 900 };
const MIDDLE = { width: 900, height: 900 };
const NARROW = { width: 420, height: 900 };
const QUICK = { width: 480, height: 560 };
const EXCHANGES = 10_000;

interface Screen {
  readonly name: string;
  readonly path: string;
  /** The locator that is visible when the screen is ready. */
  readonly shows: string | RegExp;
  readonly widths?: readonly (typeof WIDE)[];
}

const LIVED_IN: readonly Screen[] = [
  { name: 'home', path: '/', shows: 'Claude Code', widths: [WIDE, NARROW] },
  { name: 'models', path: '/models', shows: MODEL_IDS[0] },
  { name: 'history', path: '/history', shows: /\$0\.\d/u, widths: [WIDE, MIDDLE, NARROW] },
  { name: 'exchange', path: `/history?exchange=${REPAIRED_ID}`, shows: REPAIRED_ID },
  { name: 'failed', path: '/history?filter=failed', shows: 'Claude Code' },
  { name: 'usage', path: '/usage?period=30d', shows: 'Hours of the week', widths: [WIDE, NARROW] },
  { name: 'clients', path: '/clients', shows: 'nightly report', widths: [WIDE, MIDDLE] },
  { name: 'settings', path: '/settings', shows: 'Gatehouse 0', widths: [WIDE, NARROW] },
];

const VIDEOS: readonly Screen[] = [
  {
    name: 'videos',
    path: '/videos',
    shows: /checked .* running for/u,
    widths: [WIDE, MIDDLE, NARROW],
  },
  { name: 'video-done', path: 'done', shows: 'SHA-256', widths: [WIDE, NARROW] },
  { name: 'video-unsure', path: 'unsure', shows: 'Order status unknown' },
  {
    name: 'video-question',
    path: 'needs-answer',
    shows: 'Which of these is the id',
    widths: [WIDE, NARROW],
  },
];

const CHATS: readonly Screen[] = [
  { name: 'chat', path: 'main', shows: 'Claim and count', widths: [WIDE, MIDDLE, NARROW] },
  {
    name: 'chat-compare',
    path: 'compare',
    shows: 'the street puts on its mirror',
    widths: [WIDE, NARROW],
  },
  { name: 'chat-math', path: 'math', shows: '∑' },
  { name: 'chat-broken', path: 'broken', shows: 'cut off its answer', widths: [WIDE, NARROW] },
  { name: 'chat-refused', path: 'refused', shows: 'temperature' },
  { name: 'chat-branches', path: 'branches', shows: 'It sorts as text' },
  { name: 'chat-picture', path: 'picture', shows: 'Late afternoon' },
];

const NEW: readonly Screen[] = [
  { name: 'welcome', path: '/welcome', shows: /sandbox/iu, widths: [WIDE, NARROW] },
  { name: 'home-empty', path: '/', shows: 'No requests yet' },
  { name: 'history-empty', path: '/history', shows: 'No requests yet' },
  { name: 'videos-empty', path: '/videos', shows: 'No videos yet' },
];

test('pictures of a harness that is lived in', async ({ page, startHarness }) => {
  test.setTimeout(600_000);
  await using service = await openDemoService();
  let keys: string[] = [];
  const more = async (repositories: Repositories) => {
    keys = await seedHistory(repositories, EXCHANGES);
  };
  // The usual one, if it is free, as on everybody's machine.
  const port = (await nextFreePort(6416)) ?? (await freePort());
  const harness = await startHarness({ ownPort: true, seed: { settings: { port }, more } });
  await connect(harness, service);
  for (const [place, model] of MODEL_IDS.slice(0, 3).entries()) {
    await harness.begin({ localKey: keys[place] ?? '', model, stream: true });
  }
  await takeAll(harness, page, LIVED_IN);
  await harness.open(page, '/');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to' }).fill('claude');
  await take(page, { name: 'palette', shows: 'Chat with anthropic/claude-sonnet-4.5' });
});

test('pictures of the runs of agents', async ({ page, startHarness }) => {
  test.setTimeout(240_000);
  await using service = await openDemoService();
  let ids: readonly string[] = [];
  const more = async (repositories: Repositories) => {
    ids = await seedAgentRuns(repositories);
  };
  const harness = await startHarness({ seed: { more } });
  await connect(harness, service);
  const { runs } = await (await harness.calls()).history.runs({ filter: {}, limit: 10 });
  const run = runs.find(({ clientName }) => clientName === 'Claude Code')?.id ?? '';
  await takeAll(harness, page, [
    {
      name: 'runs',
      path: `/history/runs?run=${run}`,
      shows: 'Call of Agent',
      widths: [WIDE, NARROW],
    },
    { name: 'exchange-bodies', path: `/history?exchange=${ids[3] ?? ''}`, shows: 'Step 4 of' },
  ]);
});

test('pictures of a request that waits', async ({ page, harness }) => {
  await using service = await openDemoService();
  await connect(harness, service);
  const { clients } = await harness.calls();
  const [client] = await clients.list();
  if (client === undefined) throw new Error('There is no client.');
  await clients.hold.next({ id: client.id, seconds: 600 });
  const ended = new AbortController();
  const waiting = harness.ask({
    protocol: 'messages',
    body: agentRequest(MODEL_IDS[0]),
    signal: ended.signal,
  });
  await harness.open(page, '/history');
  await page.getByRole('link', { name: 'Look at it' }).click();
  await take(page, { name: 'hold', shows: 'This request waits for you', widths: [WIDE, NARROW] });
  await page.setViewportSize(WIDE);
  await page.getByRole('button', { name: 'Change it…' }).click();
  await take(page, { name: 'hold-change', shows: 'Send it like this' });
  ended.abort();
  await waiting.catch(() => undefined);
});

test('pictures of videos', async ({ page, startHarness }) => {
  test.setTimeout(600_000);
  await using service = await openDemoService();
  const pictures = await drawPictures(page);
  let ids: ReadonlyMap<string, string> = new Map();
  const more = async (repositories: Repositories) => {
    ids = await seedVideos(repositories, { service: service.url, pictures });
  };
  const harness = await startHarness({ seed: { more } });
  await connect(harness, service);
  await order(harness, pictures);
  await takeAll(
    harness,
    page,
    VIDEOS.map((screen) => {
      const id = ids.get(screen.path);
      const path = `/videos?video=${encodeURIComponent(JSON.stringify(id))}`;
      return id === undefined ? screen : { ...screen, path };
    }),
  );
  await fillForm(harness, page, pictures);
  await take(page, { name: 'video-new', shows: '2 charges', widths: [WIDE, NARROW] });
});

test('pictures of chats', async ({ page, startHarness }) => {
  test.setTimeout(240_000);
  await using service = await openDemoService();
  const [picture = Buffer.alloc(0)] = await drawPictures(page);
  let ids: ConversationIds = new Map();
  const more = async (repositories: Repositories) => {
    ids = await seedConversations(repositories, { picture });
  };
  const harness = await startHarness({ seed: { more } });
  await connect(harness, service);
  await takeAll(
    harness,
    page,
    CHATS.map((screen) => ({ ...screen, path: chatPath(ids.get(screen.path)) })),
  );
  await harness.open(page, '/chat');
  await take(page, { name: 'chat-empty', shows: MODEL_IDS[0] });
  await takeDialogs(harness, page, chatPath(ids.get('main')));
  await takeAnswering(harness, page);
  // The small window has no rail to wait for.
  await page.goto(`${harness.windowUrl}/quick`);
  await take(page, { name: 'quick', shows: MODEL_IDS[0], widths: [QUICK] });
});

/** Screenshots of the dialogs of a conversation, and of the search in all of them. */
async function takeDialogs(harness: Harness, page: Page, path: string): Promise<void> {
  await page.setViewportSize(WIDE);
  await harness.open(page, path);
  await page.getByRole('button', { name: /^Conversation settings/u }).click();
  await take(page, { name: 'chat-settings', shows: 'System prompt' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  await page.getByRole('menuitem', { name: 'As code…' }).click();
  await expect(page.getByRole('menuitem')).toHaveCount(0);
  await take(page, { name: 'chat-code', shows: /127\.0\.0\.1/u });
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Find conversations' }).fill('index');
  await expect(page.locator('mark').first()).toBeVisible();
  await take(page, { name: 'chat-search', shows: /partial index/u });
}

/** Screenshot of an answer in progress. */
async function takeAnswering(harness: Harness, page: Page): Promise<void> {
  await beginChat(harness, page, { lanes: [{ model: MODEL_IDS[0], protocol: 'chat' }] });
  await sendMessage(
    page,
    'Every request of my dashboard waits for a token first. Where do I begin?',
  );
  await take(page, { name: 'chat-streaming', shows: /Cache the token/u });
  await page.keyboard.press('Escape');
}

test('pictures of a new harness', async ({ page, harness }) => {
  test.setTimeout(600_000);
  await takeAll(harness, page, NEW);
});

async function connect(harness: Harness, { url }: DemoService): Promise<void> {
  const { upstreams, models } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const key = 'a-service-key-for-pictures';
  const form = { name: 'Model gateway', baseUrl: url, ...more };
  await upstreams.add({ ...form, key, place: 'file', use: true, untested: true });
  await models.refresh();
}

/** Counts players and images that show nothing yet, and placeholders of parts that are still loading. */
function countUnready(): number {
  const players = [...document.querySelectorAll('video')];
  const images = [...document.querySelectorAll('img')];
  const absent = document.querySelectorAll('button[aria-label$=" in full"]:not(:has(img))');
  const loading = document.querySelectorAll('.mantine-Skeleton-root');
  return (
    loading.length +
    players.filter(({ readyState }) => readyState < HTMLMediaElement.HAVE_CURRENT_DATA).length +
    images.filter(({ complete }) => !complete).length +
    absent.length
  );
}

const SKIES = [
  'linear-gradient(#f3b787, #f7dcc0 42%, #7f93b4 42% 56%, #eef2f7 56%)',
  'radial-gradient(circle at 30% 38%, #ffe7ad 0 7%, transparent 7.5%), linear-gradient(#22325a, #7a5f86 58%, #141f31 58%)',
  'radial-gradient(ellipse at 60% 110%, #3f6b4a 0 55%, transparent 56%), linear-gradient(#9fc9e8, #e9f2dc)',
];

/** Reference images that look like something, each drawn by the browser. */
async function drawPictures(page: Page): Promise<readonly Buffer[]> {
  const pictures: Buffer[] = [];
  await page.setViewportSize({ width: 640, height: 360 });
  for (const sky of SKIES) {
    await page.setContent(`<body style="margin:0;height:360px;background:${sky}">`);
    pictures.push(await page.screenshot());
  }
  return pictures;
}

const PROMPTS = [
  'Steam rises from a cup on the window sill while rain runs down the glass, slow push in.',
  'A kite climbs over the dunes, its tail drawing loops against the clouds.',
  'The night train crosses the viaduct, its windows reflected in the river below.',
  'A potter’s hands raise a bowl from the wheel, macro, warm side light.',
];

/** Orders more than run at once, so that some wait. */
async function order(harness: Harness, pictures: readonly Buffer[]): Promise<void> {
  const { videos, upstreams } = await harness.calls();
  const used = (await upstreams.list()).find(({ active }) => active);
  if (used === undefined) throw new Error('No service is in use.');
  await videos.fields.set({ id: used.id, map: { ...OPENAI_FIELD_MAP, taskId: null } });
  for (const [place, prompt] of PROMPTS.entries()) {
    const picture = pictures[place % pictures.length] ?? Buffer.alloc(0);
    const { upload } = await videos.image.begin({ name: 'still.png', bytes: picture.length });
    await videos.image.append({ upload, base64: picture.toString('base64') });
    const { hash: image } = await videos.image.finish({ upload });
    const video = { ...DEFAULT_VIDEO_REQUEST, prompt, image, waitMinutes: 30 };
    const id = anId();
    await videos.add({ id, video, confirmed: true });
  }
}

async function fillForm(harness: Harness, page: Page, pictures: readonly Buffer[]): Promise<void> {
  await harness.open(page, '/videos/new');
  const files = pictures
    .slice(0, 2)
    .map((buffer, place) => ({ name: `take ${place + 1}.png`, mimeType: 'image/png', buffer }));
  await page.locator('input[type="file"]').setInputFiles(files);
  await page.getByRole('textbox', { name: 'Prompt' }).fill(PROMPTS[0] ?? '');
  // Its type is known when an image is taken in.
  await expect(page.getByText(/B, PNG$/u)).toHaveCount(files.length);
}

async function takeAll(harness: Harness, page: Page, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    await harness.open(page, screen.path);
    await take(page, screen);
  }
}

async function take(page: Page, { name, shows, widths = [WIDE] }: Omit<Screen, 'path'>) {
  for (const size of widths) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      // Narrow pictures are about the room, not about the colours.
      if (size !== WIDE && colorScheme === 'dark') continue;
      await page.emulateMedia({ colorScheme });
      await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible();
      await expect(page.getByText('Connecting…')).toHaveCount(0);
      await expect.poll(() => page.evaluate(countUnready)).toBe(0);
      await savePicture(page, `${name}-${size === WIDE ? colorScheme : size.width}.png`);
    }
    if (size === widths[0]) await expectCurrentPicture(page.locator('body'), name);
  }
}
