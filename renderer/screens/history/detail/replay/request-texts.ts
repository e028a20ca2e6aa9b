import { type ParseError, parseTree } from 'jsonc-parser';
import {
  formatJson,
  isObject,
  type JsonObject,
  placeAt,
  toList,
  toObject,
  tryParse,
} from '../../../../../shared/parse-bodies/json.ts';
import type { ReplayableRequest, ReplayRequest } from '../../../../../shared/replay.ts';

/** A request as a person edits it: its messages, and all other fields but the model, as JSON. */
export interface RequestTexts {
  readonly messages: string;
  readonly fields: string;
}

/** Messages about texts that cannot be sent; `null` for one that can. */
export interface TextErrors {
  readonly messages: string | null;
  readonly fields: string | null;
}

/** The changes of a request, or why there are none. */
export type EditedRequest =
  | { readonly changes: Pick<ReplayRequest, 'changed' | 'removed'>; readonly errors: null }
  | { readonly changes: null; readonly errors: TextErrors };

/** What is edited of a request. */
type EditableRequest = Pick<ReplayableRequest, 'protocol' | 'fields'>;

/** The most bytes of changes in one call of the window, which may have 1 MiB. */
const MAX_BYTES = 1_000_000;

/** Returns the name of the field with the messages. */
function nameMessages({ protocol }: Pick<ReplayableRequest, 'protocol'>): string {
  return protocol === 'responses' ? 'input' : 'messages';
}

/** Makes the texts of a request. */
export function toTexts(request: EditableRequest): RequestTexts {
  const name = nameMessages(request);
  const { [name]: messages, model: _, ...fields } = request.fields;
  return { messages: formatJson(messages), fields: formatJson(fields) };
}

/** Finds out what a person has changed. */
export function parseTexts(request: EditableRequest, texts: RequestTexts): EditedRequest {
  const name = nameMessages(request);
  const messages = tryParse(texts.messages);
  const fields = tryParse(texts.fields);
  const errors = {
    messages:
      messages === undefined ? describeFault(texts.messages) : checkMessages(name, messages),
    fields: fields === undefined ? describeFault(texts.fields) : checkFields(name, fields),
  };
  if (errors.messages !== null || errors.fields !== null || !isObject(fields)) {
    return { changes: null, errors };
  }
  const edited: JsonObject = { ...fields, [name]: messages };
  const changed = Object.fromEntries(
    Object.entries(edited).filter(([key, value]) => !isSame(value, request.fields[key])),
  );
  const removed = Object.keys(request.fields).filter(
    (key) => key !== 'model' && !Object.hasOwn(edited, key),
  );
  if (new TextEncoder().encode(JSON.stringify(changed)).length > MAX_BYTES) {
    const tooLarge = 'The changed fields have more than 1 MB, the most that can be sent from here.';
    return { changes: null, errors: { messages: tooLarge, fields: null } };
  }
  return { changes: { changed, removed }, errors: null };
}

/** Says where a text is no JSON. */
function describeFault(text: string): string {
  const faults: ParseError[] = [];
  parseTree(text, faults, { disallowComments: true });
  const [fault] = faults;
  if (fault === undefined) return 'This is not valid JSON.';
  const { line, column } = placeAt(text, fault.offset);
  return `This is not valid JSON: see line ${line}, column ${column}.`;
}

/** Returns the offset of the last message of the user in the text of messages; 0 where there is none. */
export function findLastUserMessage(text: string): number {
  const messages = toList(tryParse(text));
  const last = messages.findLastIndex((message) => toObject(message)['role'] === 'user');
  if (last <= 0) return 0;
  // All messages before it, without the bracket and the line break at the end.
  return formatJson(messages.slice(0, last)).length - '\n]'.length;
}

function checkMessages(name: string, value: unknown): string | null {
  if (Array.isArray(value)) return null;
  if (name === 'input' && typeof value === 'string') return null;
  return 'The messages are a JSON array.';
}

function checkFields(name: string, value: unknown): string | null {
  if (!isObject(value)) return 'The fields are a JSON object.';
  if (Object.hasOwn(value, 'model')) return 'Choose the model above, and remove "model" here.';
  return Object.hasOwn(value, name) ? `Edit the messages above, and remove "${name}" here.` : null;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
