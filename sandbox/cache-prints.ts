import { hash } from 'node:crypto';
import type { JsonObject } from './json.ts';
import { collectTexts } from './text/conversation.ts';
import { countTokens } from './text/tokens.ts';

/** A request as it is remembered to be compared with later ones. */
interface RequestPrint {
  readonly model: unknown;
  /** Digests. */
  readonly tools: string;
  readonly system: string;
  readonly turns: readonly string[];
  /** Tokens of the system texts, and of each turn. */
  readonly systemTokens: number;
  readonly turnTokens: readonly number[];
}

/** Why a request cannot read what an earlier one left in the cache, and the tokens that it would have read. */
export interface Divergence {
  readonly part: 'model' | 'tools' | 'system' | 'turns';
  readonly missed: number;
}

const MAX_PRINTS = 100;

/** The requests with which later ones can be compared, by the ids of their answers; the latest 100. */
export class CachePrints {
  readonly #prints = new Map<string, RequestPrint>();

  add(id: string, print: RequestPrint): void {
    this.#prints.set(id, print);
    if (this.#prints.size <= MAX_PRINTS) return;
    const [oldest] = this.#prints.keys();
    if (oldest !== undefined) this.#prints.delete(oldest);
  }

  find(id: string): RequestPrint | undefined {
    return this.#prints.get(id);
  }
}

/** `names`: of the members with the system texts and with the messages. */
export function createPrint(
  body: JsonObject,
  names: { readonly system: string; readonly turns: string },
): RequestPrint {
  const turns = body[names.turns];
  const list: readonly unknown[] = Array.isArray(turns) ? turns : [turns];
  return {
    model: body['model'],
    tools: digest(body['tools']),
    system: digest(body[names.system]),
    turns: list.map(digest),
    systemTokens: countTokens(collectTexts(body[names.system])),
    turnTokens: list.map((turn) => countTokens(collectTexts(turn))),
  };
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value, omitMark) ?? '');
}

/** Finds the first part of an earlier request that a later one does not have; `null` when it has all. */
export function findDivergence(before: RequestPrint, now: RequestPrint): Divergence | null {
  const { systemTokens, turnTokens } = before;
  const missedFrom = (turn: number) => turnTokens.slice(turn).reduce((sum, one) => sum + one, 0);
  const all = systemTokens + missedFrom(0);
  for (const part of ['model', 'tools', 'system'] as const) {
    if (before[part] !== now[part]) return { part, missed: all };
  }
  const first = before.turns.findIndex((turn, place) => turn !== now.turns[place]);
  return first === -1 ? null : { part: 'turns', missed: missedFrom(first) };
}

/** The marks for the cache move from request to request. */
function omitMark(key: string, member: unknown): unknown {
  return key === 'cache_control' ? undefined : member;
}
