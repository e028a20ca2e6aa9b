import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OTHER_FIELDS } from '../../../sandbox/fields.ts';
import { play, PLAYER_INSTALLED } from '../../kit/process/player.ts';
import {
  type SandboxClient,
  openSandboxClient,
  readJson,
  requireText,
} from '../../kit/sandbox/sandbox-client.ts';

/** Orders a video that is finished immediately, unless a scenario in its prompt changes that. */
async function order(caller: SandboxClient, words: string, image?: string): Promise<Response> {
  const [first = ''] = words.split(' ');
  const atOnce = /^(?:render-ms|gate)/u.test(first) ? [] : ['render-ms=0'];
  const marks = [...atOnce, ...words.split(' ')].map((word) => `[scenario ${word}]`);
  return await caller.post('/v1/videos', {
    model: 'h3',
    task: 'ref2va',
    prompt: `A cat looks at the sea. ${marks.join(' ')}`,
    seconds: '1',
    resolution: '480p',
    conditions: [{ type: 'image', url: image ?? (await caller.upload()) }],
  });
}

/** Orders a video and returns the path of the task. */
async function ordered(caller: SandboxClient, words: string): Promise<string> {
  const answer = await order(caller, words);
  expect(answer.status).toBe(200);
  const [latest] = caller.sandbox.orders.slice(-1);
  return `/v1/videos/${latest?.id}`;
}

async function contentOf(caller: SandboxClient, task: string): Promise<string> {
  const answer = await caller.get(`${task}/content`);
  expect(answer.status).toBe(302);
  return answer.headers.get('location') ?? '';
}

async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < times; n += 1) all.push((await ask()).status);
  return all;
}

test.for([
  ['order-error', 500],
  ['order-broken', 200],
  ['order-huge', 200],
] as const)(
  '%s accepts and charges the order, but the answer is unusable',
  async ([words, status]) => {
    await using caller = await openSandboxClient();
    const answer = await order(caller, words);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    if (words === 'order-broken') expect(() => JSON.parse(text)).toThrow();
    if (words === 'order-huge') expect(text.length).toBeGreaterThan(4 * 2 ** 20);
    expect(caller.sandbox.charges).toBe(1);
    const [taken] = caller.sandbox.orders;
    expect((await caller.get(`/v1/videos/${taken?.id}`)).status).toBe(200);
  },
);

test('lost-answer in a prompt accepts the order and sends no answer', async () => {
  await using caller = await openSandboxClient();
  await expect(order(caller, 'lost-answer')).rejects.toThrow();
  expect(caller.sandbox.orders).toHaveLength(1);
});

test('an unknown scenario in a prompt is refused and not charged', async () => {
  await using caller = await openSandboxClient();
  expect((await order(caller, 'nonsense')).status).toBe(400);
  expect(caller.sandbox.orders).toHaveLength(0);
});

test('no-id omits the id in the answer to the order', async () => {
  await using caller = await openSandboxClient();
  const [answer] = [await readJson(await order(caller, 'no-id'))];
  expect(JSON.stringify(answer)).not.toContain(caller.sandbox.orders[0]?.id);
});

test('both ids of two-ids are valid, only one of decoy-ids is', async () => {
  await using caller = await openSandboxClient();
  const two = await readJson(await order(caller, 'two-ids'));
  for (const name of ['task_id', 'run']) {
    expect((await caller.get(`/v1/videos/${requireText(two, name)}`)).status).toBe(200);
  }
  const decoys = await readJson(await order(caller, 'decoy-ids'));
  expect((await caller.get(`/v1/videos/${requireText(decoys, 'task_id')}`)).status).toBe(200);
  expect((await caller.get(`/v1/videos/${requireText(decoys, 'request')}`)).status).toBe(404);
});

test('numeric-id is a number in every answer, and exact in the path', async () => {
  await using caller = await openSandboxClient();
  const answer = await (await order(caller, 'numeric-id=19')).text();
  const id = /"task_id":(\d{19}),/.exec(answer)?.[1] ?? '';
  const poll = await caller.get(`/v1/videos/${id}`);
  expect(await poll.text()).toContain(`"task_id":${id},`);
});

test.for(['error-polls=2', 'html-polls=2', 'broken-polls=2', 'huge-polls=2'])(
  '%s affects exactly two polls',
  async (words) => {
    await using caller = await openSandboxClient();
    const task = await ordered(caller, words);
    for (const spoilt of [true, true, false]) {
      const answer = await caller.get(task);
      const text = await answer.text();
      const isFine = answer.status === 200 && text.startsWith('{"') && text.endsWith('}');
      expect(isFine && text.length < 1000).toBe(!spoilt);
    }
  },
);

