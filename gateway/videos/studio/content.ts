import { Problem } from '../../../shared/problem.ts';
import { followRedirects, header, type Incoming, send, SendFailure } from '../../proxy/proxy.ts';
import { type Limit, openLimit } from './limit.ts';
import type { PartOf } from './part.ts';
import { addressed, plainText, readBody, retryAfterOf, sentenceOf } from './reply.ts';
import { readJson, valueAt } from './shapes.ts';
import type { Fetched, FetchPlan, StudioGround, Wire } from './studio.ts';

/** One video to fetch. */
export interface FetchTask {
  readonly wire: Wire;
  /** From `/v1` on. */
  readonly path: string;
  readonly plan: FetchPlan & { readonly signal: AbortSignal };
  readonly ground: StudioGround;
}

type NotSaved = Exclude<Fetched, { kind: 'saved' }>;

/** A download that ends without a file. */
export class Miss extends Error {
  override readonly name = 'Miss';
  readonly fetched: NotSaved;

  constructor(kind: NotSaved['kind'], sentence: string, more: Partial<NotSaved> = {}) {
    super(sentence);
    this.fetched = { status: null, text: '', retryAfterMs: null, ...more, kind, sentence };
  }
}

/** The rest of a file, from this byte on, as long as it is still the same file. */
export interface Rest {
  readonly from: number;
  readonly of: PartOf;
}

/** The beginning of an answer with a file in it, or with what was asked for of it. */
export interface Content {
  readonly incoming: Incoming;
  /** Ends the wait for the next piece. */
  readonly limit: Limit;
}

/** What a place says whose link has expired: some storage services say 400. The service itself says it about the task. */
const LINK_GONE: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);
const MOST_TEXT = 64 * 1024;

/**
 * Asks for the content of a task (spec section 4.8) and follows the redirect; the key stays with the service's own origin. Resolves
 * with a 200, or with 206 or 416 when a rest was asked for. Throws Miss.
 */
export async function openContent(task: FetchTask, rest: Rest | null): Promise<Content> {
  const { wire, path, plan, ground } = task;
  const limit = openLimit(plan.signal, ground.limits.fetchIdleMs);
  const situation = {
    connections: wire.connections,
    ownPorts: ground.ownPorts,
    gone: limit.signal,
  };
  try {
    const headers = ['accept', '*/*', ...rangeOf(rest)];
    const asked = addressed(wire, { method: 'GET', path, headers, body: null });
    wire.onHeaders?.('request', asked.headers);
    const first = await send(wire.connections.service, asked, { gone: limit.signal });
    wire.onHeaders?.('answer', first.headers);
    const { incoming, repairs } = await followRedirects(first, asked, situation);
    const wanted = rest === null ? [200] : [200, 206, 416];
    if (wanted.includes(incoming.status)) return { incoming, limit };
    throw await refusal(incoming, repairs.length > 0, task);
  } catch (error) {
    const { isOver } = limit;
    limit.end();
    plan.signal.throwIfAborted();
    throw isOver ? tooSlow(ground) : missOf(error, wire);
  }
}

function rangeOf(rest: Rest | null): string[] {
  if (rest === null) return [];
  const version = rest.of.etag ?? rest.of.lastModified;
  const range = ['range', `bytes=${rest.from}-`];
  return version === null ? range : [...range, 'if-range', version];
}

/** What there is instead of a file. */
async function refusal(
  incoming: Incoming,
  redirected: boolean,
  { wire, ground }: FetchTask,
): Promise<Miss> {
  const { status } = incoming;
  const text = plainText((await readBody(incoming, MOST_TEXT)).bytes, wire);
  const more = { status, text, retryAfterMs: retryAfterOf(incoming, ground.now) };
  if (redirected && LINK_GONE.has(status)) {
    const sentence = `The address that the service gave for the video has expired (${status}).`;
    return new Miss('link-gone', sentence, more);
  }
  const who = redirected ? 'The place where the service keeps the video' : 'The service';
  const words = valueAt(readJson(text), '/error/message');
  const sentence = `${who} answered with ${status} instead of the video${words === null ? '.' : `: ${words}`}`;
  return new Miss('later', sentence, more);
}

function tooSlow({ limits }: StudioGround): Miss {
  const seconds = Math.round(limits.fetchIdleMs / 1000);
  return new Miss('later', `The service did not begin to send the video within ${seconds} s.`);
}

function missOf(error: unknown, { target }: Wire): unknown {
  if (error instanceof SendFailure) return new Miss('later', sentenceOf(error, target.origin));
  if (!(error instanceof Problem)) return error;
  const lost = error.code === 'upstream_connection_lost';
  return new Miss(
    'later',
    lost ? 'The connection to the place of the video was lost before it came.' : error.message,
  );
}

/** What tells the file in this answer apart from others. */
export function partOf({ headers }: Incoming, wire: Pick<Wire, 'key'>): PartOf {
  const said = (name: string): string => {
    const value = header(headers, name) ?? '';
    // It is kept beside the file: one that repeats the service key is as good as none.
    return plainText(Buffer.from(value), wire) === value ? value : '';
  };
  const etag = said('etag');
  const lastModified = said('last-modified');
  const length = header(headers, 'content-length') ?? '';
  return {
    // Only a strong one promises the very same bytes (RFC 9110 section 8.8.1).
    etag: /^"[^"]{0,198}"$/u.test(etag) ? etag : null,
    lastModified: /^[\w ,:+-]{1,200}$/u.test(lastModified) ? lastModified : null,
    total: /^\d{1,15}$/u.test(length) ? Number(length) : null,
  };
}

/** Whether a 206 brings the rest that was asked for (RFC 9110 section 14.4). */
export function bringsRest({ headers }: Incoming, { from, of }: Rest): boolean {
  const [, first, total] =
    /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/u.exec(header(headers, 'content-range') ?? '') ??
    [];
  if (Number(first) !== from) return false;
  return total === '*' || of.total === null || Number(total) === of.total;
}
