import { expect, test } from 'vitest';
import { DEFAULT_FIELDS, OTHER_FIELDS } from '../../../sandbox/fields.ts';
import {
  type SandboxClient,
  openSandboxClient,
  readJson,
  requireText,
} from '../../kit/sandbox/sandbox-client.ts';

const SCENE = {
  model: 'h3',
  task: 'ref2va',
  prompt: 'A cat looks at the sea.',
  seconds: '4',
  resolution: '480p',
};

const AT_ONCE = { 'x-sandbox-render-ms': '0' };

async function scene(caller: SandboxClient, changes: object = {}): Promise<object> {
  return { ...SCENE, conditions: [{ type: 'image', url: await caller.upload() }], ...changes };
}

async function submit(
  caller: SandboxClient,
  changes: object = {},
  headers: Record<string, string> = AT_ONCE,
) {
  const answer = await caller.post('/v1/videos', await scene(caller, changes), headers);
  expect(answer.status).toBe(200);
  return readJson(answer);
}

/** Returns the URL of a finished video on the media origin. */
async function finished(caller: SandboxClient, seconds = '4'): Promise<string> {
  const id = requireText(await submit(caller, { seconds }), 'task_id');
  const answer = await caller.get(`/v1/videos/${id}/content`);
  expect(answer.status).toBe(302);
  return answer.headers.get('location') ?? '';
}

test.for([
  ['seconds as a number', { seconds: 4 }],
  ['seconds of 0', { seconds: '0' }],
  ['seconds of 61', { seconds: '61' }],
  ['seconds with a unit', { seconds: '4s' }],
  ['no prompt', { prompt: undefined }],
  ['another task', { task: 'txt2va' }],
  ['another resolution', { resolution: '8k' }],
  ['no conditions', { conditions: [] }],
  ['a condition of another type', { conditions: [{ type: 'audio', url: 'x' }] }],
  ['a foreign image', { conditions: [{ type: 'image', url: 'https://example.com/cat.png' }] }],
  ['a text model', { model: 'ember-mini' }],
] as const)('a submission with %s gets 400 and costs nothing', async ([, changes]) => {
  await using caller = await openSandboxClient();
  const answer = await caller.post('/v1/videos', await scene(caller, changes));
  expect(answer.status).toBe(400);
  expect(caller.sandbox.charges).toBe(0);
});

