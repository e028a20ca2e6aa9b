import { parseJson } from './parse-json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; `null` for anything else. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** The fields of the objects in a list; none for anything else. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A string that says something; `null` for anything else. */
export function nonEmptyString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The value of a JSON text; `undefined` when it is none, or too complex to be parsed. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Nothing can be read from it, which is what `undefined` says.
    return undefined;
  }
}

/** The fields of a text that holds one JSON object; `null` for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  return asObject(tryParseJson(text));
}

const MAX_NAME = 256;

/** A short name (a model, an id, a code): a non-empty string, cut at 256 characters. */
export function parseName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME) : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
