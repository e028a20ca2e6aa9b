import { createHash } from 'node:crypto';
import { type FormEntry, formEntries } from '../repair/body/form-entries.ts';
import { toJson, toFormMembers } from '../repair/body/form-fields.ts';
import { canonicalJson } from '../../../shared/parse-bodies/canonical-json.ts';
import { boundOrderText } from './order-bound.ts';
import { orderText } from './order-text.ts';

/** The body of an order as the client sent it, decoded. */
export interface SentBody {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The `orderPath` of its route. */
  readonly path: string;
}

/** An order before any repair. */
export interface ReadOrder {
  /** Is equal exactly for equal orders at the same path. */
  readonly identity: string;
  /** The order as JSON; of a form its fields. */
  readonly shown: Buffer;
  /** The parts of a form; `null` for JSON and for an empty body. */
  readonly form: readonly FormEntry[] | null;
}

/** Reads an order. @throws Problem undecodable_body for one that is neither JSON, nor a form, nor empty; body_too_complex; body_too_large */
export async function readOrder({ bytes, contentType, path }: SentBody): Promise<ReadOrder> {
  if (/^\s*multipart\//iu.test(contentType)) {
    const form = await formEntries(bytes, contentType);
    return {
      identity: digest(path, 'form', canonicalForm(form)),
      shown: serializeFields(form),
      form,
    };
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
 * Converts a form to its canonical text, with a hash in the place of a file. The order of the parts of one field, and of all that is
 * nested in it, is kept, because it has a meaning; the order of the fields is not.
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

function serializeFields(entries: readonly FormEntry[]): Buffer {
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
