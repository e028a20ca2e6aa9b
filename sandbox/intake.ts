import type { IncomingMessage } from 'node:http';
import { invalid, Refusal } from './errors.ts';
import type { UploadedFile } from './files.ts';
import { type JsonObject, parseObject } from './json.ts';
import { UploadForm } from './multipart.ts';
import type { BodyNote } from './seen.ts';

/** A request body that was read to its end. */
export interface Intake {
  /** Empty unless the route takes JSON. */
  readonly body: JsonObject;
  readonly upload: UploadedFile | undefined;
}

interface Arriving {
  readonly request: IncomingMessage;
  readonly note: BodyNote;
}

const JSON_BYTES = 64 * 2 ** 20;

/**
 * Reads the body a route takes. A wrong content type or content is refused with 400, too many bytes with 413, at once;
 * the rest still arrives and is thrown away. Rejects when the caller goes away.
 */
export async function readBody(
  arriving: Arriving,
  takes: 'nothing' | 'json' | 'form',
): Promise<Intake> {
  switch (takes) {
    case 'nothing':
      await receive(arriving, () => {});
      return { body: {}, upload: undefined };
    case 'json':
      return { body: await readJson(arriving), upload: undefined };
    case 'form':
      return { body: {}, upload: await readForm(arriving) };
  }
}

async function readJson(arriving: Arriving): Promise<JsonObject> {
  const { headers } = arriving.request;
  checkUncoded(arriving.request);
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    throw invalid('A JSON body needs "Content-Type: application/json".');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  await receive(arriving, (chunk) => {
    size += chunk.length;
    if (size > JSON_BYTES) throw tooLarge(JSON_BYTES);
    chunks.push(chunk);
  });
  return parseObject(Buffer.concat(chunks));
}

async function readForm(arriving: Arriving): Promise<UploadedFile> {
  checkUncoded(arriving.request);
  const form = new UploadForm(arriving.request.headers['content-type'] ?? '');
  await receive(arriving, (chunk) => form.take(chunk));
  return form.finish();
}

function checkUncoded({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] !== undefined) {
    throw invalid('A compressed body is not supported; send it without Content-Encoding.');
  }
}

function tooLarge(most: number): Refusal {
  const message = `The body is larger than ${most / 2 ** 20} MiB.`;
  return new Refusal({ status: 413, code: 'request_too_large', message });
}

function receive({ request, note }: Arriving, take: (chunk: Buffer) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let refused = false;
  request.on('data', (chunk: Buffer) => {
    note.keep(chunk);
    if (refused) return;
    try {
      take(chunk);
    } catch (error) {
      refused = true;
      reject(error);
    }
  });
  request.once('end', () => {
    note.complete();
    resolve();
  });
  request.once('error', reject);
  request.once('close', () => reject(new Error('The caller went away.')));
  return promise;
}
