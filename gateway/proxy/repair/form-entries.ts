import { createHash } from 'node:crypto';
import { Problem } from '../../../shared/problem.ts';

/** A file of a form. */
export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** One part of a form: a field's text, or a file. */
export interface FormEntry {
  readonly name: string;
  readonly value: string | FormFile;
}

/** Far more than an order has. */
const MOST_PARTS = 500;
const BOUNDARY = /\bboundary\s*=\s*(?:"([^"]+)"|([^\s;,"]+))/iu;

/** The parts of a multipart body, in their order. Throws Problem undecodable_body when it is none, body_too_complex for more than 500 parts. */
export async function formEntries(
  body: Buffer,
  contentType: string,
): Promise<readonly FormEntry[]> {
  const entries: FormEntry[] = [];
  for (const [name, value] of await parse(body, contentType)) {
    entries.push({ name, value: typeof value === 'string' ? value : await fileOf(value) });
  }
  return entries;
}

async function parse(body: Buffer, contentType: string): Promise<FormData> {
  boundParts(body, contentType);
  try {
    const headers = { 'content-type': contentType };
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch (error) {
    throw new Problem(
      'undecodable_body',
      'This form cannot be read: its parts are not as its content type says, or it is cut off. Nothing was sent; send it again, or order the video with JSON.',
      { cause: error },
    );
  }
}

/** @throws Problem body_too_complex when a multipart body has more than 500 parts. To be asked before anything reads it. */
export function boundParts(body: Buffer, contentType: string): void {
  if (countParts(body, contentType) > MOST_PARTS) throw tooManyParts();
}

/** The parts of a multipart body, or a few more: its boundary may stand elsewhere, too. */
function countParts(body: Buffer, contentType: string): number {
  const [, quoted, plain = ''] = BOUNDARY.exec(contentType) ?? [];
  const boundary = Buffer.from(`--${quoted ?? plain}`, 'latin1');
  let parts = -1;
  for (let at = body.indexOf(boundary); at !== -1 && parts <= MOST_PARTS; parts += 1) {
    at = body.indexOf(boundary, at + boundary.length);
  }
  return parts;
}

function tooManyParts(): Problem {
  return new Problem(
    'body_too_complex',
    `This form has more than ${MOST_PARTS} parts, the most Gatehouse takes. Nothing was sent. Send it with fewer, or order the video with JSON.`,
  );
}

async function fileOf(file: File): Promise<FormFile> {
  const { name, type } = file;
  return withHash({ name, type, bytes: Buffer.from(await file.arrayBuffer()) });
}

/** The same file with the hash of its bytes. */
export function withHash(file: Omit<FormFile, 'sha256'>): FormFile {
  return { ...file, sha256: createHash('sha256').update(file.bytes).digest('hex') };
}
