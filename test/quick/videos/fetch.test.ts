import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSandboxClient, readJson, requireText } from '../../kit/sandbox/sandbox-client.ts';
import {
  cutOff,
  sendRemainingFile,
  rangeStart,
  rangeHead,
  redirectTo,
  requireSaved,
  startScriptedFetch,
} from '../../kit/videos/scripted-fetch.ts';
import {
  film,
  openVideoServiceTestBed,
  sha256,
  VIDEO_SERVICE_KEY,
} from '../../kit/videos/video-service-test-bed.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';

const MEGABYTE = 1_000_000;

describe('A finished video', () => {
  test('of the sandbox becomes a file, byte for byte', async () => {
    await using caller = await openSandboxClient();
    const { sandbox } = caller;
    const scene = {
      model: 'h3',
      task: 'ref2va',
      prompt: 'A boat',
      seconds: '2',
      resolution: '480p',
      conditions: [{ type: 'image', url: await caller.upload() }],
    };
    const headers = { 'x-sandbox-render-ms': '0' };
    const taskId = requireText(
      await readJson(await caller.post('/v1/videos', scene, headers)),
      'task_id',
    );
    await using bench = await openVideoServiceTestBed({
      url: sandbox.url,
      key: sandbox.key,
      taskId,
    });
    const progress: [number, number | null][] = [];
    const onProgress = (bytes: number, total: number | null) => void progress.push([bytes, total]);
    const saved = requireSaved(await bench.fetch({ onProgress }));
    const bytes = await readFile(saved.path);
    const { headers: redirect } = await caller.get(`/v1/videos/${taskId}/content`);
    const theirs = await fetch(redirect.get('location') ?? '');
    expect(bytes.equals(Buffer.from(await theirs.arrayBuffer()))).toBe(true);
    expect(saved).toEqual({
      kind: 'saved',
      path: join(bench.plan.folder, 'A boat.mp4'),
      type: 'video/mp4',
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(await readdir(dirname(bench.plan.partFile))).toEqual([]);
  });

  test('is downloaded with the key from the service and without it from elsewhere', async () => {
    await using scripted = await startScriptedFetch();
    const { bench, service, media } = scripted;
    const file = await film();
    const fetching = bench.fetch();
    const first = await service.next();
    expect(first.head).toMatch(/^GET \/v1\/videos\/t1\/content HTTP/);
    expect(first.head.toLowerCase()).toContain('authorization: bearer');
    first.connection.send(redirectTo('/v1/here'));
    const second = await service.next();
    expect(second.head.toLowerCase()).toContain('authorization: bearer');
    second.connection.send(redirectTo(`${media.url}/there`));
    const third = await media.next();
    expect(third.head.toLowerCase()).not.toMatch(/authorization|api-key|cookie/);
    sendRemainingFile(third, file);
    expect(requireSaved(await fetching).sha256).toBe(sha256(file));
  });
});

describe('A download that was cut', () => {
  test.each([
    [['etag: "one"'], 'if-range: "one"'],
    [[], null],
  ] as const)('goes on where it stopped, with %j', async (headers, condition) => {
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const file = await film(2 * MEGABYTE);
    expect(await cutOff(scripted, { file, at: MEGABYTE, headers })).toMatchObject({
      kind: 'retry-later',
      sentence:
        'The download was interrupted after 1,000,000 bytes of 2,000,000; the next attempt resumes there.',
    });
    const fetching = bench.fetch();
    const rest = await scripted.redirected();
    const from = rangeStart(rest);
    expect(from).toBe(MEGABYTE - 65_536);
    if (condition === null) expect(rest.head.toLowerCase()).not.toContain('if-range');
    else expect(rest.head.toLowerCase()).toContain(condition);
    rest.connection.send(rangeHead(file, from, headers));
    rest.connection.send(file.subarray(from));
    const saved = requireSaved(await fetching);
    expect(saved).toMatchObject({ bytes: file.length, sha256: sha256(file) });
    expect((await readFile(saved.path)).equals(file)).toBe(true);
  });

  test('resumes after any number of cuts', async () => {
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const file = await film(MEGABYTE);
    await cutOff(scripted, { file, at: 200_000 });
    for (const more of [1, 70_000, 100_000, 300_000]) {
      const fetching = bench.fetch();
      const rest = await scripted.redirected();
      const from = rangeStart(rest);
      rest.connection.send(rangeHead(file, from));
      rest.connection.send(file.subarray(from, from + more));
      rest.connection.socket.destroySoon();
      expect(await fetching).toMatchObject({ kind: 'retry-later' });
    }
    const fetching = bench.fetch();
    const rest = await scripted.redirected();
    sendRemainingFile(rest, file);
    expect(requireSaved(await fetching).sha256).toBe(sha256(file));
  });

  test('restarts if it had hardly begun', async () => {
    await using scripted = await startScriptedFetch();
    const file = await film(MEGABYTE);
    await cutOff(scripted, { file, at: 5000 });
    const fetching = scripted.bench.fetch();
    const again = await scripted.redirected();
    expect(again.head.toLowerCase()).not.toContain('range:');
    sendRemainingFile(again, file);
    expect(requireSaved(await fetching).sha256).toBe(sha256(file));
  });

  test('is not appended to another file with a different tag', async () => {
    await using scripted = await startScriptedFetch();
    const [file, other] = [await film(MEGABYTE), await film(MEGABYTE)];
    await cutOff(scripted, { file, at: 500_000, headers: ['etag: "one"'] });
    const fetching = scripted.bench.fetch();
    const again = await scripted.redirected();
    expect(again.head.toLowerCase()).toContain('if-range: "one"');
    again.connection.send(rangeHead(other, 0, ['etag: "two"']));
    again.connection.send(other);
    expect(requireSaved(await fetching).sha256).toBe(sha256(other));
  });

  test.each([
    ['of which the bytes tell', (other: Buffer, from: number) => rangeHead(other, from)],
    [
      'of another length',
      (other: Buffer, from: number) =>
        rangeHead(other, from).replace(`/${other.length}`, `/${other.length + 1}`),
    ],
    [
      'from another byte on',
      (other: Buffer, from: number) =>
        rangeHead(other, from).replace(`s ${from}-`, `s ${from + 1}-`),
    ],
    ['out of range', () => 'HTTP/1.1 416 No\r\ncontent-length: 0\r\n\r\n'],
  ])('is not appended to another file %s', async (_name, head) => {
    await using scripted = await startScriptedFetch();
    const [file, other] = [await film(MEGABYTE), await film(MEGABYTE)];
    await cutOff(scripted, { file, at: 500_000 });
    const fetching = scripted.bench.fetch();
    const rest = await scripted.redirected();
    const answer = head(other, rangeStart(rest));
    rest.connection.send(answer);
    if (answer.includes(' 206 ')) rest.connection.send(other.subarray(rangeStart(rest)));
    const again = await scripted.redirected();
    expect(again.head.toLowerCase()).not.toContain('range:');
    sendRemainingFile(again, other);
    expect(requireSaved(await fetching).sha256).toBe(sha256(other));
  });

  test('by an abort resumes, too', async () => {
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const file = await film(MEGABYTE);
    await cutOff(scripted, { file, at: 200_000 });
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('Gatehouse stops.'));
    const fetching = bench.fetch({ onProgress }, stop.signal);
    const { connection, ...first } = await scripted.redirected();
    const from = rangeStart({ connection, ...first });
    connection.send(rangeHead(file, from));
    connection.send(file.subarray(from, 300_000));
    await expect(fetching).rejects.toThrow('Gatehouse stops.');
    await connection.closed;
    const again = bench.fetch();
    const rest = await scripted.redirected();
    expect(rangeStart(rest)).toBeGreaterThanOrEqual(from);
    sendRemainingFile(rest, file);
    expect(requireSaved(await again).sha256).toBe(sha256(file));
  });

  test('by a power cut resumes from what had certainly reached the disk', async () => {
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const file = await film(MEGABYTE);
    await cutOff(scripted, { file, at: 200_000 });
    // A file system may leave behind a length without its bytes.
    await appendFile(bench.plan.partFile, Buffer.alloc(2 * MEGABYTE));
    const fetching = bench.fetch();
    const rest = await scripted.redirected();
    expect(rangeStart(rest)).toBe(200_000 - 65_536);
    sendRemainingFile(rest, file);
    const { path } = requireSaved(await fetching);
    expect((await readFile(path)).equals(file)).toBe(true);
  });

  test.each([
    ['damaged', '{"safe": 400000'],
    [
      'that promises more than there is',
      '{"etag":null,"lastModified":null,"total":null,"safe":9999999}',
    ],
    ['that is gone', null],
  ])('restarts with a note %s', async (_name, note) => {
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const file = await film(MEGABYTE);
    await cutOff(scripted, { file, at: 400_000 });
    const path = `${bench.plan.partFile}.json`;
    await (note === null ? rm(path) : writeFile(path, note));
    const fetching = bench.fetch();
    const again = await scripted.redirected();
    expect(again.head.toLowerCase()).not.toContain('range:');
    sendRemainingFile(again, file);
    expect(requireSaved(await fetching).sha256).toBe(sha256(file));
  });

  test('and made no progress ends after a while, and resumes later', async () => {
    await using scripted = await startScriptedFetch({ limits: { fetchIdleMs: 2_000 } });
    const file = await film(MEGABYTE);
    const fetching = scripted.bench.fetch();
    const { connection } = await scripted.redirected();
    connection.send(rangeHead(file));
    connection.send(file.subarray(0, 300_000));
    expect(await fetching).toMatchObject({ kind: 'retry-later' });
    await connection.closed;
    const silent = scripted.bench.fetch();
    expect(rangeStart(await scripted.redirected())).toBe(300_000 - 65_536);
    expect(await silent).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining('did not begin to send the video'),
    });
  });
});

