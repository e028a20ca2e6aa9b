import { type RawBuilder, sql } from 'kysely';
import { NO_CORRECTIONS } from '../../shared/exchange/outcome.ts';
import { foldCase } from '../../shared/fold-case.ts';
import type { HistoryCriteria, HistoryFilter, NumberRange } from '../../shared/history/history.ts';
import { splitPattern } from '../../shared/name-pattern.ts';
import {
  type NamedFacet,
  NUMBER_NAMES,
  type NumberName,
  type FlagKind,
  flagToken,
  facetToken,
  sizeTokens,
  statusTokens,
} from './facets.ts';
import { ANSWERED, CAUSE, FAILED, FAILURE_WORDS, LEFT } from './failure-cause.ts';
import { isWordStart, tokenize } from './search/tokenize.ts';

export type Condition = RawBuilder<boolean>;

/** Something that a filter asks for, in SQL and, where the search index helps, as a query of it. */
export interface Criterion {
  readonly condition: Condition;
  /** Whether exchanges of which it holds do not match. */
  readonly negated: boolean;
  readonly query: IndexPart | null;
}

/**
 * What matches have in the index: one of some tokens, the beginning of a word, or one of the names that match patterns. `exact`: exchanges that
 * have it do match.
 */
export type IndexPart =
  | { readonly kind: 'tokens'; readonly tokens: readonly string[]; readonly exact: boolean }
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly exact: boolean }
  | { readonly kind: 'names'; readonly facet: NamedFacet; readonly patterns: readonly string[] };

const REPAIRED = sql<boolean>`repairs <> '[]' and exists (select 1 from json_each(repairs)
  where value ->> 'code' not in (${sql.join([...NO_CORRECTIONS])}))`;
/** The model of an exchange: the one sent, or the requested one when nothing was sent. */
const MODEL = sql<string | null>`coalesce(model_sent, model_asked)`;

/**
 * Returns the conditions of a filter, all of which must hold. Without the search index a word is also found inside other
 * words.
 */
export function toConditions(filter: HistoryFilter): Condition[] {
  const { since, until } = filter;
  const conditions = toCriteria(filter).map(toCondition);
  if (since !== undefined) conditions.push(sql`started_at >= ${since}`);
  if (until !== undefined) conditions.push(sql`started_at < ${until}`);
  return conditions;
}

/** Returns the condition of a criterion; one that is excluded may not even be unknown. */
export function toCondition({ condition, negated }: Criterion): Condition {
  return negated ? sql`(${condition}) is not true` : condition;
}

/** Returns everything that a filter asks for, except for the times. */
export function toCriteria(filter: HistoryFilter): Criterion[] {
  const criteria = [
    ...describe(filter).map((one) => ({ ...one, negated: false })),
    ...describe(filter.not ?? {}).map((one) => ({ ...one, negated: true })),
    ...flag('k', sql`client_name is not null`, filter.known),
    ...flag('p', REPAIRED, filter.repaired),
    ...flag('s', sql`streamed`, filter.streamed),
    ...flag('f', FAILED, filter.failed),
    ...flag('l', LEFT, filter.left),
    ...flag('d', ANSWERED, filter.answered),
    ...NUMBER_NAMES.flatMap((name) => isWithin(name, filter[name])),
    ...costs(filter.cost),
    ...isPinned(filter.pinned),
  ];
  for (const column of ['id', 'run'] as const) {
    const prefix = filter[column];
    if (prefix === undefined) continue;
    // `g` sorts after any hexadecimal digit, so that the index of the column is used.
    const value = sql.ref(column);
    const condition = sql<boolean>`(${value} >= ${prefix} and ${value} < ${`${prefix}g`})`;
    criteria.push({ condition, negated: false, query: null });
  }
  const { ids } = filter;
  if (ids !== undefined) {
    const listed = sql`(select value from json_each(${JSON.stringify(ids)}))`;
    criteria.push({ condition: sql`id in ${listed}`, negated: false, query: null });
  }
  return criteria;
}

