import { parseJson } from '../parse-json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; `null` for anything else. */
export function fieldsOf(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

/** The fields of the objects in a list; none for anything else. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A string that says something; `null` for anything else. */
export function saying(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The value of a JSON text; `undefined` when it is none, or too complex to be parsed. */
export function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Nothing can be read from it, which is what `undefined` says.
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
