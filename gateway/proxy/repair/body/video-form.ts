import type { Repair } from '../../../../shared/exchange/repair.ts';
import { type FormEntry, type FormFile, withHash } from './form-entries.ts';
import { type FormMembers, type FormValue, toJson, toFormMembers } from './form-fields.ts';

/** A video order sent as a form, as the official SDKs do it, parsed for conversion to the JSON of spec section 4.6. */
export interface VideoForm {
  readonly model: string | null;
  /** The members other than `model`. */
  readonly members: FormMembers;
  /** The reference files. They are uploaded before the order is sent. */
  readonly files: readonly FormFile[];
  /** Image URLs that the form itself contains. */
  readonly addresses: readonly string[];
  readonly repair: Repair;
}

/** The values of the spec's example (section 4.6), for members that a form lacks. */
const DEFAULTS = { task: 'ref2va', seconds: '4', resolution: '480p' } as const;

const SIZE = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/u;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64,([\w+/=\s]*)$/u;

/** Converts the parts of a form to an order. */
export function readVideoForm(entries: readonly FormEntry[]): VideoForm {
  const files: FormFile[] = [];
  const fields: [name: string, value: string][] = [];
  for (const { name, value } of entries) {
    if (typeof value === 'string') fields.push([name, value]);
    else files.push(value);
  }
  const members = toFormMembers(fields);
  const addresses = takeReferences(members, files);
  const model = members.get('model');
  if (typeof model === 'string') members.delete('model');
  const advice = addMissing(members, files.length);
  const filled = Object.keys(DEFAULTS).map((name) => [name, members.get(name)]);
  return {
    model: typeof model === 'string' ? model : null,
    members,
    files,
    addresses,
    repair: {
      code: 'video-form-to-json',
      before: `a form with ${[...new Set(entries.map(({ name }) => name))].join(', ')}`,
      after: JSON.stringify(Object.fromEntries(filled)),
      advice,
    },
  };
}

/** Returns the order as JSON. `addresses` are the URLs of the form's uploaded files, in their order. */
export function orderBody(
  { members, addresses: imageUrls }: VideoForm,
  model: string | null,
  addresses: readonly string[],
): Buffer {
  const images = [...imageUrls, ...addresses].map((url): FormValue => toImage(url));
  const sent = members.get('conditions');
  const before = sent === undefined ? [] : Array.isArray(sent) ? sent : [sent];
  const conditions = [...before, ...images];
  const body: FormMembers = new Map(model === null ? [] : [['model', model]]);
  for (const [name, value] of members) if (name !== 'conditions') body.set(name, value);
  if (conditions.length > 0) body.set('conditions', conditions);
  return Buffer.from(JSON.stringify(toJson(body)));
}

function toImage(url: string): FormMembers {
  return new Map([
    ['type', 'image'],
    ['url', url],
  ]);
}

/** Removes `input_reference[image_url]`, in which the official SDKs send an image. Returns its URL; adds a data URL to `files` instead. */
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

/** Adds members that the service requires and the form lacks. Returns the advice that describes the conversion. */
function addMissing(members: FormMembers, files: number): string {
  const advice = [
    'The service takes video orders as JSON. Gatehouse converted this client’s form.',
  ];
  // The order may be a repeat, for which nothing is uploaded.
  if (files > 0)
    advice.push(
      'The service takes reference files by address, so they are uploaded before an order.',
    );
  const size = members.get('size');
  const sides = typeof size === 'string' ? SIZE.exec(size) : null;
  if (sides !== null && !members.has('resolution')) {
    const resolution = `${Math.min(Number(sides[1]), Number(sides[2]))}p`;
    members.delete('size');
    members.set('resolution', resolution);
    advice.push(`The size ${sides[0]} became the resolution ${resolution}.`);
  }
  const missing = Object.entries(DEFAULTS).filter(([name]) => !members.has(name));
  for (const [name, value] of missing) members.set(name, value);
  if (missing.length > 0) {
    const filled = missing.map(([name, value]) => `${name} “${value}”`).join(', ');
    advice.push(
      `The form lacked required fields. Gatehouse used the values of the service’s documentation: ${filled}. To choose other values, send these fields.`,
    );
  }
  return advice.join(' ');
}
