import { createHash } from 'node:crypto';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { foldCase } from '../../shared/fold-case.ts';
import type { NumberRange } from '../../shared/history/history.ts';
import { findEnding, isCorrection } from '../../shared/exchange/outcome.ts';
import { toCause } from './failure-cause.ts';

/*
 * What a filter can ask for, as words of the search index. No word of a text begins with `_`, and whatever clients call themselves
 * is written in hexadecimal digits.
 */

/** Returns the index tokens of an exchange. `toToken` makes the token of a name, as {@link facetToken} does. */
export function exchangeFacets(exchange: ExchangeRecord, toToken: typeof facetToken): string[] {
  const { service, clientName, route, status, streamed, repairs, sender } = exchange;
  const model = exchange.modelSent ?? exchange.modelAsked;
  const ending = findEnding(exchange);
  const flags = [
    flagToken('s', streamed),
    flagToken(
      'p',
      repairs.some(({ code }) => isCorrection(code)),
    ),
    flagToken('k', clientName !== null),
    flagToken('f', ending === 'failed'),
    flagToken('l', ending === 'left'),
    flagToken('d', ending === 'answered'),
  ];
  const tokens = [toToken('r', route), ...flags];
  const cause = toCause(exchange);
  tokens.push(toToken('a', exchange.userAgent ?? ''));
  if (service !== null) tokens.push(toToken('v', service));
  if (cause !== null) tokens.push(toToken('e', cause));
  if (clientName !== null) tokens.push(toToken('c', clientName));
  const project = sender?.project ?? null;
  if (project !== null) tokens.push(toToken('j', project));
  if (model !== null) tokens.push(toToken('m', model));
  if (status !== null) tokens.push(classToken(status), statusToken(status));
  for (const { code } of repairs) tokens.push(toToken('w', code));
  return tokens;
}

/** Returns the index tokens of the numbers of an exchange, which differ from one to the next. */
export function numberFacets({ usage, durationMs }: ExchangeRecord): string[] {
  const { input, output } = usage;
  const tokens = input === null && output === null ? null : (input ?? 0) + (output ?? 0);
  const numbers = { tokens, input, output, duration: Math.round(durationMs) };
  return NUMBER_NAMES.flatMap((name) => {
    const value = numbers[name];
    return value === null ? [] : [sizeToken(name, toSize(value))];
  });
}

export type NumberName = 'tokens' | 'input' | 'output' | 'duration';
export const NUMBER_NAMES: readonly NumberName[] = ['tokens', 'input', 'output', 'duration'];

/** `s`: streamed, `p`: repaired, `k`: of a known client, `f`: failed, `l`: left by its client, `d`: answered. */
export type FlagKind = 's' | 'p' | 'k' | 'f' | 'l' | 'd';

export function flagToken(kind: FlagKind, isSet: boolean): string {
  return `_${kind}${isSet ? 1 : 0}`;
}

/** Tokens of which each exchange has one. */
export const ALL_TOKENS: readonly string[] = [flagToken('s', true), flagToken('s', false)];

function classToken(status: number): string {
  return `_o${Math.floor(status / 100)}`;
}

function statusToken(status: number): string {
  return `_t${status}`;
}

const MAX_STATUS = 999;

/** Returns tokens of which the exchanges with these statuses have one. `exact`: no others have. */
export function statusTokens(ranges: readonly NumberRange[]): {
  readonly tokens: readonly string[];
  readonly exact: boolean;
} {
  const tokens = new Set<string>();
  let exact = true;
  for (const { from = 0, to = MAX_STATUS } of ranges) {
    if (from === to) tokens.add(statusToken(from));
    else {
      if (from % 100 !== 0 || to % 100 !== 99) exact = false;
      const last = Math.min(to, MAX_STATUS);
      for (let at = Math.max(0, from); at <= last; at += 100 - (at % 100))
        tokens.add(classToken(at));
    }
  }
  return { tokens: [...tokens], exact };
}

/** Numbers of so many binary digits or more have one token. */
const MAX_SIZE = 32;

/** Returns the number of binary digits, which grows with the number. */
function toSize(value: number): number {
  return value < 1 ? 0 : Math.min(MAX_SIZE, 1 + Math.floor(Math.log2(value)));
}

function sizeToken(name: NumberName, size: number): string {
  return `_n${name.charAt(0)}${size}`;
}

/** Returns tokens of which the exchanges with a number in this range have one; others may have one, too. */
export function sizeTokens(name: NumberName, { from = 0, to }: NumberRange): string[] {
  const first = toSize(from);
  const last = to === undefined ? MAX_SIZE : toSize(to);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    sizeToken(name, first + at),
  );
}

/** A longer text would be most of what the index stores of an exchange, so a hash takes its place. */
const HASH_DIGITS = 16;

export type NamedFacet = 'c' | 'm' | 'r' | 'v' | 'a' | 'e' | 'w' | 'j' | 'x';

/**
 * Returns the index token of a client, a model, a route, a service, a user agent, the cause of a failure, the code of a repair, a
 * project or a tool. Names that differ only in case have one token.
 */
export function facetToken(kind: NamedFacet, value: string): string {
  const isLong = ['v', 'a', 'j', 'x'].includes(kind);
  const folded = foldCase(value);
  return `_${kind}${isLong ? hash(folded) : Buffer.from(folded).toString('hex')}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
}
