import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addedStatement } from '../../../../gateway/videos/store/added.ts';
import { answerStatements } from '../../../../gateway/videos/store/answers.ts';
import { type Job, INITIAL_JOB } from '../../../../gateway/videos/transitions/job.ts';
import { JobRepository } from '../../../../gateway/videos/store/job-repository.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { createClip } from '../../../../sandbox/clip.ts';
import type { StoredImage } from '../../../../shared/image.ts';
import {
  DEFAULT_VIDEO_REQUEST,
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoId,
} from '../../../../shared/video/video.ts';

const MINUTE = 60_000;

/** The videos in a data folder before Gatehouse starts on it. */
export interface SeedVideosOptions {
  /** A base address, or `sandbox`. */
  readonly service: string;
  /** Reference images as PNG files, taken in turn. */
  readonly pictures: readonly Buffer[];
}

type Fields = Partial<Omit<Job, 'state'>> & Pick<Job, 'state'>;

/** Puts a job into a data folder as if it had come that far. Gives its id. */
export async function seedJob(repositories: Repositories, fields: Fields): Promise<VideoId> {
  const { store, host } = repositories;
  const now = host.now();
  const id = createVideoId(host.randomBytes(VIDEO_ID_BYTES));
  const { prompt = 'A red fox runs in snow' } = fields.request ?? {};
  const { more: _, ...request } = DEFAULT_VIDEO_REQUEST;
  await new JobRepository({ store, host }).insertIf(addedStatement(id, now), {
    ...INITIAL_JOB,
    id,
    rev: 1,
    origin: 'window',
    clientId: null,
    clientName: null,
    service: 'sandbox',
    request: { ...request, more: {}, prompt },
    image: null,
    waitMinutes: 30,
    createdAt: now - MINUTE,
    stateSince: now - MINUTE,
    dueAt: null,
    plannedAt: now,
    position: null,
    ...fields,
  });
  return id;
}

/** A finished video of some seconds in a folder of its own, as a job keeps it. */
async function putFile(
  repositories: Repositories,
  name: string,
): Promise<NonNullable<Job['file']>> {
  const folder = join(repositories.host.dataDir, 'videos');
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  const clip = await createClip(4);
  await writeFile(path, clip);
  return { name, path, type: 'video/mp4', bytes: clip.length, sha256: toHash(name) };
}

/** Videos in every state that needs nobody's network, the newest first in this order. */
export async function seedVideos(
  repositories: Repositories,
  wanted: SeedVideosOptions,
): Promise<Map<string, VideoId>> {
  const images: StoredImage[] = [];
  for (const [place, picture] of wanted.pictures.entries()) {
    const path = join(repositories.host.dataDir, `still-${place + 1}.png`);
    await writeFile(path, picture);
    images.push(await repositories.videos.images.importFile(path));
  }
  const ids = new Map<string, VideoId>();
  for (const [place, { key, prompt, answers = [], ...fields }] of (
    await jobs(repositories)
  ).entries()) {
    const { more: _, ...request } = DEFAULT_VIDEO_REQUEST;
    const createdAt = repositories.host.now() - (place + 1) * 17 * MINUTE;
    const id = await seedJob(repositories, {
      createdAt,
      stateSince: createdAt + 4 * MINUTE,
      orderedAt: fields.charged === undefined ? null : createdAt + MINUTE,
      service: wanted.service,
      image: images[place % Math.max(1, images.length)] ?? null,
      request: { ...request, more: {}, prompt },
      ...fields,
    });
    ids.set(key, id);
    for (const answer of answers) {
      const at = createdAt + 2 * MINUTE;
      await repositories.store.write(
        await answerStatements(repositories.store, id, { ...answer, at, status: 200 }),
      );
    }
  }
  return ids;
}

type SampleJob = Fields & {
  readonly key: string;
  readonly prompt: string;
  readonly answers?: readonly {
    readonly stage: 'upload' | 'submit' | 'poll';
    readonly text: string;
  }[];
};

