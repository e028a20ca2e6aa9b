import { invalid } from './http/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses a request body.
 * @throws RefusalError 400 unless it is a JSON object in valid UTF-8.
 */
export function parseObject(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('The body is not valid JSON.');
  }
  return requireObject(value);
}

export function requireObject(value: unknown): JsonObject {
  if (!isObject(value)) throw invalid('The body must be a JSON object.');
  return value;
}

/**
 * Returns a required, non-empty string field.
 * @throws RefusalError 400
 */
export function requireText(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') {
    throw invalid(`"${name}" is required and must be a non-empty string.`);
  }
  return value;
}

/**
 * Returns a required number.
 * @throws RefusalError 400
 */
export function requireNumber(body: JsonObject, name: string): number {
  const value = body[name];
  if (typeof value !== 'number') throw invalid(`"${name}" is required and must be a number.`);
  return value;
}

/**
 * Returns a required, non-empty array of objects.
 * @throws RefusalError 400
 */
export function requireObjects(body: JsonObject, name: string): readonly JsonObject[] {
  const value = body[name];
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) {
    throw invalid(`"${name}" is required and must be a non-empty array of objects.`);
  }
  return value;
}

/** Returns an optional integer of at least 1. `null` counts as absent, as in the public SDKs. */
export function optionalCount(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw invalid(`"${name}" must be an integer of at least 1.`);
  }
  return value;
}

export function optionalFlag(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalid(`"${name}" must be true or false.`);
  return value;
}

/** Checks that `temperature` is between 0 and 2 (spec section 8). */
export function checkTemperature(body: JsonObject): void {
  const value = body['temperature'];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number' || value < 0 || value > 2) {
    throw invalid('"temperature" must be a number from 0 to 2.');
  }
}
