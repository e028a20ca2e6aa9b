import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert, describe, expect, test } from 'vitest';
import type { VideoJob } from '../../../shared/video/video.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { openUpstream, jsonAnswer } from '../../kit/net/scripted-upstream.ts';
import { createEngineSetup } from '../../kit/videos/engine-setup.ts';
import { order, FAST_TIMING, whenJob, whenState } from '../../kit/videos/queue.ts';
import { imageFile } from '../../kit/videos/videos-folder.ts';

const DAY = 86_400_000;
const isOrdered = ({ taskId }: VideoJob): boolean => taskId !== null;

describe('after a restart', () => {
  test('a render is found again and its video downloaded', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    const first = await setup.start(FAST_TIMING);
    const job = await order(first, 'A fox. [scenario gate=1]');
    await whenJob(first.repositories, job.id, isOrdered);
    await first.stop();
    await using second = await setup.start(FAST_TIMING);
    sandbox.openGate(1);
    const done = await whenState(second.repositories, job.id, 'done');
    const [only] = sandbox.orders;
    assert(only && done.file);
    expect(sandbox.orders).toHaveLength(1);
    expect((await readFile(done.file.path)).equals(await sandbox.video(only))).toBe(true);
  });

  test('an unused image is gone a week later, and the image of a video is not', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    const first = await setup.start(FAST_TIMING);
    const { image } = await order(first, 'A fox. [scenario render-ms=20]');
    const { images } = first.repositories.videos;
    const photo = Buffer.concat([
      await readFile(await imageFile(first.repositories)),
      Buffer.from('x'),
    ]);
    const upload = await images.begin({ name: 'photo.png', bytes: photo.length });
    await images.append(upload, photo);
    const { hash } = await images.finish(upload);
    await first.stop();
    await using young = await setup.start(FAST_TIMING);
    await young.stop();
    expect(await images.find(hash)).not.toBeNull();
    // Gatehouse is used every other day, so that the clock is trusted.
    for (const days of [2, 4, 6, 8]) {
      setup.ahead = days * DAY;
      await using later = await setup.start(FAST_TIMING);
      await later.stop();
    }
    expect(await images.find(hash)).toBeNull();
    expect(await images.find(image?.hash ?? '')).not.toBeNull();
  });

  test('an order that was being sent is unsure and stays so', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    const first = await setup.start({ ...FAST_TIMING, pollMs: 60_000 });
    const job = await order(first, 'A fox. [scenario render-ms=600000]');
    await whenJob(first.repositories, job.id, isOrdered);
    await first.stop();
    // Simulates a process that dies between the two writes around an order.
    await using repositories = await setup.openRepositories();
    await repositories.store.db
      .updateTable('video_job')
      .set({ state: 'submitting', due_at: null, task_id: null })
      .execute();
    await using second = await setup.start(FAST_TIMING);
    const unsure = await whenState(second.repositories, job.id, 'unsure');
    expect(unsure.problem).toContain('it is unknown whether it arrived');
    expect(sandbox.orders).toHaveLength(1);
  });

  test('an abort waits for the response to an order', async () => {
    await using service = await openUpstream({ models: ['h3'] });
    await using setup = await createEngineSetup({ url: service.url, key: 'sk-of-the-service' });
    const first = await setup.start(FAST_TIMING);
    const job = await order(first, 'A fox.', { image: null });
    const { connection } = await service.next();
    const stopping = first.stop(20_000);
    connection.send(Buffer.from(jsonAnswer(200, { nr: 'task-77' }), 'latin1'));
    await stopping;
    await using second = await setup.start({ ...FAST_TIMING, pollMs: 60_000 });
    const known = await second.repositories.videos.get(job.id);
    expect(known.job).toMatchObject({ charged: 'yes' });
    expect(JSON.stringify(known)).toContain('task-77');
  });

  test('an order whose response did not come in time is unsure', async () => {
    await using service = await openUpstream({ models: ['h3'] });
    await using setup = await createEngineSetup({ url: service.url, key: 'sk-of-the-service' });
    const first = await setup.start(FAST_TIMING);
    const job = await order(first, 'A fox.', { image: null });
    await service.next();
    await first.stop(50);
    await using second = await setup.start(FAST_TIMING);
    expect((await second.repositories.videos.get(job.id)).job).toMatchObject({
      state: 'unsure',
      charged: 'maybe',
    });
  });
});

test('a database that accepts no change of a video at the start delays the videos only', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  const first = await setup.start({ ...FAST_TIMING, pollMs: 60_000 });
  const job = await order(first, 'A fox. [scenario render-ms=600000]');
  await whenState(first.repositories, job.id, 'rendering');
  await first.stop();
  using other = new DatabaseSync(join(setup.dataDir, 'gatehouse.db'));
  other.exec("update video_job set state = 'submitting', due_at = null, task_id = null");
  other.exec(
    "create trigger full before update on video_job begin select raise(abort, 'The disk is full.'); end",
  );
  await using second = await setup.start(FAST_TIMING);
  expect(setup.logged.join()).toContain('are not recovered yet');
  expect((await second.repositories.videos.get(job.id)).job.state).toBe('submitting');
  other.exec('drop trigger full');
  await whenState(second.repositories, job.id, 'unsure');
  expect(sandbox.orders).toHaveLength(1);
});

