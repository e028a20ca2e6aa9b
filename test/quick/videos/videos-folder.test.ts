import { sql } from 'kysely';
import { assert, describe, expect, test } from 'vitest';
import { openRepositories } from '../../../gateway/gateway.ts';
import { VideoId, type VideoJob } from '../../../shared/video/video.ts';
import {
  createVideoInput,
  type Folder,
  imageFile,
  openFolder,
} from '../../kit/videos/videos-folder.ts';
import { anId } from '../../kit/videos/video-id.ts';

async function addAll(
  { repositories, clock }: Folder,
  prompts: readonly string[],
  confirmed = true,
): Promise<VideoJob[]> {
  const jobs: VideoJob[] = [];
  for (const prompt of prompts) {
    clock.now += 1000;
    const video = createVideoInput({ prompt });
    const wanted = { id: anId(), video, confirmed, origin: 'window', service: 'sandbox' } as const;
    jobs.push(await repositories.videos.add(wanted));
  }
  return jobs;
}

async function promptsOf({ repositories }: Folder, asked: object = {}): Promise<(string | null)[]> {
  const { jobs } = await repositories.videos.page({ filter: {}, limit: 100, ...asked });
  return jobs.map(({ request }) => request.prompt);
}

describe('a video', () => {
  test('is stored as a draft and sent nowhere until it is confirmed', async () => {
    await using folder = await openFolder();
    const [draft] = await addAll(folder, ['one'], false);
    assert(draft);
    expect(draft).toMatchObject({ state: 'draft', charged: 'no', nextAt: null });
    const { videos } = folder.repositories;
    const changed = await videos.change(
      draft.id,
      createVideoInput({ prompt: 'other', seconds: '8' }),
    );
    expect(changed.request).toMatchObject({ prompt: 'other', seconds: '8' });
    expect(await videos.act(draft.id, { type: 'confirm' })).toMatchObject({ state: 'waiting' });
    await expect(videos.change(draft.id, createVideoInput())).rejects.toThrow('cannot be changed');
    await expect(videos.act(draft.id, { type: 'confirm' })).rejects.toThrow('already');
  });

  test('keeps its image, and is rejected with a missing one', async () => {
    await using folder = await openFolder();
    const { videos } = folder.repositories;
    const image = await videos.images.importFile(await imageFile(folder));
    const wanted = { id: anId(), confirmed: false, origin: 'command', service: 'sandbox' } as const;
    const job = await videos.add({ ...wanted, video: createVideoInput({ image: image.hash }) });
    expect(job.image).toMatchObject({ hash: image.hash, type: 'image/png' });
    const lost = createVideoInput({ image: '0'.repeat(64) });
    await expect(videos.add({ ...wanted, video: lost })).rejects.toMatchObject({ field: 'image' });
    const empty = createVideoInput({ prompt: ' ' });
    await expect(videos.add({ ...wanted, video: empty })).rejects.toMatchObject({
      field: 'prompt',
    });
  });

  test('is cancelled before it was ordered, then removed', async () => {
    await using folder = await openFolder();
    const { videos } = folder.repositories;
    const [job] = await addAll(folder, ['one']);
    assert(job);
    expect(await videos.act(job.id, { type: 'cancel' })).toMatchObject({
      state: 'cancelled',
      charged: 'no',
    });
    await expect(videos.act(job.id, { type: 'extend', minutes: 5 })).rejects.toThrow('nothing');
    await videos.remove(job.id, true);
    await expect(videos.get(job.id)).rejects.toThrow('There is no video with the id');
  });

  test('is unchanged after a restart', async () => {
    await using folder = await openFolder();
    const [job] = await addAll(folder, ['one']);
    assert(job);
    await using stack = new AsyncDisposableStack();
    const again = await openRepositories({ host: folder.host });
    stack.defer(() => again.close());
    expect((await again.videos.get(job.id)).job).toEqual(job);
  });
});

