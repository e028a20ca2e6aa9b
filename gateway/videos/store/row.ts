import { tryParseJson } from '../../lib/json-object.ts';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { VideoId, VideoState } from '../../../shared/video/video.ts';
import type { SqlValue, Statement, Tables } from '../../store/store.ts';
import { type Job, JobData } from '../transitions/job.ts';

export type JobRow = Selectable<Tables['video_job']>;

/** The columns in which the database accepts any text. */
const Checked = z.object({
  id: VideoId,
  state: VideoState,
  origin: z.enum(['window', 'command', 'client']),
});

/** Parses a row; `null` for a damaged one. */
export function fromRow(row: JobRow): Job | null {
  const checked = Checked.safeParse(row);
  const data = JobData.safeParse(tryParseJson(row.data));
  if (!checked.success || !data.success) return null;
  return {
    ...data.data,
    ...checked.data,
    rev: row.rev,
    clientId: row.client_id,
    clientName: row.client_name,
    service: row.service,
    createdAt: row.created_at,
    stateSince: row.state_since,
    dueAt: row.due_at,
    plannedAt: row.planned_at,
    position: row.position,
    orderedAt: row.ordered_at,
    taskId: row.task_id,
    progress: row.progress,
  };
}

const FIXED = ['id', 'origin', 'client_id', 'client_name', 'service', 'created_at'] as const;
const CHANGING = [
  'state',
  'state_since',
  'due_at',
  'planned_at',
  'position',
  'ordered_at',
  'task_id',
  'progress',
  'words',
  'data',
] as const;

const INSERT = `insert into video_job (rev, ${[...FIXED, ...CHANGING].join(', ')}) values (1, ${[...FIXED, ...CHANGING].map(() => '?').join(', ')})`;
const UPDATE = `update video_job set rev = rev + 1, ${CHANGING.map((name) => `${name} = ?`).join(', ')} where id = ? and rev = ?`;

export function insertStatement(job: Job): Statement {
  const { id, origin, clientId, clientName, service, createdAt } = job;
  const fixed = [id, origin, clientId, clientName, service, createdAt];
  return { sql: INSERT, rows: [[...fixed, ...toChangingValues(job)]] };
}

/** Updates a job. Changes no row when the job has changed since it was read. */
export function updateStatement(job: Job): Statement {
  return { sql: UPDATE, rows: [[...toChangingValues(job), job.id, job.rev]] };
}

function toChangingValues(job: Job): readonly SqlValue[] {
  return [
    job.state,
    job.stateSince,
    job.dueAt,
    job.plannedAt,
    job.position,
    job.orderedAt,
    job.taskId,
    job.progress,
    foldCase(job.request.prompt ?? ''),
    JSON.stringify(JobData.parse(job)),
  ];
}

/** Normalizes a prompt for the search. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}
