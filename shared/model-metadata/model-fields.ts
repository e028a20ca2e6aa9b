import type { Model } from '../model.ts';
import { namesContext } from './model-facts.ts';
import { splitWords } from './model-statements.ts';

/** One member of a model's metadata, as it is shown. `raw`: name and JSON as the service sent them. */
export type ModelField = { readonly name: string; readonly label: string } & (
  | { readonly kind: 'date'; readonly at: number }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'raw'; readonly text: string }
);

/** Words of names that tell a time from any other large number. */
const TIME_WORDS = new Set(['at', 'available', 'created', 'date', 'expires', 'released', 'since']);
for (const word of ['deprecated', 'published', 'time', 'timestamp', 'updated', 'until']) {
  TIME_WORDS.add(word);
}

/** The years 2010 to 2100 in seconds: earlier and later numbers are no dates of a model. */
const FIRST_S = 1_262_304_000;
const LAST_S = 4_102_444_800;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]{5,15}(?:Z|[+-]\d{2}:?\d{2})?)?$/iu;

const MAX_ITEMS = 24;
const MAX_ITEM_LENGTH = 40;
/** A member's name longer than this is shown as it is. */
const MAX_LABEL_LENGTH = 40;

/** Returns the metadata of a model in the order of the service, each member in the form that its value has. */
export function toModelFields(model: Model): readonly ModelField[] {
  return Object.entries(model).map(([name, value]) => toField(name, value));
}

function toField(name: string, value: unknown): ModelField {
  const base = { name, label: toLabel(name) };
  const at = findDate(name, value);
  if (at !== null) return { ...base, kind: 'date', at };
  if (typeof value === 'string') return { ...base, kind: 'text', text: value };
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && isCount(name)) {
    return { ...base, kind: 'count', count: value };
  }
  if (isShortList(value)) return { ...base, kind: 'list', items: value };
  return { name, label: name, kind: 'raw', text: JSON.stringify(value) };
}

/** Only a number of tokens is sure to be a count. */
function isCount(name: string): boolean {
  return namesContext(name) || splitWords(name).includes('tokens');
}

function isShortList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_ITEMS &&
    value.every((item) => typeof item === 'string' && item !== '' && item.length <= MAX_ITEM_LENGTH)
  );
}

/** Finds a date in Unix milliseconds: a plausible number of seconds or milliseconds, or an ISO date, whose name says so. */
function findDate(name: string, value: unknown): number | null {
  if (!splitWords(name).some((word) => TIME_WORDS.has(word))) return null;
  if (typeof value === 'string' && ISO_TIME.test(value)) {
    return inRange(Date.parse(value) / 1_000) ? Date.parse(value) : null;
  }
  const number = typeof value === 'string' && /^\d{10,13}$/u.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return null;
  if (inRange(number)) return Math.round(number * 1_000);
  return inRange(number / 1_000) ? Math.round(number) : null;
}

function inRange(seconds: number): boolean {
  return seconds >= FIRST_S && seconds <= LAST_S;
}

/** Makes names of members in snake, camel and kebab case readable: “Owned by”. */
function toLabel(name: string): string {
  const words = splitWords(name).join(' ');
  if (words === '' || name.length > MAX_LABEL_LENGTH) return name;
  return words === 'id' ? 'ID' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** A price as the service lists it, without a guess at its unit. */
export interface ListedPrice {
  readonly label: string;
  readonly value: string;
}

const PRICE_WORDS = new Set(['cost', 'costs', 'price', 'prices', 'pricing']);
const MAX_PRICES = 12;
const PRICE_DEPTH = 3;

/** Returns the prices of a model's metadata: numbers in members whose name says that they are prices. */
export function findPrices(model: Model): readonly ListedPrice[] {
  return readPrices(model, [], PRICE_DEPTH).slice(0, MAX_PRICES);
}

function readPrices(value: object, path: readonly string[], depth: number): readonly ListedPrice[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const words = [...path, ...splitWords(name)];
    if (typeof inner === 'object' && inner !== null) {
      return depth > 1 && !Array.isArray(inner) ? readPrices(inner, words, depth - 1) : [];
    }
    const isPrice = words.some((word) => PRICE_WORDS.has(word)) && isAmount(inner);
    if (!isPrice) return [];
    const label = words.filter((word) => !PRICE_WORDS.has(word)).join(' ');
    return [{ label: label === '' ? 'price' : label, value: String(inner) }];
  });
}

function isAmount(value: unknown): value is string | number {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  return (
    typeof value === 'string' && /^[^\d\s]{0,3}\s?\d{1,12}(?:\.\d{1,15})?$/u.test(value.trim())
  );
}
