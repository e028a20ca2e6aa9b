import { z } from 'zod';
import type { VideoId } from '../../../shared/video/video.ts';
import type { VideoOrder } from '../../proxy/proxy.ts';
import { type Job, INITIAL_JOB } from '../transitions/job.ts';
import { isTooDeep, parseReply } from '../service/detect-fields.ts';

const WAIT_MINUTES = 30;
/** Longer texts of a client's order are not stored. */
const MAX_TEXT = 32_000;
const MAX_EXTRA_LENGTH = 16_384;

const Members = z.record(z.string(), z.json());

export interface ClientJobOptions {
  readonly order: VideoOrder;
  readonly id: VideoId;
  readonly service: string;
  readonly at: number;
  /** Redacts keys in a text. */
  readonly redact: (text: string) => string;
}

/** Creates the job of a client's order before it is sent. */
export function createClientJob({ order, id, service, at, redact }: ClientJobOptions): Job {
  return {
    ...INITIAL_JOB,
    id,
    rev: 1,
    state: 'submitting',
    origin: 'client',
    clientId: order.client.id,
    clientName: order.client.name,
    exchangeId: order.exchangeId,
    form: order.form,
    service,
    request: parseRequest(order.body, redact),
    image: null,
    waitMinutes: WAIT_MINUTES,
    orders: 1,
    createdAt: at,
    stateSince: at,
    orderedAt: at,
    dueAt: null,
    plannedAt: at,
    position: null,
  };
}

/** Reads the fields of a client's order that are shown. */
function parseRequest(body: Buffer, redact: (text: string) => string): Job['request'] {
  const json = parseReply(redact(body.toString()));
  const read = isTooDeep(json) ? null : Members.safeParse(json);
  const members = read?.data ?? {};
  const { model, task, prompt, seconds, resolution, conditions: _, ...more } = members;
  return {
    model: toText(model),
    task: toText(task),
    prompt: toText(prompt),
    seconds: toText(seconds),
    resolution: toText(resolution),
    more: JSON.stringify(more).length > MAX_EXTRA_LENGTH ? {} : more,
  };
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : null;
}
