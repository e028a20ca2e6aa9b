import { Problem } from '../../../shared/problem.ts';
import { followRedirects } from '../../http/redirect.ts';
import { findHeader } from '../../http/headers.ts';
import { type UpstreamResponse, send } from '../../http/send.ts';
import { UpstreamSendError } from '../../http/errors.ts';
import { type IdleTimeout, startIdleTimeout } from './idle-timeout.ts';
import type { PartialFileInfo } from './partial-file.ts';
import {
  toUpstreamRequest,
  toRedactedText,
  readBody,
  parseCappedRetryAfter,
  describeSendError,
} from './call-service.ts';
import { parseReply, getValueAt } from './detect-fields.ts';
import type {
  DownloadResult,
  DownloadOptions,
  VideoServiceDeps,
  ServiceConnection,
} from './types.ts';

/** A video to download. */
export interface DownloadTask {
  readonly connection: ServiceConnection;
  /** The path from `/v1` on. */
  readonly path: string;
  readonly options: DownloadOptions & { readonly signal: AbortSignal };
  readonly deps: VideoServiceDeps;
}

type FailedDownload = Exclude<DownloadResult, { kind: 'saved' }>;

/** The error of a download without a file. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly result: FailedDownload;

  constructor(kind: FailedDownload['kind'], sentence: string, more: Partial<FailedDownload> = {}) {
    super(sentence);
    this.result = { status: null, text: '', retryAfterMs: null, ...more, kind, sentence };
  }
}

/** The point from which a download resumes, if the file is still the same. */
export interface ResumePoint {
  readonly from: number;
  readonly of: PartialFileInfo;
}

/** The response to a download, with its body still to be read. */
export interface DownloadStream {
  readonly upstreamResponse: UpstreamResponse;
  /** The timeout for the next chunk. */
  readonly limit: IdleTimeout;
}

/** Statuses of an expired URL; some storage services answer 400. */
const EXPIRED_URL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);
const MAX_TEXT = 64 * 1024;

/**
 * Requests the content of a task (spec section 4.8) and follows the redirect; the key goes to the service's own origin only. Resolves with
 * a 200, or with 206 or 416 when a download is resumed. @throws DownloadError
 */
export async function openContent(
  task: DownloadTask,
  resume: ResumePoint | null,
): Promise<DownloadStream> {
  const { connection, path, options, deps } = task;
  const limit = startIdleTimeout(options.signal, deps.limits.fetchIdleMs);
  const situation = {
    connections: connection.connections,
    ownPorts: deps.ownPorts,
    signal: limit.signal,
  };
  try {
    const headers = ['accept', '*/*', ...toRangeHeader(resume)];
    const request = toUpstreamRequest(connection, { method: 'GET', path, headers, body: null });
    connection.onHeaders?.('request', request.headers);
    const first = await send(connection.connections.service, request, { signal: limit.signal });
    connection.onHeaders?.('answer', first.headers);
    const { response, redirectedTo } = await followRedirects(first, request, situation);
    const expectedStatuses = resume === null ? [200] : [200, 206, 416];
    if (expectedStatuses.includes(response.status)) return { upstreamResponse: response, limit };
    throw await toRefusal(response, redirectedTo !== null, task);
  } catch (error) {
    const { isOver } = limit;
    limit.end();
    options.signal.throwIfAborted();
    throw isOver ? tooSlowError(deps) : toDownloadError(error, connection);
  }
}

function toRangeHeader(resume: ResumePoint | null): string[] {
  if (resume === null) return [];
  const version = resume.of.etag ?? resume.of.lastModified;
  const range = ['range', `bytes=${resume.from}-`];
  return version === null ? range : [...range, 'if-range', version];
}

/** Creates the error for a response without a file. */
async function toRefusal(
  upstreamResponse: UpstreamResponse,
  redirected: boolean,
  { connection, deps }: DownloadTask,
): Promise<DownloadError> {
  const { status } = upstreamResponse;
  const text = toRedactedText((await readBody(upstreamResponse, MAX_TEXT)).bytes, connection);
  const more = { status, text, retryAfterMs: parseCappedRetryAfter(upstreamResponse, deps.now) };
  if (redirected && EXPIRED_URL_STATUSES.has(status)) {
    const sentence = `The address that the service gave for the video has expired (${status}).`;
    return new DownloadError('address-expired', sentence, more);
  }
  const sender = redirected ? 'The server of the video file' : 'The service';
  const message = getValueAt(parseReply(text), '/error/message');
  const sentence = `${sender} answered with ${status} instead of the video${message === null ? '.' : `: ${message}`}`;
  return new DownloadError('retry-later', sentence, more);
}

function tooSlowError({ limits }: VideoServiceDeps): DownloadError {
  const seconds = Math.round(limits.fetchIdleMs / 1000);
  return new DownloadError(
    'retry-later',
    `The service did not begin to send the video within ${seconds} s.`,
  );
}

function toDownloadError(error: unknown, { target }: ServiceConnection): unknown {
  if (error instanceof UpstreamSendError)
    return new DownloadError('retry-later', describeSendError(error, target.origin));
  if (!(error instanceof Problem)) return error;
  const lost = error.code === 'upstream_connection_lost';
  return new DownloadError(
    'retry-later',
    lost
      ? 'The connection to the server of the video file was lost before the video arrived.'
      : error.message,
  );
}

/** Reads the validators of the file from its response. */
export function toPartialFileInfo(
  { headers }: UpstreamResponse,
  connection: Pick<ServiceConnection, 'key'>,
): PartialFileInfo {
  const headerValue = (name: string): string => {
    const value = findHeader(headers, name) ?? '';
    // It is stored on disk, so one that repeats the service key is not used.
    return toRedactedText(Buffer.from(value), connection) === value ? value : '';
  };
  const etag = headerValue('etag');
  const lastModified = headerValue('last-modified');
  const length = findHeader(headers, 'content-length') ?? '';
  return {
    // Only a strong ETag guarantees the same bytes (RFC 9110 section 8.8.1).
    etag: /^"[^"]{0,198}"$/u.test(etag) ? etag : null,
    lastModified: /^[\w ,:+-]{1,200}$/u.test(lastModified) ? lastModified : null,
    total: /^\d{1,15}$/u.test(length) ? Number(length) : null,
  };
}

/** Whether a 206 contains the requested remainder (RFC 9110 section 14.4). */
export function isRemainder({ headers }: UpstreamResponse, { from, of }: ResumePoint): boolean {
  const [, first, total] =
    /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/u.exec(
      findHeader(headers, 'content-range') ?? '',
    ) ?? [];
  if (Number(first) !== from) return false;
  return total === '*' || of.total === null || Number(total) === of.total;
}
