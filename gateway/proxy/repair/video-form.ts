import { createHash } from 'node:crypto';
import { Problem } from '../../../shared/problem.ts';
import type { Repair } from '../../../shared/repair.ts';
import { type FormMembers, type FormValue, jsonOf, membersOfForm } from './form-fields.ts';

/** A file of a form. */
export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** A video that was ordered by a form, as the official SDKs do it, on its way to the JSON of spec section 4.6. */
export interface VideoForm {
  readonly model: string | null;
  /** The other members. */
  readonly members: FormMembers;
  /** The reference files, which the service wants uploaded first. */
  readonly files: readonly FormFile[];
  /** Addresses of images that the form names itself. */
  readonly addresses: readonly string[];
  readonly repair: Repair;
}

/** What the spec shows (section 4.6), for forms that do not say. */
const SHOWN = { task: 'ref2va', seconds: '4', resolution: '480p' } as const;

/** Far more than an order has. */
const MOST_PARTS = 500;
const BOUNDARY = /\bboundary\s*=\s*(?:"([^"]+)"|([^\s;,"]+))/iu;

const SIZE = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/u;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64,([\w+/=\s]*)$/u;

/** Reads a multipart body. Throws Problem when it is none. */
export async function readVideoForm(body: Buffer, contentType: string): Promise<VideoForm> {
  const form = await parse(body, contentType);
  const files: FormFile[] = [];
  const fields: [name: string, value: string][] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.push([name, value]);
    else files.push(await fileOf(value));
  }
  const members = membersOfForm(fields);
  const addresses = takeReferences(members, files);
  const model = members.get('model');
  if (typeof model === 'string') members.delete('model');
  const advice = complete(members, files.length);
  const filled = Object.keys(SHOWN).map((name) => [name, members.get(name)]);
  return {
    model: typeof model === 'string' ? model : null,
    members,
    files,
    addresses,
    repair: {
      code: 'video-form-to-json',
      before: `a form with ${[...new Set(form.keys())].join(', ')}`,
      after: JSON.stringify(Object.fromEntries(filled)),
      advice,
    },
  };
}

/** The order as the service wants it. `addresses` are those of the form's files, in their order. */
export function orderBody(
  { members, addresses: named }: VideoForm,
  model: string | null,
  addresses: readonly string[],
): Buffer {
  const images = [...named, ...addresses].map((url): FormValue => imageAt(url));
  const given = members.get('conditions');
  const before = given === undefined ? [] : Array.isArray(given) ? given : [given];
  const conditions = [...before, ...images];
  const body: FormMembers = new Map(model === null ? [] : [['model', model]]);
  for (const [name, value] of members) if (name !== 'conditions') body.set(name, value);
  if (conditions.length > 0) body.set('conditions', conditions);
  return Buffer.from(JSON.stringify(jsonOf(body)));
}

/** What tells one such order from another: a file's address is another after each upload, its content is not. */
export function orderIdentity(form: VideoForm, model: string | null): Buffer {
  return orderBody(
    form,
    model,
    form.files.map(({ sha256 }) => `sha256:${sha256}`),
  );
}

function imageAt(url: string): FormMembers {
  return new Map([
    ['type', 'image'],
    ['url', url],
  ]);
}

async function parse(body: Buffer, contentType: string): Promise<FormData> {
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
  return withHash({
    name: file.name,
    type: file.type,
    bytes: Buffer.from(await file.arrayBuffer()),
  });
}

function withHash(file: Omit<FormFile, 'sha256'>): FormFile {
  return { ...file, sha256: createHash('sha256').update(file.bytes).digest('hex') };
}

/** Takes out `input_reference[image_url]`, the other way in which the official SDKs name an image: its address, or the image itself. */
function takeReferences(members: FormMembers, files: FormFile[]): string[] {
  const reference = members.get('input_reference');
  const address = reference instanceof Map ? reference.get('image_url') : undefined;
  if (!(reference instanceof Map) || typeof address !== 'string') return [];
  const [, type = 'application/octet-stream', base64] = DATA_URL.exec(address) ?? [];
  if (base64 === undefined && !/^https?:\/\//iu.test(address)) return [];
  reference.delete('image_url');
  if (reference.size === 0) members.delete('input_reference');
  if (base64 === undefined) return [address];
  files.push(withHash({ name: 'reference', type, bytes: Buffer.from(base64, 'base64') }));
  return [];
}

/** Fills in what the form does not say and the service demands, and tells of it. */
function complete(members: FormMembers, files: number): string {
  const told = ['The service takes video orders as JSON. Gatehouse made it of this client’s form.'];
  if (files > 0) told.push('It uploaded the reference file first.');
  const size = members.get('size');
  const sides = typeof size === 'string' ? SIZE.exec(size) : null;
  if (sides !== null && !members.has('resolution')) {
    const resolution = `${Math.min(Number(sides[1]), Number(sides[2]))}p`;
    members.delete('size');
    members.set('resolution', resolution);
    told.push(`The size ${sides[0]} became the resolution ${resolution}.`);
  }
  const missing = Object.entries(SHOWN).filter(([name]) => !members.has(name));
  for (const [name, value] of missing) members.set(name, value);
  if (missing.length > 0) {
    const filled = missing.map(([name, value]) => `${name} “${value}”`).join(', ');
    told.push(
      `The form did not say everything: ${filled} is what the service’s documentation shows. To choose, send fields of these names.`,
    );
  }
  return told.join(' ');
}
