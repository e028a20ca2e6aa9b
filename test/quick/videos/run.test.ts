import { readFile, rm } from 'node:fs/promises';
import { assert, describe, expect, test } from 'vitest';
import { findEnding } from '../../../shared/exchange/outcome.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import type { Harness } from '../../kit/gateway/harness.ts';
import { order, startQuickHarness, whenJob, whenState } from '../../kit/videos/queue.ts';

const SOON = '[scenario render-ms=50]';

/** Returns how often the sandbox was asked about tasks. */
function polls({ sandbox }: Harness): number {
  return sandbox.requests.filter(
    ({ method, url }) => method === 'GET' && /^\/v1\/videos\/[^/]+$/u.test(url),
  ).length;
}

async function finished({ repositories }: Harness, job: VideoJob): Promise<VideoJob> {
  return await whenState(
    repositories,
    job.id,
    'done',
    'failed',
    'needs-answer',
    'unsure',
    'timed-out',
  );
}

test('a video is made from an image: uploaded, ordered once, polled, downloaded completely', async () => {
  await using harness = await startQuickHarness();
  const { id } = await order(harness, `A fox. ${SOON}`);
  const done = await whenState(harness.repositories, id, 'done', 'failed');
  expect(done).toMatchObject({ state: 'done', charged: 'yes', problem: null, word: 'completed' });
  const [only] = harness.sandbox.orders;
  assert(only && done.file);
  expect(harness.sandbox.orders).toHaveLength(1);
  expect(done.taskId).toBe(only.id);
  const bytes = await readFile(done.file.path);
  expect(bytes.equals(await harness.sandbox.video(only))).toBe(true);
  expect(done.file).toMatchObject({ present: true, bytes: bytes.length, type: 'video/mp4' });
  const { answers } = await harness.repositories.videos.get(id);
  expect(new Set(answers.map(({ stage }) => stage))).toEqual(
    new Set(['upload', 'submit', 'identify', 'poll']),
  );
  const map = await harness.repositories.videos.fields(harness.sandbox.url);
  expect(map).toMatchObject({ fileUrl: '/file_url', taskId: '/task_id' });
  const records = await harness.records();
  const ours = records.filter(({ clientName }) => clientName === 'Videos');
  expect(new Set(ours.map(({ route }) => route))).toEqual(
    new Set(['files', 'video-submit', 'video-status', 'video-content']),
  );
});

test.each([
  ['html-polls=1', 'video-status', 'unexpected_content_type', 'a web page instead of JSON'],
  ['html-content=1', 'video-content', 'not_a_video', 'a web page instead of a video'],
])('with %s, the page is recorded as a failure of %s', async (scenario, route, code, words) => {
  await using harness = await startQuickHarness();
  // The requests that find out where an answer has the id are not recorded.
  await finished(harness, await order(harness, `One. ${SOON}`));
  const job = await order(harness, `Two. ${SOON} [scenario ${scenario}]`);
  expect((await finished(harness, job)).state).toBe('done');
  const [failed] = (await harness.records()).filter((one) => findEnding(one) === 'failed');
  expect(failed).toMatchObject({ route, status: 200, errorCode: code });
  expect(failed?.errorMessage).toContain(words);
});

test('an upload and learned answers are used again', async () => {
  await using harness = await startQuickHarness();
  await finished(harness, await order(harness, `One. ${SOON}`));
  const second = await finished(harness, await order(harness, `Two. ${SOON}`));
  expect(second.state).toBe('done');
  expect(harness.sandbox.uploads).toBe(1);
  const { answers } = await harness.repositories.videos.get(second.id);
  expect(answers.map(({ stage }) => stage)).not.toContain('identify');
});

test('an upload that the service has lost is repeated once, and the order with it', async () => {
  await using harness = await startQuickHarness();
  const imageName = 'fox [scenario file-once].png';
  await finished(harness, await order(harness, `One. ${SOON}`, { imageName }));
  const second = await finished(harness, await order(harness, `Two. ${SOON}`, { imageName }));
  expect(second.state).toBe('done');
  expect(harness.sandbox.uploads).toBe(2);
  expect(harness.sandbox.orders).toHaveLength(2);
});

test('a video that the service has lost delays no other', async () => {
  await using harness = await startQuickHarness();
  await harness.repositories.settings.change({ videosAtOnce: 1 });
  const stuck = await order(harness, `A fox. ${SOON} [scenario forgets-task]`);
  const other = await order(harness, `A hare. ${SOON}`);
  expect(await finished(harness, other)).toMatchObject({ state: 'done' });
  expect((await harness.repositories.videos.get(stuck.id)).job.state).toBe('rendering');
});

