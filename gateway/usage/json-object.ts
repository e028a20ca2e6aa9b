import { parseJson } from '../lib/parse-json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a JSON object; `null` for anything else. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** The fields of a text that holds one JSON object; `null` for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    return asObject(parseJson(text));
  } catch {
    // Not JSON: nothing can be read from it, which is what `null` says.
    return null;
  }
}

const MAX_NAME = 256;

/** A short name (a model, an id, a code): a non-empty string, cut at 256 characters. */
export function parseName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME) : null;
}
