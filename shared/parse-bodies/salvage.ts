import type { StoredBody } from '../exchange/body.ts';
import { isObject, type JsonObject, toName, toObject, tryParse } from './json.ts';

/** The parts of a request that can be read although its middle is not stored. */
export interface SalvagedRequest {
  /** The fields before and after the messages. */
  readonly fields: JsonObject;
  /** The complete messages before the missing middle, and those after it. */
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
}

const LIST = /"(?:messages|input)"\s*:\s*\[/u;
/** The beginning of an object. Inside a text its quotes would have backslashes. */
const OBJECT = /\{\s*"\w+"\s*:/gu;

const ITEM_TYPES: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** Reads the messages of a request whose middle is not stored: those that are complete at its beginning and its end. */
export function salvageRequest(
  text: string,
  { at }: NonNullable<StoredBody['omitted']>,
): SalvagedRequest {
  const head = text.slice(0, at);
  const list = LIST.exec(head);
  const before = list === null ? { found: [] } : readItems(head, list.index + list[0].length);
  const tail = text.slice(at);
  const { found, end } = readItems(tail, 0);
  const fieldsBefore = list === null ? '' : head.slice(0, list.index).trimEnd().replace(/,$/u, '');
  const fieldsAfter = tail.slice(end).replace(/^\s*\]\s*,?/u, '{');
  return {
    fields: { ...toObject(tryParse(`${fieldsBefore}}`)), ...toObject(tryParse(fieldsAfter)) },
    before: before.found,
    after: found,
  };
}

/** Reads the messages from a position on, up to the first that is incomplete. `end`: the position after the last one. */
function readItems(text: string, from: number): { found: JsonObject[]; end: number } {
  const found: JsonObject[] = [];
  let end = from;
  let next = from;
  for (;;) {
    OBJECT.lastIndex = next;
    const start = OBJECT.exec(text)?.index;
    if (start === undefined) break;
    next = findEnd(text, start);
    if (next === -1) break;
    const value = tryParse(text.slice(start, next));
    if (!isObject(value) || !isItem(value)) continue;
    // After the end of the list come other fields, whose objects are no messages.
    if (found.length > 0 && !/^[\s,]*$/u.test(text.slice(end, start))) break;
    found.push(value);
    end = next;
  }
  return { found, end };
}

function isItem(value: JsonObject): boolean {
  return toName(value['role']) !== null || ITEM_TYPES.has(value['type']);
}

/** Finds the position after the object that begins at a position; -1 when it does not end. */
function findEnd(text: string, start: number): number {
  let depth = 0;
  let isInText = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isInText) {
      if (character === '\\') at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