test('an unknown video model gets 404 and a form gets 400', async () => {
  await using caller = await openSandboxClient();
  const unknown = await caller.post('/v1/videos', await scene(caller, { model: 'h4' }));
  expect(unknown.status).toBe(404);
  const { url, key } = caller.sandbox;
  const form = new FormData();
  form.append('prompt', 'x');
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/videos`, { method: 'POST', headers, body: form });
  expect(answer.status).toBe(400);
});

test('every order is a new task and a new charge', async () => {
  await using caller = await openSandboxClient();
  const ids = [await submit(caller), await submit(caller)].map((body) => body['task_id']);
  expect(new Set(ids).size).toBe(2);
  expect(caller.sandbox.charges).toBe(2);
});

test('a lost answer leaves a task and a charge behind', async () => {
  await using caller = await openSandboxClient();
  const headers = { 'x-sandbox-scenario': 'lost-answer' };
  const body = await scene(caller);
  await expect(caller.post('/v1/videos', body, headers)).rejects.toThrow();
  expect(caller.sandbox.charges).toBe(1);
});

test('a task waits, is processed and completes; only then it has content', async () => {
  await using caller = await openSandboxClient();
  const task = await submit(caller, {}, { 'x-sandbox-render-ms': '1000' });
  const path = `/v1/videos/${requireText(task, 'task_id')}`;
  expect(task['status']).toBe(DEFAULT_FIELDS.waiting);
  expect((await caller.get(`${path}/content`)).status).toBe(409);
  const states = new Set<unknown>();
  while (!states.has('completed')) states.add((await readJson(await caller.get(path)))['status']);
  expect([...states]).toEqual([DEFAULT_FIELDS.waiting, DEFAULT_FIELDS.processing, 'completed']);
  expect((await caller.get(`${path}/content`)).status).toBe(302);
});

test('a prompt with "fail" fails with a reason, in either set of field names', async () => {
  await using caller = await openSandboxClient();
  const id = requireText(await submit(caller, { prompt: 'Let it fail' }), 'task_id');
  const path = `/v1/videos/${id}`;
  const own = await readJson(await caller.get(path));
  expect(own['status']).toBe(DEFAULT_FIELDS.failed);
  expect(own[DEFAULT_FIELDS.failureReason]).toEqual(expect.any(String));
  const other = await readJson(await caller.get(path, { 'x-sandbox-fields': 'other' }));
  expect(other[OTHER_FIELDS.taskId]).toBe(id);
  expect(other['status']).toBe(OTHER_FIELDS.failed);
  expect(other[OTHER_FIELDS.failureReason]).toEqual(expect.any(String));
  expect((await caller.get(`${path}/content`)).status).toBe(409);
});

test('an unknown task gets 404', async () => {
  await using caller = await openSandboxClient();
  expect((await caller.get('/v1/videos/task-1')).status).toBe(404);
  expect((await caller.get('/v1/videos/task-1/content')).status).toBe(404);
});

test('redirect-loop redirects the content to itself', async () => {
  await using caller = await openSandboxClient();
  const id = requireText(await submit(caller), 'task_id');
  const path = `/v1/videos/${id}/content`;
  const answer = await caller.get(path, { 'x-sandbox-scenario': 'redirect-loop' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, path]);
});

test('the content is on another origin, which refuses a leaked credential', async () => {
  await using caller = await openSandboxClient();
  const location = await finished(caller);
  expect(new URL(location).origin).toBe(caller.sandbox.mediaUrl);
  expect(caller.sandbox.mediaUrl).not.toBe(caller.sandbox.url);
  for (const name of ['authorization', 'x-api-key']) {
    const leaked = await fetch(location, { headers: { [name]: 'secret' } });
    expect(leaked.status).toBe(400);
  }
  const plain = await fetch(location);
  expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'video/mp4']);
});

test.for([
  ['bytes=0-0', 0, 1],
  ['bytes=10-19', 10, 20],
  ['bytes=1000-', 1000, undefined],
  ['bytes=-7', -7, undefined],
  ['bytes=5-99999999', 5, undefined],
] as const)('the range %s is answered with 206 and just those bytes', async ([range, from, to]) => {
  await using caller = await openSandboxClient();
  const location = await finished(caller);
  const file = Buffer.from(await (await fetch(location)).arrayBuffer());
  const answer = await fetch(location, { headers: { range } });
  expect(answer.status).toBe(206);
  const expected = file.subarray(from, to);
  expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true);
  const first = from < 0 ? file.length + from : from;
  const last = first + expected.length - 1;
  expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${file.length}`);
});

test('a range outside the file gets 416 with the size; an invalid one is ignored', async () => {
  await using caller = await openSandboxClient();
  const location = await finished(caller);
  const outside = await fetch(location, { headers: { range: 'bytes=99999999-' } });
  expect(outside.status).toBe(416);
  expect(outside.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
  for (const range of ['bytes=9-5', 'lines=1-2', 'bytes=0-1,4-5']) {
    expect((await fetch(location, { headers: { range } })).status).toBe(200);
  }
});

test('an uploaded file is served completely and by range', async () => {
  await using caller = await openSandboxClient();
  const address = await caller.upload();
  const answer = await fetch(address);
  expect(answer.headers.get('content-type')).toBe('image/png');
  expect(await answer.text()).toBe('not really an image');
  const part = await fetch(address, { headers: { range: 'bytes=4-9' } });
  expect(await part.text()).toBe('really');
});
