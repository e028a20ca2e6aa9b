import { parseJson } from './parse-json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns a JSON object; `null` for anything else. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** Returns the objects in a list; none for anything else. */
export function filterObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns a non-empty string; `null` for anything else. */
export function nonEmptyString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Parses a JSON text; returns `undefined` when it is invalid, or too complex to be parsed. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Invalid or too complex: `undefined` stands for both.
    return undefined;
  }
}

/** Parses a text that holds one JSON object; returns `null` for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  return asObject(tryParseJson(text));
}

const MAX_NAME = 256;

/** Returns a short name (a model, an id, a code): a non-empty string, truncated to 256 characters. */
export function parseName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME) : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
