import { z } from 'zod';
import type { VideoId } from '../../shared/video.ts';
import type { VideoOrder } from '../proxy/proxy.ts';
import { type Job, NOTHING_YET } from './job.ts';
import { isDeep, readJson } from './studio/shapes.ts';

const WAIT_MINUTES = 30;
/** A prompt may be as long as that; what is longer stands nowhere but with the client. */
const MOST_TEXT = 32_000;
const MOST_MORE = 16_384;

const Members = z.record(z.string(), z.json());

export interface ClientJob {
  readonly order: VideoOrder;
  readonly id: VideoId;
  readonly service: string;
  readonly at: number;
  /** Takes every key out of a text. */
  readonly redact: (text: string) => string;
}

/** The job of a client's order that is about to leave. */
export function clientJob({ order, id, service, at, redact }: ClientJob): Job {
  return {
    ...NOTHING_YET,
    id,
    rev: 1,
    state: 'submitting',
    origin: 'client',
    clientId: order.client.id,
    clientName: order.client.name,
    form: order.form,
    service,
    request: requestIn(order.body, redact),
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

/** What a client says it wants, as far as it is shown. */
function requestIn(body: Buffer, redact: (text: string) => string): Job['request'] {
  const json = readJson(redact(body.toString()));
  const read = isDeep(json) ? null : Members.safeParse(json);
  const members = read?.data ?? {};
  const { model, task, prompt, seconds, resolution, conditions: _, ...more } = members;
  return {
    model: text(model),
    task: text(task),
    prompt: text(prompt),
    seconds: text(seconds),
    resolution: text(resolution),
    more: JSON.stringify(more).length > MOST_MORE ? {} : more,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MOST_TEXT) : null;
}
