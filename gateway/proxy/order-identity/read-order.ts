import { createHash } from 'node:crypto';
import { type FormEntry, formEntries } from '../repair/form-entries.ts';
import { toJson, toFormMembers } from '../repair/form-fields.ts';
import { canonicalJson } from './canonical-json.ts';
import { boundOrderText } from './order-bound.ts';
import { orderText } from './order-text.ts';

/** The body of an order as the client sent it, unpacked. */
export interface SentBody {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Where below `/v1/videos` it was sent, as `orderPath` has it. */
  readonly path: string;
}

/** What is known of an order before anything in it is repaired. */
export interface ReadOrder {
  /** Equal exactly for orders that say the same in the same place. */
  readonly identity: string;
  /** What is ordered, as JSON: a form as its fields. */
  readonly shown: Buffer;
  /** What a form holds; `null` for JSON and for an empty body. */
  readonly form: readonly FormEntry[] | null;
}

/** Reads an order. Throws Problem undecodable_body for one that is neither JSON, nor a form, nor empty, body_too_complex and body_too_large. */
export async function readOrder({ bytes, contentType, path }: SentBody): Promise<ReadOrder> {
  if (/^\s*multipart\//iu.test(contentType)) {
    const form = await formEntries(bytes, contentType);
    return { identity: digest(path, 'form', canonicalForm(form)), shown: fieldsOf(form), form };
  }
  if (bytes.length === 0) {
    return { identity: digest(path, 'empty', ''), shown: Buffer.from('{}'), form: null };
  }
  boundOrderText(bytes.length);
  const text = await orderText(bytes, contentType);
  const identity = digest(path, 'json', canonicalJson(text));
  return { identity, shown: Buffer.from(text), form: null };
}

/**
 * Parts with the hash of a file in the place of its bytes. Those of one field, with all that is nested in it, keep their order, for it
 * means something there; the fields among each other do not.
 */
function canonicalForm(entries: readonly FormEntry[]): string {
  const parts = entries.map(({ name, value }) =>
    typeof value === 'string' ? [name, 'text', value] : [name, 'file', value.sha256],
  );
  return JSON.stringify(
    parts.toSorted(([one], [other]) => compare(findField(one), findField(other))),
  );
}

function findField(name = ''): string {
  return name.split('[', 1)[0] ?? '';
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function fieldsOf(entries: readonly FormEntry[]): Buffer {
  const fields = entries.flatMap(({ name, value }) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Buffer.from(JSON.stringify(toJson(toFormMembers(fields))));
}

function digest(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}