describe('the list', () => {
  test('has the waiting ones in their order, then the others, newest first', async () => {
    await using folder = await openFolder();
    await addAll(folder, ['draft 1'], false);
    await addAll(folder, ['first', 'second', 'third']);
    await addAll(folder, ['draft 2'], false);
    const all = ['first', 'second', 'third', 'draft 2', 'draft 1'];
    expect(await promptsOf(folder)).toEqual(all);
    const paged: (string | null)[] = [];
    let after: VideoId | null | undefined;
    while (after !== null) {
      const asked = { filter: {}, limit: 2, ...(after === undefined ? {} : { after }) };
      const page = await folder.repositories.videos.page(asked);
      paged.push(...page.jobs.map(({ request }) => request.prompt));
      after = page.next;
      expect(page.counts).toMatchObject({ waiting: 3, draft: 2, done: 0 });
    }
    expect(paged).toEqual(all);
  });

  test('is filtered by state and by words of the prompt', async () => {
    await using folder = await openFolder();
    await addAll(folder, ['A Red fox', 'a blue 100% fox', 'Ärger']);
    await addAll(folder, ['red draft'], false);
    expect(await promptsOf(folder, { filter: { text: 'fox RED' } })).toEqual(['A Red fox']);
    expect(await promptsOf(folder, { filter: { text: '100%' } })).toEqual(['a blue 100% fox']);
    expect(await promptsOf(folder, { filter: { text: 'ärger' } })).toEqual(['Ärger']);
    expect(await promptsOf(folder, { filter: { states: ['draft'] } })).toEqual(['red draft']);
    expect(await promptsOf(folder, { filter: { states: [] } })).toEqual([]);
  });

  test('is reordered, and only waiting ones are moved', async () => {
    await using folder = await openFolder();
    const [one, two, three] = await addAll(folder, ['one', 'two', 'three']);
    assert(one && two && three);
    const { videos } = folder.repositories;
    await videos.move(three.id, one.id);
    expect(await promptsOf(folder)).toEqual(['three', 'one', 'two']);
    await videos.move(three.id, null);
    await videos.move(one.id, one.id);
    expect(await promptsOf(folder)).toEqual(['one', 'two', 'three']);
    await videos.act(two.id, { type: 'cancel' });
    await expect(videos.move(two.id, null)).rejects.toThrow('no longer waiting');
    await expect(videos.move(one.id, two.id)).rejects.toThrow('no longer waiting');
    await expect(videos.move(VideoId.parse('none'), null)).rejects.toThrow('no longer exists');
  });

  test('skips a damaged job', async () => {
    await using folder = await openFolder();
    const [one] = await addAll(folder, ['one', 'two']);
    assert(one);
    const { db } = folder.repositories.store;
    await db.updateTable('video_job').set({ data: '{' }).where('id', '=', one.id).execute();
    expect(await promptsOf(folder)).toEqual(['two']);
    expect(await promptsOf(folder)).toEqual(['two']);
    expect(folder.logged.filter((line) => line.includes('damaged'))).toHaveLength(1);
    await expect(folder.repositories.videos.get(one.id)).rejects.toThrow('is damaged');
  });

  test('is found by the beginning of an id', async () => {
    await using folder = await openFolder();
    const [one, two] = await addAll(folder, ['one', 'two']);
    assert(one && two);
    const { videos } = folder.repositories;
    expect(await videos.findIdsByPrefix(one.id)).toEqual([one.id]);
    expect(await videos.findIdsByPrefix(one.id.slice(0, 9))).toEqual([one.id]);
    for (const head of ['', '%', 'zz']) expect(await videos.findIdsByPrefix(head)).toEqual([]);
  });
});

test('two processes that change jobs at once lose no change and allow none twice', async () => {
  await using folder = await openFolder();
  await using stack = new AsyncDisposableStack();
  const other = await openRepositories({ host: folder.host });
  stack.defer(() => other.close());
  const drafts = await addAll(folder, ['a', 'b', 'c', 'd', 'e', 'f'], false);
  const both = drafts.flatMap(({ id }) =>
    [folder.repositories, other].map((repositories) =>
      repositories.videos.act(id, { type: 'confirm' }),
    ),
  );
  const outcomes = await Promise.allSettled(both);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(drafts.length);
  expect((await folder.repositories.videos.page({ filter: {}, limit: 10 })).counts.waiting).toBe(6);
});

test('changes are emitted, here and in other processes, at most four times a second', async () => {
  await using folder = await openFolder();
  await using stack = new AsyncDisposableStack();
  const other = await openRepositories({ host: folder.host });
  stack.defer(() => other.close());
  let reported = 0;
  let changesElsewhere = 0;
  const stop = folder.repositories.videos.on(() => (reported += 1));
  stack.defer(other.videos.on(() => (changesElsewhere += 1)));
  await addAll(folder, ['a', 'b', 'c', 'd', 'e']);
  expect(reported).toBe(1);
  await expect.poll(() => reported).toBe(2);
  await expect.poll(() => changesElsewhere).toBeGreaterThan(0);
  stop();
  await addAll(folder, ['f']);
  expect(reported).toBe(2);
});

test('presets are stored by name', async () => {
  await using folder = await openFolder();
  const { videos } = folder.repositories;
  const {
    prompt: _,
    image: __,
    waitMinutes: ___,
    ...request
  } = createVideoInput({ more: { fps: 24 } });
  await videos.savePreset({ name: 'short', request });
  await videos.savePreset({ name: 'short', request: { ...request, seconds: '2' } });
  expect(await videos.presets()).toEqual([
    { name: 'short', request: { ...request, seconds: '2' } },
  ]);
  await videos.removePreset('short');
  expect(await videos.presets()).toEqual([]);
});

test('pages continue after damaged rows', async () => {
  await using folder = await openFolder();
  const { repositories } = folder;
  const jobs = await addAll(folder, ['one', 'two', 'three', 'four', 'five'], false);
  const damaged = [jobs[1], jobs[2], jobs[4]].map((job) => job?.id ?? '');
  await sql`update video_job set state = 'wibble' where id in (${sql.join(damaged)})`.execute(
    repositories.store.db,
  );
  const first = await repositories.videos.page({ filter: {}, limit: 1 });
  assert(first.next !== null);
  expect(first.jobs.map(({ request }) => request.prompt)).toEqual(['four']);
  const second = await repositories.videos.page({ filter: {}, limit: 1, after: first.next });
  expect(second.jobs.map(({ request }) => request.prompt)).toEqual(['one']);
  expect(second.next).toBeNull();
  expect((await repositories.videos.damaged()).toSorted()).toEqual(damaged.toSorted());
});