describe('an order', () => {
  test.each(['lost-answer', 'order-error'])(
    'with %s is unsure; its task can be named',
    async (name) => {
      await using harness = await startQuickHarness();
      const job = await order(harness, `A fox. ${SOON} [scenario ${name}]`);
      const unsure = await finished(harness, job);
      expect(unsure).toMatchObject({ state: 'unsure', charged: 'maybe', nextAt: null });
      const [only] = harness.sandbox.orders;
      assert(only);
      await harness.repositories.videos.act(job.id, { type: 'give-id', taskId: only.id });
      expect(await finished(harness, job)).toMatchObject({ state: 'done', charged: 'yes' });
      expect(harness.sandbox.orders).toHaveLength(1);
    },
  );

  test('is sent again only when a user requests it', async () => {
    await using harness = await startQuickHarness();
    const { id } = await order(harness, `A fox. ${SOON} [scenario order-error]`);
    await whenState(harness.repositories, id, 'unsure');
    await harness.repositories.videos.act(id, { type: 'submit-again' });
    await whenJob(
      harness.repositories,
      id,
      ({ state }) => state === 'unsure' && harness.sandbox.orders.length === 2,
    );
    const again = harness.repositories.videos.act(id, { type: 'submit-again' });
    const cancelled = await again.then(async () => {
      await whenJob(harness.repositories, id, () => harness.sandbox.orders.length === 3);
      await whenState(harness.repositories, id, 'unsure');
      return await harness.repositories.videos.act(id, { type: 'cancel' });
    });
    expect(cancelled).toMatchObject({ state: 'cancelled', charged: 'maybe' });
  });

  test('that is rejected fails with the message of the service, and costs nothing', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, 'A fox.', { resolution: '720p' });
    const failed = await finished(harness, job);
    expect(failed).toMatchObject({
      state: 'failed',
      charged: 'no',
      submittedAt: expect.any(Number),
    });
    expect(failed.reason).toContain('"resolution" must be "480p"');
    expect(harness.sandbox.charges).toBe(0);
  });

  test('that is rejected with 429 waits and is sent again', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON} [scenario rate-limit=1]`);
    const waiting = await whenJob(harness.repositories, job.id, ({ problem }) => problem !== null);
    expect(waiting).toMatchObject({ state: 'waiting', charged: 'no' });
    expect(waiting.problem).toContain('Nothing was ordered yet');
    expect((await finished(harness, job)).state).toBe('done');
    expect(harness.sandbox.orders).toHaveLength(1);
  });

  test.each(['order-broken', 'order-huge', 'no-id'])(
    'whose response shows no id (%s) waits for a user',
    async (name) => {
      await using harness = await startQuickHarness();
      const job = await order(harness, `A fox. ${SOON} [scenario ${name}]`);
      const waiting = await finished(harness, job);
      expect(waiting).toMatchObject({ state: 'needs-answer', charged: 'yes' });
      expect(waiting.question?.about).toBe('task-id');
      const [only] = harness.sandbox.orders;
      assert(only);
      await harness.repositories.videos.act(job.id, { type: 'answer-value', value: only.id });
      expect((await finished(harness, job)).state).toBe('done');
    },
  );

  test.each(['decoy-ids', 'numeric-id=18'])('with %s finds its task', async (name) => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON} [scenario ${name}]`);
    const done = await finished(harness, job);
    expect(done).toMatchObject({ state: 'done', taskId: harness.sandbox.orders[0]?.id });
  });

  test('with two ids that are both valid asks a user, and remembers the answer', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON} [scenario two-ids]`);
    const other = await order(harness, `A dog. ${SOON} [scenario two-ids]`);
    const waiting = await finished(harness, job);
    expect((await finished(harness, other)).state).toBe('needs-answer');
    expect(waiting.question?.candidates).toHaveLength(2);
    const pointer = waiting.question?.candidates[0]?.pointer ?? '';
    await harness.repositories.videos.act(job.id, { type: 'answer', pointer });
    // The other job had the same question.
    expect(await whenState(harness.repositories, other.id, 'done')).toMatchObject({
      charged: 'yes',
    });
    await whenState(harness.repositories, job.id, 'done');
    expect(await harness.repositories.videos.fields(harness.sandbox.url)).toMatchObject({
      taskId: pointer,
    });
  });
});

describe('an upload', () => {
  test('with two addresses uses the one that serves the image, and remembers its pointer', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON}`, {
      imageName: 'fox [scenario two-urls].png',
    });
    expect(await finished(harness, job)).toMatchObject({ state: 'done', question: null });
    expect(harness.sandbox.uploads).toBe(1);
    const fields = await harness.repositories.videos.fields(harness.sandbox.url);
    expect(fields).toMatchObject({ fileUrl: '/file_url' });
  });

  test('with two addresses that both serve it asks a user once', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON}`, {
      imageName: 'fox [scenario twin-urls].png',
    });
    const waiting = await finished(harness, job);
    expect(waiting).toMatchObject({ state: 'needs-answer', charged: 'no' });
    expect(waiting.question).toMatchObject({ about: 'file-url' });
    const wrong = harness.repositories.videos.act(job.id, {
      type: 'answer-value',
      value: 'no address',
    });
    await expect(wrong).rejects.toMatchObject({ field: 'value' });
    const pointer = '/file_url';
    await harness.repositories.videos.act(job.id, { type: 'answer', pointer });
    expect((await finished(harness, job)).state).toBe('done');
    expect(harness.sandbox.uploads).toBe(1);
    expect(await harness.repositories.videos.fields(harness.sandbox.url)).toMatchObject({
      fileUrl: pointer,
    });
  });
});

describe('polling', () => {
  test.each(['error-polls=2', 'html-polls=2', 'broken-polls=2', 'huge-polls=1', 'busy-polls=300'])(
    'continues through %s',
    async (name) => {
      await using harness = await startQuickHarness();
      const job = await order(harness, `A fox. ${SOON} [scenario ${name}]`);
      expect(await finished(harness, job)).toMatchObject({ state: 'done', problem: null });
    },
  );

  test('stops in time for a task that the service lost, reports it, and resumes on request', async () => {
    const clock = { ahead: 0 };
    await using harness = await startQuickHarness({ now: () => Date.now() + clock.ahead });
    const job = await order(
      harness,
      'A fox. [scenario render-ms=600000] [scenario forgets-task=3]',
    );
    const reported = await whenJob(harness.repositories, job.id, ({ problem }) => problem !== null);
    expect(reported.state).toBe('rendering');
    expect(reported.problem).toContain('404');
    clock.ahead = 31 * 60_000;
    const stopped = await finished(harness, job);
    expect(stopped).toMatchObject({ state: 'timed-out', charged: 'yes', nextAt: null });
    const waiting = polls(harness);
    await harness.repositories.videos.act(job.id, { type: 'extend', minutes: 5 });
    await whenJob(harness.repositories, job.id, () => polls(harness) > waiting);
    expect(await harness.repositories.videos.act(job.id, { type: 'cancel' })).toMatchObject({
      state: 'cancelled',
      charged: 'yes',
    });
    expect(harness.sandbox.orders).toHaveLength(1);
  });

  test('shows an unknown status word unchanged, and learns its meaning', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `This will fail. ${SOON} [scenario own-words]`);
    const spoiled = await whenJob(harness.repositories, job.id, ({ word }) => word === 'spoiled');
    expect(spoiled).toMatchObject({ state: 'rendering', wordIsNew: true });
    await harness.repositories.videos.act(job.id, { type: 'explain-word', meaning: 'failed' });
    const failed = await finished(harness, job);
    expect(failed).toMatchObject({ state: 'failed', charged: 'yes', wordIsNew: false });
    expect(failed.reason).toContain('The prompt asks for a failure');
    const next = await order(harness, `This will fail, too. ${SOON} [scenario own-words]`);
    expect((await finished(harness, next)).state).toBe('failed');
    await harness.repositories.videos.act(next.id, { type: 'explain-word', meaning: 'working' });
    await whenState(harness.repositories, next.id, 'rendering');
  });

  test('recognises a usual word for a failure by the reason beside it, and says how it is recognised', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `This will fail. ${SOON}`);
    const failed = await finished(harness, job);
    expect(failed).toMatchObject({ state: 'failed', word: 'failed', wordIsNew: true });
    expect(failed.reason).toContain('The prompt asks for a failure');
    await harness.repositories.videos.act(job.id, { type: 'explain-word', meaning: 'working' });
    const next = await whenState(harness.repositories, job.id, 'rendering');
    expect(next.wordIsNew).toBe(false);
  });

  test('offers the possible reasons when there are several, and remembers the choice', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON} [scenario other-reason] [scenario own-words]`);
    await whenJob(harness.repositories, job.id, ({ word }) => word === 'spoiled');
    await harness.repositories.videos.act(job.id, { type: 'explain-word', meaning: 'failed' });
    const failed = await finished(harness, job);
    expect(failed.reason).toBeNull();
    expect(failed.reasons.length).toBeGreaterThan(1);
    const [first] = failed.reasons;
    assert(first);
    const { pointer } = first;
    const picked = await harness.repositories.videos.act(job.id, { type: 'pick-reason', pointer });
    expect(picked).toMatchObject({ reason: first.value, reasons: [] });
    expect(await harness.repositories.videos.fields(harness.sandbox.url)).toMatchObject({
      reason: pointer,
    });
  });

  test('shows the progress by the one number that grows, and the cost where it is known', async () => {
    await using harness = await startQuickHarness();
    const fields = await harness.repositories.videos.fields(harness.sandbox.url);
    await harness.repositories.videos.setFields(harness.sandbox.url, { ...fields, cost: '/cost' });
    const prompt =
      'A fox. [scenario gate=1] [scenario render-ms=1000] [scenario tells-progress] [scenario tells-cost]';
    const job = await order(harness, prompt);
    const half = await whenJob(
      harness.repositories,
      job.id,
      ({ progress }) => (progress ?? 0) > 0.3,
    );
    expect(half.state).toBe('rendering');
    harness.sandbox.openGate(1);
    const done = await finished(harness, job);
    expect(done.state).toBe('done');
    expect(done.cost).not.toBeNull();
  });

  test('stops when a user cancels, and the charge remains', async () => {
    await using harness = await startQuickHarness();
    const job = await order(harness, 'A fox. [scenario render-ms=600000]');
    const polled = await whenJob(harness.repositories, job.id, ({ word }) => word !== null);
    expect(polled.wordIsNew).toBe(false);
    const cancelled = await harness.repositories.videos.act(job.id, { type: 'cancel' });
    expect(cancelled).toMatchObject({ state: 'cancelled', charged: 'yes', nextAt: null });
    await harness.repositories.videos.remove(job.id, false);
    const other = await order(harness, `Another. ${SOON}`);
    await finished(harness, other);
    const about = harness.sandbox.requests.filter(({ url }) =>
      url.includes(cancelled.taskId ?? '?'),
    );
    const after = harness.sandbox.requests.findLastIndex(({ url }) => url === '/v1/videos');
    expect(
      harness.sandbox.requests.indexOf(about.at(-1) ?? harness.sandbox.requests[0]!),
    ).toBeLessThan(after);
  });
});

