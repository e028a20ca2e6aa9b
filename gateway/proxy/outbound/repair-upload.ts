import { type Readable, Transform } from 'node:stream';
import { fileTypeFromBuffer } from 'file-type';
import type { Repair } from '../../../shared/repair.ts';
import { findHeader, withoutHeaders } from '../../http/headers.ts';
import { createRepair } from '../repair/create-repair.ts';
import { FormParts } from '../repair/form-parts.ts';
import { declaredBoundary } from '../repair/headers.ts';

/** An upload on its way in, as its first bytes are known. */
export interface Upload {
  readonly headers: string[];
  /** The first piece of the body. */
  readonly start: Buffer;
  /** Makes the boundary of a form: letters and digits that no file has. */
  readonly makeBoundary: () => string;
  readonly note: (repairs: readonly Repair[]) => void;
}

/** How an upload is to be sent. */
export interface RepairedUpload {
  readonly headers: string[];
  /** By how many bytes the body grows. */
  readonly added: number;
  /** What the body passes through; `null` when it stays as it is. */
  readonly through: Transform | null;
}

const CONTENT_TYPE: ReadonlySet<string> = new Set(['content-type']);

/**
 * Makes of an upload what the service takes (spec section 4.5), a form with a part named `file`: an image that was sent bare gets a
 * form around it, and in a form the part of the file gets its name.
 */
export async function repairUpload(upload: Upload): Promise<RepairedUpload> {
  const type = findHeader(upload.headers, 'content-type') ?? '';
  const boundary = declaredBoundary(type);
  if (boundary !== null) return repairUploadForm(boundary, upload);
  const image = await imageType(upload.start, type);
  return image === null
    ? { headers: upload.headers, added: 0, through: null }
    : wrap(image, upload);
}

function repairUploadForm(boundary: string, { headers, note }: Upload): RepairedUpload {
  const parts = new FormParts({
    boundary,
    rename: true,
    onChange: ({ before, after }) => note([createRepair('upload-part', before, after)]),
  });
  const through = new Transform({
    transform: (piece: Buffer, _encoding, done) => done(null, parts.push(piece)),
    flush: (done) => done(null, parts.end()),
  });
  return { headers, added: 0, through };
}

/** By its first bytes; a type that was declared counts for images that have none to know them by. */
async function imageType(start: Buffer, declared: string): Promise<string | null> {
  const found = (await fileTypeFromBuffer(start))?.mime ?? declared.split(';')[0]?.trim() ?? '';
  return /^image\/[\w.+-]+$/iu.test(found) ? found.toLowerCase() : null;
}

function wrap(image: string, { headers, makeBoundary, note }: Upload): RepairedUpload {
  const boundary = makeBoundary();
  const ending = image.slice('image/'.length).replace(/\W.*$/u, '');
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="image.${ending}"\r\nContent-Type: ${image}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const type = `multipart/form-data; boundary=${boundary}`;
  const sent = findHeader(headers, 'content-type') ?? 'no type';
  note([
    createRepair(
      'upload-form',
      `an image as the whole body, as ${sent}`,
      'a form with the part file',
    ),
  ]);
  const through = new Transform({
    transform: (piece: Buffer, _encoding, done) => done(null, piece),
    flush: (done) => done(null, tail),
  });
  through.push(head);
  return {
    headers: [...withoutHeaders(headers, CONTENT_TYPE), 'content-type', type],
    added: head.length + tail.length,
    through,
  };
}

/** The body after what it passes through. A sender that breaks off breaks that off, too. */
export function passThrough(body: Readable, through: Transform): Readable {
  body.on('error', (error) => through.destroy(error));
  // The reader hears of the failure; with nobody reading any more it is nobody's failure.
  through.on('error', () => undefined);
  through.once('close', () => body.destroy());
  return body.pipe(through);
}
