import { ConfigFormatError } from './config-format-error.ts';
import type { ConfigValue } from './config-value.ts';

/** Converts the result of a parser; dates and large integers become texts. @throws ConfigFormatError for any other type */
export function toConfigValue(value: unknown): ConfigValue {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toConfigValue);
  if (
    typeof value !== 'object' ||
    value instanceof Map ||
    value instanceof Set ||
    ArrayBuffer.isView(value)
  )
    throw new ConfigFormatError('This file has values of a special type, so it is not edited.');
  const members = Object.entries(value).map(([name, member]) => [name, toConfigValue(member)]);
  return Object.fromEntries(members);
}