test('busy-polls answers 429 with Retry-After for the requested time', async () => {
  await using caller = await openSandboxClient();
  const task = await ordered(caller, 'busy-polls=100');
  const busy = await caller.get(task);
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1']);
  let status = 429;
  while (status === 429) status = (await caller.get(task)).status;
  expect(status).toBe(200);
});

test('forgets-task=3 finds the task twice, then neither it nor its content', async () => {
  await using caller = await openSandboxClient();
  const task = await ordered(caller, 'forgets-task=3');
  expect(await statuses(4, () => caller.get(task))).toEqual([200, 200, 404, 404]);
  expect((await caller.get(`${task}/content`)).status).toBe(404);
});

test('own-words has other status names for waiting, rendering and failed tasks', async () => {
  await using caller = await openSandboxClient();
  const status = async (path: string) => (await readJson(await caller.get(path)))['status'];
  expect(await status(await ordered(caller, 'render-ms=600000 own-words'))).toBe('brewing');
  const task = await ordered(caller, 'gate=1 own-words other-reason');
  expect(await status(task)).toBe('painting');
  caller.sandbox.openGate(1);
  expect(await status(task)).toBe('spoiled');
  const record = await readJson(await caller.get(task));
  expect(record).toMatchObject({
    note: expect.any(String),
    outcome: { lines: [expect.any(String)] },
  });
});

test('progress and cost are sent with either set of field names', async () => {
  await using caller = await openSandboxClient();
  const task = await ordered(caller, 'tells-progress tells-cost');
  expect(await readJson(await caller.get(task))).toMatchObject({ progress: 100, cost: 0.1 });
  const other = await readJson(await caller.get(task, { 'x-sandbox-fields': 'other' }));
  expect(other).toMatchObject({ [OTHER_FIELDS.progress]: 100, [OTHER_FIELDS.cost]: 0.1 });
});

test('local-link redirects the content to another port of this machine', async () => {
  await using caller = await openSandboxClient();
  const task = await ordered(caller, 'local-link=4711');
  expect(await contentOf(caller, task)).toBe('http://127.0.0.1:4711/video.mp4');
});

test('a URL of link-once works once, one of link-expires for its time; each request gets a new one', async () => {
  await using caller = await openSandboxClient();
  const once = await ordered(caller, 'link-once');
  for (let n = 0; n < 2; n += 1) {
    const link = await contentOf(caller, once);
    expect(await statuses(2, () => fetch(link))).toEqual([200, 403]);
  }
  const expires = await ordered(caller, 'link-expires=0');
  expect((await fetch(await contentOf(caller, expires))).status).toBe(403);
  const lasts = await ordered(caller, 'link-expires=60000');
  const link = await contentOf(caller, lasts);
  expect(await statuses(2, () => fetch(link))).toEqual([200, 200]);
});

test('html-content and error-content affect the first downloads', async () => {
  await using caller = await openSandboxClient();
  const page = await contentOf(caller, await ordered(caller, 'html-content=1'));
  const first = await fetch(page);
  expect([first.status, first.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  expect((await fetch(page)).headers.get('content-type')).toBe('video/mp4');
  const error = await contentOf(caller, await ordered(caller, 'error-content=1'));
  expect(await statuses(2, () => fetch(error))).toEqual([500, 200]);
});

test('cut-content can be completed with ranges', async () => {
  await using caller = await openSandboxClient();
  const link = await contentOf(caller, await ordered(caller, 'cut-content=3000'));
  const [taken] = caller.sandbox.orders;
  if (!taken) throw new Error('There is no order.');
  const file = await caller.sandbox.video(taken);
  const got: Buffer[] = [];
  const size = () => got.reduce((sum, { length }) => sum + length, 0);
  while (size() < file.length) {
    const answer = await fetch(link, { headers: { range: `bytes=${size()}-` } });
    const before = size();
    await readUntilCut(answer, got);
    expect(size() - before).toBeLessThanOrEqual(3000);
  }
  expect(Buffer.concat(got).equals(file)).toBe(true);
});

async function readUntilCut(answer: Response, into: Buffer[]): Promise<void> {
  try {
    for await (const chunk of answer.body ?? []) into.push(Buffer.from(chunk));
  } catch {
    // This is the requested failure.
  }
}

test('no-range answers a range with the complete file', async () => {
  await using caller = await openSandboxClient();
  const link = await contentOf(caller, await ordered(caller, 'no-range'));
  const answer = await fetch(link, { headers: { range: 'bytes=10-' } });
  expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, null]);
});

test('slow-content limits the rate', async () => {
  await using caller = await openSandboxClient();
  const before = performance.now();
  const link = await contentOf(caller, await ordered(caller, 'slow-content=10000'));
  const bytes = await (await fetch(link)).arrayBuffer();
  expect(performance.now() - before).toBeGreaterThan((bytes.byteLength / 10_000) * 1000 * 0.8);
});

