import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRepositories, type Repositories } from '../../gateway/gateway.ts';
import {
  DEFAULT_VIDEO_REQUEST,
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoPage,
  VideoState,
} from '../../shared/video/video.ts';
import { createBenchHost } from './bench-host.ts';

/** A query of the list. */
interface ListQuery {
  readonly name: string;
  readonly label: string;
  readonly run: () => Promise<VideoPage>;
}

/** A data folder with very many videos. */
export interface FullQueue extends AsyncDisposable {
  queries(page: number): readonly ListQuery[];
}

const SERVICE = 'https://service.example';
const MONTHS_MS = 90 * 24 * 3_600_000;
const RARE = 997;
const WORDS = ['cat', 'sea', 'harbour', 'morning', 'dragon', 'kite', 'rain', 'market', 'violin'];
const USUAL: readonly VideoState[] = ['done', 'done', 'done', 'done', 'failed', 'cancelled'];

/** Creates videos: most of them done, some in each other state, with prompts of a few sentences. Disposing it removes them. */
export async function openFullQueue(count: number): Promise<FullQueue> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const repositories = await openRepositories({ host: createBenchHost(dataDir) });
  await fillQueue(repositories, count);
  const { videos } = repositories;
  const all = await videos.page({ filter: {}, limit: 1 });
  const stored = Object.values(all.counts).reduce((sum, one) => sum + one, 0);
  if (stored !== count) throw new Error(`Only ${stored} of ${count} videos were stored.`);
  return {
    queries: (limit) => {
      const look = (filter: Parameters<typeof videos.page>[0]['filter']) => () =>
        videos.page({ filter, limit });
      return [
        { name: 'list', label: `list of ${count} videos: first page`, run: look({}) },
        { name: 'list.state', label: 'one state', run: look({ states: ['done'] }) },
        { name: 'list.word', label: 'a common word', run: look({ text: 'harbour' }) },
        { name: 'list.rare', label: 'a rare word', run: look({ text: 'zeppelin' }) },
        { name: 'list.nothing', label: 'a word that nothing has', run: look({ text: 'zebra' }) },
        {
          name: 'list.both',
          label: 'a state and a word',
          run: look({ states: ['failed'], text: 'sea' }),
        },
      ];
    },
    [Symbol.asyncDispose]: async () => {
      await repositories.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates one video through the queue; the others are copies that differ in the listed and searched columns. */
async function fillQueue({ videos, store }: Repositories, count: number): Promise<void> {
  const video = { ...DEFAULT_VIDEO_REQUEST, prompt: 'a', image: null, waitMinutes: 30 };
  const id = createVideoId(randomBytes(VIDEO_ID_BYTES));
  await videos.add({ id, video, confirmed: true, origin: 'window', service: SERVICE });
  const model = await store.db.selectFrom('video_job').selectAll().executeTakeFirstOrThrow();
  const rows = Array.from({ length: count - 1 }, (_, index) => {
    const state = index < 50 ? 'waiting' : pickState(index);
    const at = Math.floor(model.created_at - (MONTHS_MS * index) / count);
    const prompt = makePrompt(index);
    return {
      ...model,
      id: randomBytes(8).toString('hex'),
      state,
      created_at: at,
      state_since: at,
      due_at: null,
      position: state === 'waiting' ? index + 2 : null,
      task_id: state === 'waiting' ? null : `task-${index}`,
      words: prompt.toLowerCase(),
      data: JSON.stringify({ ...JSON.parse(model.data), ...toFinishedRow(index, prompt) }),
    };
  });
  const columns = Object.keys(model);
  const sql = `insert into video_job (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
  await store.write([{ sql, rows: rows.map((row) => Object.values(row)) }]);
}

function pickState(index: number): VideoState {
  const rare = VideoState.options[index % VideoState.options.length];
  return (index % RARE === 0 ? rare : USUAL[index % USUAL.length]) ?? 'done';
}

function makePrompt(index: number): string {
  const words = Array.from({ length: 40 }, (_, n) => WORDS[(index * 7 + n * n) % WORDS.length]);
  return `${words.join(' ')}${index % RARE === 0 ? ' zeppelin' : ''}`;
}

function toFinishedRow(index: number, prompt: string): object {
  return {
    request: { ...DEFAULT_VIDEO_REQUEST, prompt },
    file: {
      name: `${index}.mp4`,
      path: `/nowhere/${index}.mp4`,
      type: 'video/mp4',
      bytes: 1_000_000,
      sha256: 'a'.repeat(64),
    },
  };
}
