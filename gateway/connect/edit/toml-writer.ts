import { ConfigFormatError } from './config-format-error.ts';
import type { ConfigValue } from './config-value.ts';
import { isList, isObject } from './value-changes.ts';

/** Writes a value within a line. @throws ConfigFormatError for null, which TOML has not */
export function writeTomlValue(value: ConfigValue): string {
  if (value === null) throw new ConfigFormatError('TOML has no null.');
  if (typeof value === 'string') return writeText(value);
  if (typeof value === 'number') return writeNumber(value);
  if (isList(value)) return `[${value.map(writeTomlValue).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([name, member]) => writeTomlMember([name], member));
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Writes a key, as names joined by dots, and its value. @throws ConfigFormatError */
export function writeTomlMember(key: readonly string[], value: ConfigValue): string {
  return `${writeTomlKey(key)} = ${writeTomlValue(value)}`;
}

/** Writes names joined by dots, in quotes where necessary. */
export function writeTomlKey(key: readonly string[]): string {
  return key.map((name) => (/^[\w-]+$/u.test(name) ? name : writeText(name))).join('.');
}

function writeText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`);
}

/** Large whole numbers are written as floats: TOML's integers are exact, and these are not. */
function writeNumber(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e')
    ? `${text}.0`
    : text;
}