type Described = Omit<Criterion, 'negated'>;

function describe(criteria: HistoryCriteria): Described[] {
  const { text = '', exact = [], clients, models, services, agents, errors } = criteria;
  const { routes, repairs, statuses = [] } = criteria;
  return [
    ...tokenize(text).map((word) => hasText(word, true)),
    ...exact.map((one) => hasText(one, false)),
    ...isNamed('c', sql`client_name`, clients),
    ...isNamed('m', MODEL, models),
    ...isNamed('v', sql`service`, services),
    ...isNamed('e', CAUSE, errors),
    ...isNamed('a', sql`coalesce(user_agent, '')`, agents),
    ...isNamed('r', sql`route`, routes),
    ...isNamed('j', sql`(sender ->> '$.project')`, criteria.projects),
    ...isRepaired(repairs),
    ...hasTool(criteria.tools),
    ...(statuses.length === 0 ? [] : [hasStatus(statuses)]),
    ...hasMark(TAGGED, sql`tag.value`, criteria.tags),
    ...hasMark(NOTED, sql`note`, criteria.notes?.map(toContained)),
  ];
}

/** Returns whether a filter asks for exchanges with a mark, of which there are few. */
export function asksForMarked({ pinned = false, tags = [], notes = [] }: HistoryFilter): boolean {
  return pinned || tags.length > 0 || notes.length > 0;
}

/** Returns whether a filter tells exchanges apart by their marks. */
export function dependsOnMarks(filter: HistoryFilter): boolean {
  const { tags = [], notes = [] } = filter.not ?? {};
  return asksForMarked(filter) || filter.pinned === false || tags.length + notes.length > 0;
}

const PINNED = sql`exchange_mark where pinned`;
const TAGGED = sql`exchange_mark, json_each(exchange_mark.tags) as tag where true`;
const NOTED = sql`exchange_mark where note <> ''`;

function isMarked(which: RawBuilder<unknown>): Condition {
  return sql`exchange.seq in (select exchange_mark.seq from ${which})`;
}

function isPinned(isSet: boolean | undefined): Criterion[] {
  if (isSet === undefined) return [];
  return [{ condition: isMarked(PINNED), negated: !isSet, query: null }];
}

function hasMark(
  which: RawBuilder<unknown>,
  value: RawBuilder<unknown>,
  patterns: readonly string[] = [],
): Described[] {
  if (patterns.length === 0) return [];
  const condition = isMarked(sql`${which} and ${isLikeOneOf(value, patterns)}`);
  return [{ condition, query: null }];
}

/** Returns the pattern of texts in which a pattern occurs. */
function toContained(pattern: string): string {
  return `*${pattern}*`;
}

/** The columns that text is searched in. */
const SEARCHED_COLUMNS = [
  'path_received',
  'model_asked',
  'model_sent',
  'model_served',
  'client_name',
  'conversation',
  'error_code',
  'error_message',
  'user_agent',
  'status',
] as const;

const REPAIR_TEXTS = sql`case when repairs <> '[]' then
  (select group_concat((value ->> 'code') || ' ' || (value ->> 'advice'), ' ') from json_each(repairs)) end`;

function hasText(text: string, isWord: boolean): Described {
  const columns = SEARCHED_COLUMNS.map((column) => sql.ref(column));
  const texts = [...columns, REPAIR_TEXTS, FAILURE_WORDS].map((one) => sql`coalesce(${one}, '')`);
  const joined = sql.join(texts, sql` || ' ' || `);
  const searched = sql`(select ${foldInSql(sql.ref('joined'))} from (select ${joined} as joined))`;
  const words = tokenize(text);
  // An exact text may begin inside a word, and the index finds words by their beginnings only.
  const known = isWord || !isWordStart(text) ? words : words.slice(1);
  return {
    condition: sql`${searched} like ${`%${escapeLike(foldCase(text))}%`} escape '\\'`,
    query: { kind: 'words', words: known, exact: isWord },
  };
}

