import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Account } from '../account.ts';
import { HTML_PAGE } from '../http/answer.ts';
import type { TaskEffect } from '../scenarios/effect.ts';
import { errorBody, RefusalError } from '../http/errors.ts';

import { serverFailure } from '../scenarios/refusals.ts';
import type { VideoTask } from './tasks.ts';
import { createVideo } from './video-file.ts';

const CREDENTIALS = ['authorization', 'x-api-key', 'api-key'];

/**
 * Answers a request on the media origin: uploaded files and finished videos, with Range (RFC 9110, section 14).
 * Refuses with 400 any request with a credential: a key that arrives here has leaked to another origin.
 */
export async function answerMedia(
  request: IncomingMessage,
  response: ServerResponse,
  account: Account,
): Promise<void> {
  request.resume();
  try {
    const found = await findMedia(request, account);
    await sendMedia(request, response, found);
  } catch (error) {
    const refusal =
      error instanceof RefusalError
        ? error
        : new RefusalError({ status: 500, code: 'sandbox_error', message: String(error) });
    response.writeHead(refusal.status, { ...refusal.headers, 'content-type': 'application/json' });
    response.end(JSON.stringify(errorBody(refusal, 'plain')));
  }
}

interface MediaFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly effect: TaskEffect;
}

async function findMedia(request: IncomingMessage, account: Account): Promise<MediaFile> {
  const leaked = CREDENTIALS.find((name) => request.headers[name] !== undefined);
  if (leaked !== undefined) {
    const message = `The media origin takes no credential, but "${leaked}" was sent.`;
    throw new RefusalError({ status: 400, code: 'credential_leaked', message });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const headers = { allow: 'GET, HEAD' };
    const message = 'The media origin takes GET and HEAD.';
    throw new RefusalError({ status: 405, code: 'method_not_allowed', message, headers });
  }
  const [path = '', link = ''] = (request.url ?? '').split('?link=');
  const file = account.files.find(path);
  if (file?.bytes) return { type: file.type, bytes: file.bytes, effect: {} };
  const task = account.videos.findByPath(path);
  if (task) return await download(task, link);
  const message = file
    ? 'The file is no longer stored: it is too large or too old.'
    : 'There is no such file.';
  throw new RefusalError({ status: file ? 410 : 404, code: 'not_found', message });
}

async function download(task: VideoTask, link: string): Promise<MediaFile> {
  const { effect, usedLinks } = task;
  const [, givenAt = 0] = link.split('-');
  const tooOld = effect.linkMs !== undefined && Date.now() - Number(givenAt) >= effect.linkMs;
  if (tooOld || (effect.linkOnce && usedLinks.has(link))) {
    const message = 'This address has expired.';
    throw new RefusalError({ status: 403, code: 'link_expired', message });
  }
  usedLinks.add(link);
  task.downloads += 1;
  const { kind, times = 0 } = effect.firstDownloads ?? {};
  const fails = task.downloads <= times;
  if (fails && kind === 'error') throw serverFailure();
  if (fails)
    return {
      type: HTML_PAGE.headers['content-type'] ?? '',
      bytes: Buffer.from(HTML_PAGE.body),
      effect,
    };
  return { type: 'video/mp4', bytes: await createVideo(task.order), effect };
}

async function sendMedia(request: IncomingMessage, response: ServerResponse, found: MediaFile) {
  const { type, bytes, effect } = found;
  const size = bytes.length;
  if (!effect.wholeOnly) response.setHeader('accept-ranges', 'bytes');
  const range = effect.wholeOnly ? undefined : parseRange(request.headers.range, size);
  if (range === 'unsatisfiable') {
    const headers = { 'content-range': `bytes */${size}` };
    const message = 'The range lies outside the file.';
    throw new RefusalError({ status: 416, code: 'range_not_satisfiable', message, headers });
  }
  const { from, to } = range ?? { from: 0, to: size - 1 };
  if (range) response.setHeader('content-range', `bytes ${from}-${to}/${size}`);
  response.writeHead(range ? 206 : 200, { 'content-type': type, 'content-length': to - from + 1 });
  await writeThrottled(bytes.subarray(from, to + 1), effect, response);
}

const INTERVAL_MS = 50;

/** Writes the bytes at the rate and up to the length that the task's scenario allows. */
async function writeThrottled(
  bytes: Buffer,
  effect: TaskEffect,
  response: ServerResponse,
): Promise<void> {
  const { cutAfter = Infinity, bytesPerSecond } = effect;
  const allowed = bytes.subarray(0, Math.min(cutAfter, bytes.length));
  const isCut = allowed.length < bytes.length;
  if (bytesPerSecond === undefined && !isCut) return void response.end(bytes);
  const step = Math.max(1, Math.floor(((bytesPerSecond ?? Infinity) * INTERVAL_MS) / 1000));
  for (let at = 0; at < allowed.length && !response.destroyed; at += step) {
    if (at > 0) await setTimeout(INTERVAL_MS);
    response.write(allowed.subarray(at, at + step));
  }
  // The written bytes are flushed first.
  if (isCut) response.write('', () => response.destroy());
  else response.end();
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Parses a single byte range; anything else is ignored, as RFC 9110 section 14.2 allows. */
function parseRange(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const from = Math.max(size - Number(last), 0);
    return from < size ? { from, to: size - 1 } : 'unsatisfiable';
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from < size ? { from, to } : 'unsatisfiable';
}
