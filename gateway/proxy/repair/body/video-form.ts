import type { Repair } from '../../../../shared/repair.ts';
import { type FormEntry, type FormFile, withHash } from './form-entries.ts';
import { type FormMembers, type FormValue, toJson, toFormMembers } from './form-fields.ts';

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

const SIZE = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/u;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64,([\w+/=\s]*)$/u;

/** Reads the parts of a form as an order. */
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
  const advice = complete(members, files.length);
  const filled = Object.keys(SHOWN).map((name) => [name, members.get(name)]);
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
  return Buffer.from(JSON.stringify(toJson(body)));
}

function imageAt(url: string): FormMembers {
  return new Map([
    ['type', 'image'],
    ['url', url],
  ]);
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