describe('A response that is not a video is never saved', () => {
  const page = '<!DOCTYPE html><title>Sign in</title>';

  test.each([
    [
      'a page',
      `HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 37\r\n\r\n${page}`,
      'a web page',
    ],
    ['JSON', jsonAnswer(200, { status: 'completed' }), 'a JSON document'],
    ['text', 'HTTP/1.1 200 OK\r\n\r\nNot yet', 'a file that is not a video'],
    ['nothing', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'nothing at all'],
    ['an image', 'HTTP/1.1 200 OK\r\n\r\nGIF89a\x01\x00\x01\x00', 'a file of type image/gif'],
  ])('if it is %s with status 200', async (_name, answer, words) => {
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const fetching = bench.fetch();
    const { connection } = await scripted.redirected();
    connection.send(answer);
    connection.socket.end();
    const fetched = await fetching;
    expect(fetched).toMatchObject({ kind: 'not-a-video', status: 200 });
    expect('sentence' in fetched && fetched.sentence).toContain(words);
    expect(await readdir(bench.folder)).toEqual(['parts']);
  });

  test.each([
    [403, 'address-expired'],
    [404, 'address-expired'],
    [410, 'address-expired'],
    [429, 'retry-later'],
    [500, 'retry-later'],
    [204, 'retry-later'],
    [206, 'retry-later'],
  ])('if the server answers %i: %s', async (status, kind) => {
    await using scripted = await startScriptedFetch();
    const fetching = scripted.bench.fetch();
    (await scripted.redirected()).connection.send(
      jsonAnswer(status, status === 204 ? {} : { error: { message: 'Gone.' } }, ['retry-after: 9']),
    );
    expect(await fetching).toMatchObject({ kind, status, retryAfterMs: 9000 });
    expect(await readdir(scripted.bench.folder)).toEqual(['parts']);
  });

  test.each([401, 404, 409, 500])('if the service itself answers %i', async (status) => {
    await using scripted = await startScriptedFetch();
    const fetching = scripted.bench.fetch();
    const { connection } = await scripted.service.next();
    connection.send(jsonAnswer(status, { error: { message: 'Not yet.' } }));
    expect(await fetching).toMatchObject({
      kind: 'retry-later',
      status,
      sentence: `The service answered with ${status} instead of the video: Not yet.`,
      text: '{"error":{"message":"Not yet."}}',
    });
  });

  test('if the service repeats the key, which is not shown', async () => {
    await using scripted = await startScriptedFetch();
    const fetching = scripted.bench.fetch();
    const { connection } = await scripted.service.next();
    connection.send(jsonAnswer(401, { error: { message: `Bad key ${VIDEO_SERVICE_KEY}.` } }));
    const fetched = await fetching;
    expect(fetched).toMatchObject({ status: 401, text: expect.stringContaining('Bad key') });
    expect(JSON.stringify(fetched)).not.toContain(VIDEO_SERVICE_KEY);
  });

  test('if the service on the internet redirects to this machine', async () => {
    await using scripted = await startScriptedFetch({ privateAllowed: false });
    const fetching = scripted.bench.fetch();
    (await scripted.service.next()).connection.send(redirectTo(`${scripted.media.url}/v.mp4`));
    const fetched = await fetching;
    expect(fetched).toMatchObject({ kind: 'retry-later' });
    expect('sentence' in fetched && fetched.sentence).toContain('of this machine');
    expect(scripted.media.arrivals).toEqual([]);
  });

  test('if the redirect leads to Gatehouse', async () => {
    await using media = await openUpstream();
    await using scripted = await startScriptedFetch({ ownPorts: new Set([media.port]) });
    const fetching = scripted.bench.fetch();
    (await scripted.service.next()).connection.send(redirectTo(`${media.url}/v.mp4`));
    expect(await fetching).toMatchObject({ kind: 'retry-later' });
    expect(media.arrivals).toEqual([]);
  });

  test('if there is no key', async () => {
    await using scripted = await startScriptedFetch({ key: null });
    expect(await scripted.bench.fetch()).toMatchObject({
      kind: 'retry-later',
      sentence: 'There is no service key. Nothing was sent.',
    });
    expect(scripted.service.arrivals).toEqual([]);
  });
});

