import type { IncomingMessage } from 'node:http';
import { invalid, RefusalError } from './errors.ts';
import type { UploadedFile } from '../files.ts';
import { type JsonObject, parseObject } from '../json.ts';
import { MultipartParser } from './multipart.ts';
import type { BodyRecorder } from './request-recorder.ts';

/** A complete request body. */
export interface ReceivedBody {
  /** Empty unless the route takes JSON. */
  readonly body: JsonObject;
  readonly upload: UploadedFile | undefined;
}

interface IncomingBody {
  readonly request: IncomingMessage;
  readonly recorder: BodyRecorder;
}

const JSON_BYTES = 64 * 2 ** 20;

/**
 * Reads the body that a route accepts. A wrong content type or content is immediately refused with 400, too many bytes with 413;
 * the remaining bytes are discarded. Rejects when the caller disconnects.
 */
export async function readBody(
  incoming: IncomingBody,
  takes: 'nothing' | 'json' | 'form',
): Promise<ReceivedBody> {
  switch (takes) {
    case 'nothing':
      await receive(incoming, () => {});
      return { body: {}, upload: undefined };
    case 'json':
      return { body: await readJson(incoming), upload: undefined };
    case 'form':
      return { body: {}, upload: await readForm(incoming) };
  }
}

async function readJson(incoming: IncomingBody): Promise<JsonObject> {
  const { headers } = incoming.request;
  requireNoEncoding(incoming.request);
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    throw invalid('A JSON body needs "Content-Type: application/json".');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  await receive(incoming, (chunk) => {
    size += chunk.length;
    if (size > JSON_BYTES) throw tooLarge(JSON_BYTES);
    chunks.push(chunk);
  });
  return parseObject(Buffer.concat(chunks));
}

async function readForm(incoming: IncomingBody): Promise<UploadedFile> {
  requireNoEncoding(incoming.request);
  const form = new MultipartParser(incoming.request.headers['content-type'] ?? '');
  await receive(incoming, (chunk) => form.add(chunk));
  return form.finish();
}

function requireNoEncoding({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] !== undefined) {
    throw invalid('A compressed body is not supported; send it without Content-Encoding.');
  }
}

function tooLarge(limit: number): RefusalError {
  const message = `The body is larger than ${limit / 2 ** 20} MiB.`;
  return new RefusalError({ status: 413, code: 'request_too_large', message });
}

function receive(
  { request, recorder }: IncomingBody,
  take: (chunk: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let refused = false;
  request.on('data', (chunk: Buffer) => {
    recorder.add(chunk);
    if (refused) return;
    try {
      take(chunk);
    } catch (error) {
      refused = true;
      reject(error);
    }
  });
  request.once('end', () => {
    recorder.complete();
    resolve();
  });
  request.once('error', reject);
  request.once('close', () => reject(new Error('The caller disconnected.')));
  return promise;
}