/** Uploads a file with this name and returns the answer. */
async function upload({ sandbox }: SandboxClient, name: string): Promise<Response> {
  const body = new FormData();
  body.append('file', new File(['not really an image'], name, { type: 'image/png' }));
  const headers = { authorization: `Bearer ${sandbox.key}` };
  return await fetch(`${sandbox.url}/v1/files`, { method: 'POST', headers, body });
}

test('scenarios in a file name set the number of URLs and uses', async () => {
  await using caller = await openSandboxClient();
  const count = async (name: string) =>
    (await (await upload(caller, name)).text()).match(/"http:/g)?.length ?? 0;
  expect(await count('cat.png')).toBe(1);
  expect(await count('cat [scenario two-urls].png')).toBe(2);
  expect(await count('cat [scenario no-url].png')).toBe(0);
  const once = requireText(
    await readJson(await upload(caller, '[scenario file-once].png')),
    'file_url',
  );
  expect((await order(caller, 'render-ms=0', once)).status).toBe(200);
  expect((await order(caller, 'render-ms=0', once)).status).toBe(400);
  expect(caller.sandbox.uploads).toBe(4);
});

test('every video is a different, playable file', async () => {
  await using caller = await openSandboxClient();
  const hashes = new Set<string>();
  for (let n = 0; n < 2; n += 1) {
    const task = await ordered(caller, 'render-ms=0');
    const bytes = Buffer.from(await (await fetch(await contentOf(caller, task))).arrayBuffer());
    if (PLAYER_INSTALLED)
      expect(play(bytes)).toEqual({ found: ['12', '1.000000'], complaints: '' });
    hashes.add(createHash('sha256').update(bytes).digest('hex'));
  }
  expect(hashes.size).toBe(2);
});

/** A temporary folder, removed when disposed. */
async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-sandbox-'));
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true }),
  };
}

test('a sandbox with the same folder continues with tasks and files', async () => {
  await using folder = await openFolder();
  const options = { folder: folder.path };
  const before = await openSandboxClient(options);
  const image = await before.upload();
  await order(before, 'render-ms=200 own-words two-ids', image);
  await before.sandbox.close();
  await using after = await openSandboxClient(options);
  expect(after.sandbox.orders).toEqual(before.sandbox.orders);
  const [taken] = after.sandbox.orders;
  expect((await after.get(`/v1/videos/${taken?.alias}`)).status).toBe(200);
  const words = new Set<unknown>();
  while (!words.has('completed')) {
    words.add((await readJson(await after.get(`/v1/videos/${taken?.id}`)))['status']);
  }
  const content = await fetch(await contentOf(after, `/v1/videos/${taken?.id}`));
  if (!taken) throw new Error('The order is lost.');
  const file = await after.sandbox.video(taken);
  expect(Buffer.from(await content.arrayBuffer()).equals(file)).toBe(true);
  // The URL of the first run is still valid for an order, and the bytes are stored.
  expect((await order(after, 'render-ms=0', image)).status).toBe(200);
  const moved = after.sandbox.mediaUrl + new URL(image).pathname;
  expect(await (await fetch(moved)).text()).toBe('not really an image');
});

test.for(['videos.json', 'files.json'])(
  'a damaged %s counts as empty and is logged',
  async (name) => {
    await using folder = await openFolder();
    const before = await openSandboxClient({ folder: folder.path });
    await order(before, 'render-ms=0');
    await before.sandbox.close();
    await writeFile(join(folder.path, name), '[{"id":');
    const logged: string[] = [];
    const log = (message: string) => void logged.push(message);
    await using after = await openSandboxClient({ folder: folder.path, log });
    expect(logged).toEqual([expect.stringContaining(name)]);
    expect(after.sandbox.orders).toHaveLength(name === 'videos.json' ? 0 : 1);
    expect((await order(after, 'render-ms=0')).status).toBe(200);
  },
);

test('a folder that cannot be written is logged, and the sandbox continues to work', async () => {
  await using folder = await openFolder();
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  await using caller = await openSandboxClient({ folder: join(file, 'sandbox'), log });
  await ordered(caller, 'render-ms=0');
  expect(logged.join('\n')).toContain('cannot write');
});

test('a render waits at its gate, also in the next sandbox, until it is opened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sandbox-'));
  try {
    let task: string;
    {
      await using caller = await openSandboxClient({ folder });
      task = await ordered(caller, 'gate=3');
      expect((await caller.get(`${task}/content`)).status).toBe(409);
    }
    await using caller = await openSandboxClient({ folder });
    expect((await caller.get(`${task}/content`)).status).toBe(409);
    caller.sandbox.openGate(4);
    expect((await caller.get(`${task}/content`)).status).toBe(409);
    caller.sandbox.openGate(3);
    expect((await caller.get(`${task}/content`)).status).toBe(302);
  } finally {
    await rm(folder, { recursive: true });
  }
});