const UPLOADED =
  '{"id":"file-7d21","object":"file","bytes":1843204,"url":"https://files.example.com/f/7d21.png"}';
const ACCEPTED =
  '{"id":"video_68f2c1","batch":"b-2291","object":"video","status":"queued","model":"h3"}';

async function jobs(repositories: Repositories): Promise<readonly SampleJob[]> {
  return [...WAITING, ...(await createFinished(repositories)), ...ENDED];
}

const WAITING: readonly SampleJob[] = [
  {
    key: 'unsure',
    state: 'unsure',
    charged: 'maybe',
    orders: 1,
    prompt:
      'The lighthouse at dusk: its beam sweeps over the bay, gulls cross the frame, the sea is calm.',
    problem: 'The connection was lost after the order was sent, before a response arrived.',
  },
  {
    key: 'needs-answer',
    state: 'needs-answer',
    charged: 'yes',
    orders: 1,
    prompt: 'Paper boats drift down a rain gutter towards the camera, shallow depth of field.',
    question: {
      about: 'task-id',
      answer: JSON.stringify(JSON.parse(ACCEPTED), null, 2),
      candidates: [
        { pointer: '/id', value: 'video_68f2c1' },
        { pointer: '/batch', value: 'b-2291' },
      ],
    },
    answers: [
      { stage: 'upload', text: UPLOADED },
      { stage: 'submit', text: ACCEPTED },
    ],
  },
];

async function createFinished(repositories: Repositories): Promise<readonly SampleJob[]> {
  return [
    {
      key: 'done',
      state: 'done',
      charged: 'yes',
      orders: 1,
      taskId: 'video_68f2bf',
      word: 'completed',
      cost: '0.32',
      prompt:
        'A fox trots through fresh snow at the edge of a birch forest. Low evening sun, long shadows, breath visible in the cold air; the camera follows at its height and stops when the fox turns its head.',
      file: await putFile(repositories, '2026-11-21 A fox trots through fresh snow 68f2bf.mp4'),
      answers: [
        { stage: 'upload', text: UPLOADED },
        { stage: 'submit', text: ACCEPTED },
        { stage: 'poll', text: '{"id":"video_68f2bf","status":"in_progress","progress":61}' },
        {
          stage: 'poll',
          text: '{"id":"video_68f2bf","status":"completed","progress":100,"usage":{"cost":"0.32"}}',
        },
      ],
    },
    {
      key: 'client',
      state: 'done',
      charged: 'yes',
      orders: 1,
      origin: 'client',
      clientName: 'storyboard script',
      taskId: 'video_68f2b0',
      word: 'completed',
      image: null,
      prompt: 'Shot 12, take 2: the door opens by itself.',
      file: await putFile(repositories, '2026-11-21 Shot 12, take 2 68f2b0.mp4'),
    },
  ];
}

const ENDED: readonly SampleJob[] = [
  {
    key: 'failed',
    state: 'failed',
    charged: 'yes',
    orders: 1,
    taskId: 'video_68f2a9',
    word: 'failed',
    prompt: 'A crowd of dancers in carnival masks, confetti, fast cuts.',
    reason: 'The reference image shows a face that the model may not animate.',
  },
  {
    key: 'timed-out',
    state: 'timed-out',
    charged: 'yes',
    orders: 1,
    taskId: 'video_68f29c',
    stage: 'rendering',
    word: 'in_progress',
    prompt: 'Time lapse of a sunflower that follows the sun for a day.',
    problem: 'The service did not finish it within 30 minutes. It may still be rendering.',
  },
  {
    key: 'cancelled',
    state: 'cancelled',
    charged: 'no',
    prompt: 'The same, at night.',
  },
  { key: 'draft', state: 'draft', prompt: 'An old tram turns the corner, its windows lit.' },
];

function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
