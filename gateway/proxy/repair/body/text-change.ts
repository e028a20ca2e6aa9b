import { ByteChunks } from '../../../lib/byte-chunks.ts';
import { asObject, type JsonObject, tryParseJson } from '../../../lib/json-object.ts';

/** The bytes of a body from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text that replaces the bytes between two offsets. */
export interface TextChange extends Span {
  readonly text: string;
}

/** Makes changes of a body that do not overlap; every other byte stays, and none are copied. */
export function applyChanges(
  body: Buffer | ByteChunks,
  changes: readonly TextChange[],
): Buffer | ByteChunks {
  if (changes.length === 0) return body;
  let chunks = body instanceof ByteChunks ? body : new ByteChunks([body]);
  // From the last one on, so that the offsets of the others stay.
  for (const { start, end, text } of changes.toSorted((one, other) => other.start - one.start)) {
    chunks = chunks.replace(start, end, Buffer.from(text));
  }
  return chunks;
}

/** Replaces the value of the member `name` of the outermost object, or adds it after the last one, which ends at `end`. */
export function setMember(
  name: string,
  value: unknown,
  { span, end }: { readonly span: Span | null; readonly end: number },
): TextChange {
  return span === null ? addMember(name, value, end) : { ...span, text: JSON.stringify(value) };
}

/** Adds the member `name` to an object, after another one that ends at `end`. */
export function addMember(name: string, value: unknown, end: number): TextChange {
  return { start: end, end, text: `,${JSON.stringify(name)}:${JSON.stringify(value)}` };
}

/** Parses the object at a place of a body; `null` when it is none. */
export function parseObjectAt(body: ByteChunks, span: Span): JsonObject | null {
  return asObject(tryParseJson(body.slice(span.start, span.end).toString()));
}
