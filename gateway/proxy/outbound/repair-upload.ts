import { type Readable, Transform } from 'node:stream';
import { fileTypeFromBuffer } from 'file-type';
import type { Repair } from '../../../shared/exchange/repair.ts';
import { findHeader, withoutHeaders } from '../../http/headers.ts';
import { createRepair } from '../repair/create-repair.ts';
import { FormParts } from '../repair/body/form-parts.ts';
import { declaredBoundary } from '../repair/headers.ts';

/** An upload of which the first bytes have come. */
export interface Upload {
  readonly headers: string[];
  /** The first chunk of the body. */
  readonly start: Buffer;
  /** Creates the boundary of a form: letters and digits that occur in no file. */
  readonly makeBoundary: () => string;
  readonly onRepairs: (repairs: readonly Repair[]) => void;
}

/** An upload as it is sent. */
export interface RepairedUpload {
  readonly headers: string[];
  /** Number of bytes that are added to the body. */
  readonly added: number;
  /** Transforms the body; `null` when it stays as it is. */
  readonly transform: Transform | null;
}

const CONTENT_TYPE: ReadonlySet<string> = new Set(['content-type']);

/**
 * Repairs an upload to a form with a part named `file` (spec section 4.5): an image without a form is wrapped in one, and the part of a
 * form that holds the file gets that name.
 */
export async function repairUpload(upload: Upload): Promise<RepairedUpload> {
  const type = findHeader(upload.headers, 'content-type') ?? '';
  const boundary = declaredBoundary(type);
  if (boundary !== null) return repairUploadForm(boundary, upload);
  const image = await detectImageType(upload.start, type);
  return image === null
    ? { headers: upload.headers, added: 0, transform: null }
    : wrapInForm(image, upload);
}

function repairUploadForm(boundary: string, { headers, onRepairs }: Upload): RepairedUpload {
  const parts = new FormParts({
    boundary,
    rename: true,
    onChange: ({ before, after }) => onRepairs([createRepair('upload-part', before, after)]),
  });
  const transform = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, parts.push(chunk)),
    flush: (done) => done(null, parts.end()),
  });
  return { headers, added: 0, transform };
}

/** Detects the type of an image by its first bytes, or by its declared type where they tell nothing; `null` for other files. */
async function detectImageType(start: Buffer, declared: string): Promise<string | null> {
  const found = (await fileTypeFromBuffer(start))?.mime ?? declared.split(';')[0]?.trim() ?? '';
  return /^image\/[\w.+-]+$/iu.test(found) ? found.toLowerCase() : null;
}

function wrapInForm(image: string, { headers, makeBoundary, onRepairs }: Upload): RepairedUpload {
  const boundary = makeBoundary();
  const extension = image.slice('image/'.length).replace(/\W.*$/u, '');
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="image.${extension}"\r\nContent-Type: ${image}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const type = `multipart/form-data; boundary=${boundary}`;
  const sent = findHeader(headers, 'content-type') ?? 'no type';
  onRepairs([
    createRepair(
      'upload-form',
      `an image as the whole body, as ${sent}`,
      'a form with the part file',
    ),
  ]);
  const transform = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
    flush: (done) => done(null, tail),
  });
  transform.push(head);
  return {
    headers: [...withoutHeaders(headers, CONTENT_TYPE), 'content-type', type],
    added: head.length + tail.length,
    transform,
  };
}

/** Pipes a body through a transform. A failure or the end of one side is passed to the other. */
export function pipeThrough(body: Readable, transform: Transform): Readable {
  body.on('error', (error) => transform.destroy(error));
  // Its reader handles a failure; without a reader there is nothing to do.
  transform.on('error', () => undefined);
  transform.once('close', () => body.destroy());
  return body.pipe(transform);
}