describe('a download', () => {
  test.each([
    'link-once',
    'link-expires=0',
    'html-content=1',
    'error-content=2',
    'cut-content=20000',
    'no-range',
  ])('with %s ends with the complete video', async (name) => {
    await using harness = await startQuickHarness();
    const job = await order(harness, `A fox. ${SOON} [scenario ${name}]`);
    const done = await whenState(harness.repositories, job.id, 'done', 'timed-out');
    const [only] = harness.sandbox.orders;
    if (name.startsWith('link-expires')) {
      // The download never succeeds; the video exists and is paid, so the job has not failed.
      expect(done).toMatchObject({ state: 'timed-out', charged: 'yes' });
      expect(done.problem).not.toBeNull();
      return;
    }
    assert(only && done.file);
    expect((await readFile(done.file.path)).equals(await harness.sandbox.video(only))).toBe(true);
  });

  test('is repeated on request when the file is gone, and not otherwise', async () => {
    await using harness = await startQuickHarness();
    const done = await finished(harness, await order(harness, `A fox. ${SOON}`));
    assert(done.file);
    const again = { type: 'fetch-again' } as const;
    await expect(harness.repositories.videos.act(done.id, again)).rejects.toThrow('already');
    await rm(done.file.path);
    expect((await harness.repositories.videos.get(done.id)).job.file?.present).toBe(false);
    await harness.repositories.videos.act(done.id, again);
    expect((await whenState(harness.repositories, done.id, 'done')).file?.present).toBe(true);
    expect(harness.sandbox.orders).toHaveLength(1);
  });
});

describe('the queue', () => {
  test('runs as many of our own videos as configured, in their order', async () => {
    await using harness = await startQuickHarness();
    await harness.gateway.changeSettings({ videosAtOnce: 1 });
    const jobs: VideoJob[] = [];
    for (const name of ['one', 'two', 'three']) jobs.push(await order(harness, `${name} ${SOON}`));
    const [, two, three] = jobs;
    assert(two && three);
    await harness.repositories.videos.move(three.id, two.id);
    for (const job of jobs) await whenState(harness.repositories, job.id, 'done');
    const prompts = harness.sandbox.orders.map(({ prompt }) => prompt.split(' ')[0]);
    expect(prompts).toEqual(['one', 'three', 'two']);
    const spans = await Promise.all(
      jobs.map(async ({ id }) => {
        const { job } = await harness.repositories.videos.get(id);
        return [job.submittedAt ?? 0, job.stateSince] as const;
      }),
    );
    const [first, last, middle] = spans;
    assert(first && middle && last);
    expect(middle[0]).toBeGreaterThanOrEqual(first[1]);
    expect(last[0]).toBeGreaterThanOrEqual(middle[1]);
  });
});
