import { stat } from 'node:fs/promises';
import type { FieldMap, VideoAct, VideoId } from '../../shared/video.ts';
import { NotFound, Refused } from '../refused.ts';
import type { Step } from '../store/store.ts';
import { eventOf } from './decisions.ts';
import type { Job } from './job.ts';
import { changeFieldMap } from './learned.ts';
import type { Ledger } from './ledger.ts';
import { endOfQueue } from './queue.ts';
import { uploadStep } from './uploads.ts';

type Answer = Extract<VideoAct, { readonly act: 'answer' }>;

/** Does what a person decides about a job, and what follows from it for others of the same service. @throws Refused, NotFound */
export async function decide(ledger: Ledger, id: VideoId, act: VideoAct): Promise<Job> {
  const before = await ledger.find(id);
  if (before === null) throw unreadable(ledger, id);
  const after = await decideOne(ledger, before, act);
  await learn(ledger, before, act);
  return after;
}

/** Why a video that was looked for cannot be read. */
export function unreadable(ledger: Ledger, id: VideoId): NotFound {
  return new NotFound(
    ledger.damaged.includes(id)
      ? `The video ${id} is damaged in gatehouse.db: it cannot be shown, and nothing is sent for it. A copy of the database may have it: gatehouse restore`
      : 'This video is not there any more.',
  );
}

async function decideOne(ledger: Ledger, { id, service, file }: Job, act: VideoAct): Promise<Job> {
  const ground = {
    ...ledger.occasion(),
    position: await endOfQueue(ledger),
    hasFile: file !== null && (await stat(file.path).catch(() => null))?.isFile() === true,
    lastAnswer: act.act === 'pick-reason' ? await lastAnswer(ledger, id) : null,
  };
  const also: Step[] = [];
  const changed = await ledger.change(id, {
    event: (job) => {
      const event = eventOf(job, act, ground);
      const { about } = job.question ?? {};
      also.length = 0;
      if (event.kind === 'answer' && about === 'file-url' && job.image !== null) {
        const { hash: sha256 } = job.image;
        also.push(uploadStep({ service, sha256, url: event.value, at: event.at }));
      }
      return event;
    },
    also,
  });
  if (changed === null) throw unreadable(ledger, id);
  return changed.after;
}

async function lastAnswer({ store: { db } }: Ledger, id: VideoId): Promise<string | null> {
  const row = await db
    .selectFrom('video_answer')
    .select('text')
    .where('job_id', '=', id)
    .where('stage', '=', 'poll')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.text ?? null;
}

async function learn(ledger: Ledger, job: Job, act: VideoAct): Promise<void> {
  const learned = lessonOf(job, act);
  if (learned === null) return;
  await changeFieldMap(ledger.store, job.service, (map) => ({ ...map, ...learned(map) }));
  ledger.tell();
  if (act.act === 'answer') await answerAlike(ledger, job, act);
  if (act.act === 'explain-word') await explainAlike(ledger, job, act);
}

function lessonOf(job: Job, act: VideoAct): ((map: FieldMap) => Partial<FieldMap>) | null {
  const { word, question } = job;
  if (act.act === 'pick-reason') return () => ({ reason: act.pointer });
  if (act.act === 'explain-word' && word !== null) {
    return ({ words }) => ({ words: { ...words, [word]: act.meaning } });
  }
  if (act.act !== 'answer') return null;
  return () =>
    question?.about === 'file-url' ? { fileUrl: act.pointer } : { taskId: act.pointer };
}

/** The same question of the same service has the same answer. */
async function answerAlike(ledger: Ledger, job: Job, act: Answer): Promise<void> {
  for (const other of await jobsIn(ledger, 'needs-answer', job.service)) {
    if (other.question?.about === job.question?.about) await decideIfItFits(ledger, other, act);
  }
}

/** What is known now answers what was open. */
export async function answerByMap(ledger: Ledger, service: string, map: FieldMap): Promise<void> {
  for (const job of await jobsIn(ledger, 'needs-answer', service)) {
    const pointer = job.question?.about === 'file-url' ? map.fileUrl : map.taskId;
    if (pointer !== null) await decideIfItFits(ledger, job, { act: 'answer', pointer });
  }
}

async function explainAlike(ledger: Ledger, { word, service }: Job, act: VideoAct): Promise<void> {
  for (const other of await jobsIn(ledger, 'rendering', service)) {
    if (other.word === word) await decideIfItFits(ledger, other, act);
  }
}

async function decideIfItFits(ledger: Ledger, job: Job, act: VideoAct): Promise<void> {
  try {
    await decideOne(ledger, job, act);
  } catch (error) {
    // Its answer is another one, or it has gone on by itself: then it is left to its person.
    if (!(error instanceof Refused) && !(error instanceof NotFound)) throw error;
  }
}

async function jobsIn(
  ledger: Ledger,
  state: Job['state'],
  service: string,
): Promise<readonly Job[]> {
  const rows = await ledger.store.db
    .selectFrom('video_job')
    .selectAll()
    .where('state', '=', state)
    .where('service', '=', service)
    .execute();
  return ledger.read(rows);
}
