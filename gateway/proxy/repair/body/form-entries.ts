import { createHash } from 'node:crypto';
import { MIMEType } from 'node:util';
import { Problem } from '../../../../shared/problem.ts';
import { boundOrderText } from '../../order-identity/order-bound.ts';

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
const MAX_PARTS = 500;
/** Bytes of the headers of one part. */
const MAX_HEAD_LENGTH = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/** The head of a part that the form's parser makes a file of: every disposition in it names one. */
const DISPOSITION = /^[ \t]*content-disposition[ \t]*:.*$/gimu;
const FILE = /:[ \t]*form-data;[ \t]*name="[^"]*";[ \t]*filename/iu;

/** The parts of a multipart body, in their order. Throws Problem undecodable_body when it is none, or as `boundParts` does. */
export async function formEntries(
  body: Buffer,
  contentType: string,
): Promise<readonly FormEntry[]> {
  const entries: FormEntry[] = [];
  for (const [name, value] of await parse(body, contentType)) {
    entries.push({ name, value: typeof value === 'string' ? value : await toFormFile(value) });
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
 * @throws Problem body_too_complex when a multipart body has more than 500 parts, or one with headers of more than 16 KiB, body_too_large
 * when what is not in files comes to more than an order's text may have. To be asked before anything reads it.
 */
export function boundParts(body: Buffer, contentType: string): void {
  const boundary = Buffer.from(`--${findBoundary(contentType)}`, 'latin1');
  let at = body.indexOf(boundary);
  let text = at === -1 ? body.length : at;
  // The boundary may also stand within a part; then a few parts less are taken.
  for (let parts = 0; at !== -1; parts += 1) {
    if (parts > MAX_PARTS) throw tooManyParts();
    const begin = at + boundary.length;
    const next = body.indexOf(boundary, begin);
    text += textIn(body.subarray(begin, next === -1 ? body.length : next));
    at = next;
  }
  boundOrderText(text);
}

/** Read as the form's parser reads it (WHATWG MIME Sniffing), so that both find the same parts. */
function findBoundary(contentType: string): string {
  try {
    return new MIMEType(contentType).params.get('boundary') ?? '';
  } catch {
    // That parser refuses the form for it.
    return '';
  }
}

/** Bytes of a part, after its boundary, that are not the content of a file. */
function textIn(part: Buffer): number {
  if (part[0] !== 0x0d || part[1] !== 0x0a) return part.length;
  const start = part.subarray(0, MAX_HEAD_LENGTH);
  const end = start.indexOf(HEAD_END);
  if (end === -1 && start.length === MAX_HEAD_LENGTH) throw tooLongHead();
  const dispositions = start.toString('latin1', 0, Math.max(end, 0)).match(DISPOSITION) ?? [];
  const isFile = dispositions.length > 0 && dispositions.every((line) => FILE.test(line));
  return isFile ? end : part.length;
}

function tooLongHead(): Problem {
  return new Problem(
    'body_too_complex',
    `A part of this form has headers of more than ${MAX_HEAD_LENGTH / 1024} KiB, the most Gatehouse takes. Nothing was sent. Send it with a shorter name of the field or the file, or order the video with JSON.`,
  );
}

function tooManyParts(): Problem {
  return new Problem(
    'body_too_complex',
    `This form has more than ${MAX_PARTS} parts, the most Gatehouse takes. Nothing was sent. Send it with fewer, or order the video with JSON.`,
  );
}

async function toFormFile(file: File): Promise<FormFile> {
  const { name, type } = file;
  return withHash({ name, type, bytes: Buffer.from(await file.arrayBuffer()) });
}

/** The same file with the hash of its bytes. */
export function withHash(file: Omit<FormFile, 'sha256'>): FormFile {
  return { ...file, sha256: createHash('sha256').update(file.bytes).digest('hex') };
}