describe('An incomplete file', () => {
  test('is not accepted as complete when its length is unknown', async () => {
    await using scripted = await startScriptedFetch();
    const file = await film(MEGABYTE);
    const fetching = scripted.bench.fetch();
    const { connection } = await scripted.redirected();
    connection.send('HTTP/1.1 200 OK\r\n\r\n');
    connection.send(file.subarray(0, 700_000));
    connection.socket.end();
    expect(await fetching).toMatchObject({ kind: 'retry-later' });
    expect(await readdir(scripted.bench.folder)).toEqual(['parts']);
    expect(await readdir(dirname(scripted.bench.plan.partFile))).toEqual([]);
  });

  test('is rejected when the service says that this is all of it', async () => {
    await using scripted = await startScriptedFetch();
    const file = (await film(MEGABYTE)).subarray(0, 700_000);
    const fetching = scripted.bench.fetch();
    sendRemainingFile(await scripted.redirected(), file);
    expect(await fetching).toMatchObject({ kind: 'not-a-video' });
  });

  test('becomes a video when it turns out to be complete, although its length was unknown', async () => {
    await using scripted = await startScriptedFetch();
    const file = await film(MEGABYTE);
    const fetching = scripted.bench.fetch();
    const { connection } = await scripted.redirected();
    connection.send('HTTP/1.1 200 OK\r\n\r\n');
    connection.send(file);
    connection.socket.end();
    expect(requireSaved(await fetching).sha256).toBe(sha256(file));
  });
});
