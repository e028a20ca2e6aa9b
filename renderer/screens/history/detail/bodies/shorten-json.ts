import { formatCount } from '../../../../../shared/format.ts';
import { isObject } from '../../../../../shared/parse-bodies/json.ts';

const MAX_TEXT = 600;
const MAX_ENTRIES = 200;
const MAX_DEPTH = 40;

/** Shortens long texts and lists of a JSON value, and cuts it where it is nested deeply, so that a page can show it. */
export function shortenJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_TEXT) return value;
    return `${value.slice(0, MAX_TEXT)}… (${formatCount(value.length)} characters)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '… (nested too deeply to show)';
  if (Array.isArray(value)) {
    const shown: unknown[] = value.slice(0, MAX_ENTRIES).map((one) => shortenJson(one, depth + 1));
    const more = value.length - shown.length;
    return more > 0 ? [...shown, `… ${formatCount(more)} more`] : shown;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, MAX_ENTRIES)
    .map(([name, one]) => [name, shortenJson(one, depth + 1)]);
  const more = entries.length - shown.length;
  return Object.fromEntries(more > 0 ? [...shown, ['…', `${formatCount(more)} more`]] : shown);
}
