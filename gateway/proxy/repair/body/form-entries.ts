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

/** Maximum number of parts. An order has far fewer. */
const MAX_PARTS = 500;
/** Bytes of the headers of one part. */
const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/** The Content-Disposition lines in the head of a part. The form parser makes a file of the part when each of them has a `filename`. */
const DISPOSITION = /^[ \t]*content-disposition[ \t]*:.*$/gimu;
const FILE = /:[ \t]*form-data;[ \t]*name="[^"]*";[ \t]*filename/iu;

/**
 * Returns the parts of a multipart body, in their order.
 * @throws Problem undecodable_body when the body is no such form, or as `boundParts` does.
 */
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
      'This form cannot be read: its parts do not match its content type, or it is incomplete. Nothing was sent; send it again, or order the video with JSON.',
      { cause: error },
    );
  }
}

/**
 * Checks the size of a multipart body; called before anything parses it.
 * @throws Problem body_too_complex when it has more than 500 parts, or a part with headers of more than 16 KiB; body_too_large when
 * everything outside of files is more than the text of an order may have.
 */
export function boundParts(body: Buffer, contentType: string): void {
  const boundary = Buffer.from(`--${findBoundary(contentType)}`, 'latin1');
  let at = body.indexOf(boundary);
  let text = at === -1 ? body.length : at;
  // The boundary may also occur inside a part; it then counts as one more part.
  for (let parts = 0; at !== -1; parts += 1) {
    if (parts > MAX_PARTS) throw tooManyPartsProblem();
    const start = at + boundary.length;
    const next = body.indexOf(boundary, start);
    text += countTextBytes(body.subarray(start, next === -1 ? body.length : next));
    at = next;
  }
  boundOrderText(text);
}

/** Parses the boundary as the form parser does (WHATWG MIME Sniffing), so that both find the same parts. */
function findBoundary(contentType: string): string {
  try {
    return new MIMEType(contentType).params.get('boundary') ?? '';
  } catch {
    // The form parser rejects this content type too.
    return '';
  }
}

/** Returns how many bytes of a part, after its boundary, are not the content of a file. */
function countTextBytes(part: Buffer): number {
  if (part[0] !== 0x0d || part[1] !== 0x0a) return part.length;
  const start = part.subarray(0, MAX_HEAD_BYTES);
  const end = start.indexOf(HEAD_END);
  if (end === -1 && start.length === MAX_HEAD_BYTES) throw tooLongHeadProblem();
  const dispositions = start.toString('latin1', 0, Math.max(end, 0)).match(DISPOSITION) ?? [];
  const isFile = dispositions.length > 0 && dispositions.every((line) => FILE.test(line));
  return isFile ? end : part.length;
}

function tooLongHeadProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `A part of this form has headers of more than ${MAX_HEAD_BYTES / 1024} KiB, the maximum. Nothing was sent. Send it with a shorter name of the field or the file, or order the video with JSON.`,
  );
}

function tooManyPartsProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `This form has more than ${MAX_PARTS} parts, the maximum. Nothing was sent. Send it with fewer, or order the video with JSON.`,
  );
}

async function toFormFile(file: File): Promise<FormFile> {
  const { name, type } = file;
  return withHash({ name, type, bytes: Buffer.from(await file.arrayBuffer()) });
}

/** Adds the hash of a file's bytes. */
export function withHash(file: Omit<FormFile, 'sha256'>): FormFile {
  return { ...file, sha256: createHash('sha256').update(file.bytes).digest('hex') };
}