function isNamed(facet: NamedFacet, value: RawBuilder<unknown>, patterns: readonly string[] = []) {
  if (patterns.length === 0) return [];
  const query: IndexPart = { kind: 'names', facet, patterns };
  return [{ condition: isLikeOneOf(value, patterns), query }];
}

function isRepaired(patterns: readonly string[] = []): Described[] {
  if (patterns.length === 0) return [];
  const code = isLikeOneOf(sql`(value ->> 'code')`, patterns);
  const condition = sql<boolean>`(repairs <> '[]' and exists (select 1 from json_each(repairs) where ${code}))`;
  return [{ condition, query: { kind: 'names', facet: 'w', patterns } }];
}

function hasTool(patterns: readonly string[] = []): Described[] {
  if (patterns.length === 0) return [];
  const condition = sql<boolean>`exists (select 1 from exchange_tool
    where exchange_tool.seq = exchange.seq and ${isLikeOneOf(sql`exchange_tool.name`, patterns)})`;
  return [{ condition, query: { kind: 'names', facet: 'x', patterns } }];
}

/** Matches values of which one of the patterns is true. */
export function isLikeOneOf(value: RawBuilder<unknown>, patterns: readonly string[]): Condition {
  const folded = foldInSql(value);
  const each = patterns.map((one) => sql<boolean>`${folded} like ${toLike(one)} escape '\\'`);
  return sql`(${sql.join(each, sql` or `)})`;
}

function toLike(pattern: string): string {
  return splitPattern(foldCase(pattern)).map(escapeLike).join('%');
}

/** Returns a text for `like`, which ignores the case of A to Z itself and is 20 times as fast as `fold_case`. */
function foldInSql(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${value} glob '*[^ -~]*' then fold_case(${value}) else ${value} end`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/gu, String.raw`\$&`);
}

/** Returns the token of a pattern without wildcards; `null` for any other. */
export function toNameToken(facet: NamedFacet, pattern: string): string | null {
  const [name, ...others] = splitPattern(pattern);
  return name === undefined || others.length > 0 ? null : facetToken(facet, name);
}

function hasStatus(ranges: readonly NumberRange[]): Described {
  const each = ranges.map((range) => isBetween(sql`status`, range));
  return {
    condition: sql`(${sql.join(each, sql` or `)})`,
    query: { kind: 'tokens', ...statusTokens(ranges) },
  };
}

function isBetween(value: RawBuilder<unknown>, { from, to }: NumberRange): Condition {
  const bounds = [
    ...(from === undefined ? [] : [sql`${value} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${value} <= ${to}`]),
  ];
  return bounds.length === 0 ? sql`${value} is not null` : sql`(${sql.join(bounds, sql` and `)})`;
}

function flag(kind: FlagKind, condition: Condition, isSet?: boolean): Criterion[] {
  if (isSet === undefined) return [];
  const query: IndexPart = { kind: 'tokens', tokens: [flagToken(kind, isSet)], exact: true };
  return [{ condition: sql`(${condition}) = ${isSet ? 1 : 0}`, negated: false, query }];
}

const NUMBERS: Readonly<Record<NumberName, RawBuilder<number | null>>> = {
  tokens: sql`case when coalesce(usage_input, usage_output) is not null
    then coalesce(usage_input, 0) + coalesce(usage_output, 0) end`,
  input: sql`usage_input`,
  output: sql`usage_output`,
  duration: sql`cast(round(duration_ms) as integer)`,
};

function isWithin(name: NumberName, range: NumberRange | undefined): Criterion[] {
  if (range === undefined) return [];
  const condition = isBetween(sql`(${NUMBERS[name]})`, range);
  const query: IndexPart = { kind: 'tokens', tokens: sizeTokens(name, range), exact: false };
  return [{ condition, negated: false, query }];
}

/** The search index has no costs: they change when prices are applied to earlier exchanges. */
function costs(range: NumberRange | undefined): Criterion[] {
  if (range === undefined) return [];
  return [{ condition: isBetween(sql`cost`, range), negated: false, query: null }];
}
