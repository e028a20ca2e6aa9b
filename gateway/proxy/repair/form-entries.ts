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
/** Bytes of the headers of one part. */
const LONGEST_HEAD = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const BOUNDARY = /\bboundary\s*=\s*(?:"([^"]+)"|([^\s;,"]+))/iu;

/** The parts of a multipart body, in their order. Throws Problem undecodable_body when it is none, body_too_complex as `boundParts` does. */
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

/**
 * @throws Problem body_too_complex when a multipart body has more than 500 parts, or one with headers of more than 16 KiB. To be asked
 * before anything reads it.
 */
export function boundParts(body: Buffer, contentType: string): void {
  const [, quoted, plain = ''] = BOUNDARY.exec(contentType) ?? [];
  const boundary = Buffer.from(`--${quoted ?? plain}`, 'latin1');
  // The boundary may also stand within a part; then a few parts less are taken.
  for (let at = body.indexOf(boundary), parts = 0; at !== -1; parts += 1) {
    if (parts > MOST_PARTS) throw tooManyParts();
    const begin = at + boundary.length;
    const head = body.subarray(begin, begin + LONGEST_HEAD);
    const isPart = head[0] === 0x0d && head[1] === 0x0a;
    if (isPart && head.length === LONGEST_HEAD && !head.includes(HEAD_END)) throw tooLongHead();
    at = body.indexOf(boundary, begin);
  }
}

function tooLongHead(): Problem {
  return new Problem(
    'body_too_complex',
    `A part of this form has headers of more than ${LONGEST_HEAD / 1024} KiB, the most Gatehouse takes. Nothing was sent. Send it with a shorter name of the field or the file, or order the video with JSON.`,
  );
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