test('the response to an order is stored although the database cannot be written for a while', async () => {
  await using service = await openUpstream({ models: ['h3'] });
  await using setup = await createEngineSetup({ url: service.url, key: 'sk-of-the-service' });
  await using engine = await setup.start({ ...FAST_TIMING, pollMs: 60_000 });
  const job = await order(engine, 'A fox.', { image: null });
  const { connection } = await service.next();
  const other = new DatabaseSync(join(setup.dataDir, 'gatehouse.db'));
  other.exec('begin immediate');
  connection.send(Buffer.from(jsonAnswer(200, { nr: 'task-77' }), 'latin1'));
  // SQLite waits 5 s for the other connection before it gives up.
  await expect.poll(() => setup.logged.join()).toContain('could not be saved yet');
  expect(setup.logged.join()).toContain('task-77');
  other.exec('rollback');
  other.close();
  const known = await whenJob(engine.repositories, job.id, ({ charged }) => charged === 'yes');
  expect(known.state).toBe('identifying');
});

describe('when the clock jumps', () => {
  test('a week of sleep ends with one poll, and the video that was made in it', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    const first = await setup.start(FAST_TIMING);
    const job = await order(first, 'A fox. [scenario gate=1]');
    await whenJob(first.repositories, job.id, isOrdered);
    await first.stop();
    setup.ahead = 7 * DAY;
    sandbox.openGate(1);
    await using second = await setup.start(FAST_TIMING);
    expect((await whenState(second.repositories, job.id, 'done', 'timed-out')).state).toBe('done');
  });

  test('a clock that is set back by a year delays nothing', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    setup.ahead = 365 * DAY;
    const first = await setup.start(FAST_TIMING);
    const job = await order(first, 'A fox. [scenario gate=1]');
    await whenJob(first.repositories, job.id, isOrdered);
    setup.ahead = 0;
    sandbox.openGate(1);
    const [done] = await Promise.all([
      whenState(first.repositories, job.id, 'done'),
      first.gateway.changeSettings({ videosAtOnce: 3 }),
    ]);
    expect(done.asksUntil ?? 0).toBeLessThanOrEqual(Date.now() + 30 * 60_000);
    await first.stop();
  });
});

describe('without access to the service', () => {
  test('a video waits for its key, reports that, and continues once there is one', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    setup.key = { state: 'locked', reason: 'The keychain is locked.' };
    await using engine = await setup.start(FAST_TIMING);
    const job = await order(engine, 'A fox. [scenario render-ms=50]');
    const blocked = await whenJob(engine.repositories, job.id, ({ problem }) => problem !== null);
    expect(blocked).toMatchObject({ state: 'waiting', charged: 'no' });
    expect(blocked.problem).toContain('locked');
    setup.key = { state: 'found', secret: sandbox.key };
    const { upstream } = await engine.gateway.status();
    await engine.gateway.readKey(upstream.id);
    await whenState(engine.repositories, job.id, 'done');
  });

  test('a video continues at its service while another one is in use', async () => {
    await using sandbox = await openSandbox();
    await using other = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    await using engine = await setup.start(FAST_TIMING);
    const job = await order(engine, 'A fox. [scenario gate=1]');
    await whenJob(engine.repositories, job.id, isOrdered);
    const form = { name: 'Other', baseUrl: other.url, versionVendor: 'anthropic' };
    const added = await engine.gateway.addUpstream({ ...form, caFile: null, proxyUrl: null });
    await engine.gateway.useUpstream(added.id);
    sandbox.openGate(1);
    expect((await whenState(engine.repositories, job.id, 'done')).service.gone).toBe(false);
    expect(other.requests.filter(({ url }) => url.includes('videos'))).toEqual([]);
  });

  test('a video whose service was removed reports that, and continues when it is back', async () => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    await using engine = await setup.start(FAST_TIMING);
    const job = await order(engine, 'A fox. [scenario render-ms=600000]');
    await whenJob(engine.repositories, job.id, isOrdered);
    // A service in use cannot be removed here without a sandbox, so another process removes it.
    await engine.repositories.store.db.deleteFrom('upstream').execute();
    const gone = await whenJob(engine.repositories, job.id, ({ problem }) => problem !== null);
    expect(gone.problem).toContain('no longer configured');
    const form = { name: 'Back', baseUrl: sandbox.url, versionVendor: 'anthropic' };
    await engine.gateway.addUpstream({ ...form, caFile: null, proxyUrl: null });
    const back = await whenJob(engine.repositories, job.id, ({ problem }) => problem === null);
    expect(back).toMatchObject({ state: 'rendering', service: { gone: false } });
  });
});
