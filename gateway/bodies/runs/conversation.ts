import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Continued, Earlier, OutlineItem } from './outline-request.ts';

/** The messages of an exchange and of those before it, with its answer. */
export interface Conversation extends Omit<Earlier, 'previous'> {
  /** Characters of its items. */
  readonly length: number;
  /** Its exchanges, the oldest first, as far as their messages are there. */
  readonly turns: readonly TurnSize[];
  /** The ids of the response with which it begins, when that is not kept. */
  readonly awaited: readonly string[];
}

/** An exchange with the number of its items in a conversation, and the characters of its bodies. */
interface TurnSize {
  readonly id: ExchangeId;
  readonly count: number;
  readonly read: number;
}

/** The part that one exchange adds to a conversation. */
export interface Turn {
  readonly id: ExchangeId;
  readonly items: readonly OutlineItem[];
  readonly gap: number | null;
  readonly isCutOff: boolean;
  readonly continues: Continued | null;
  readonly isAmbiguous: boolean;
  readonly length: number;
  /** Characters of its bodies. */
  readonly read: number;
}

/** Requests from which one is rebuilt at most, the characters of their messages, and those of their bodies, which must be parsed. */
export const MAX_TURNS = 1_000;
export const MAX_LENGTH = 2 * 2 ** 20;
export const MAX_READ = 16 * 2 ** 20;
/** The part of the limit that the newest messages keep when there are too many, so that the next request need not drop any again. */
const KEPT_PART = 0.5;

/** A conversation without messages. */
export const EMPTY = {
  items: [],
  gap: null,
  isCutOff: false,
  isAmbiguous: false,
  length: 0,
  turns: [],
} satisfies Partial<Conversation>;

/** Adds turns to a conversation, the oldest first. Of too many messages the newest stay. */
export function join(before: Conversation, added: readonly Turn[]): Conversation {
  const items = [...before.items];
  const turns = [...before.turns];
  let { gap, isCutOff, isAmbiguous, length } = before;
  for (const turn of added) {
    if (turn.gap !== null) gap ??= items.length + turn.gap;
    for (const item of turn.items) items.push(item);
    turns.push({ id: turn.id, count: turn.items.length, read: turn.read });
    isCutOff ||= turn.isCutOff;
    isAmbiguous ||= turn.isAmbiguous;
    length += turn.length;
  }
  const joined = { ...before, items, turns, gap, isCutOff, isAmbiguous, length };
  return dropLength(dropTurns(joined));
}

/** Drops the oldest turns of more than are read to rebuild a request, so that it is the same however much of it was known. */
function dropTurns(conversation: Conversation): Conversation {
  const { turns } = conversation;
  // The one with which the limit is exceeded is read, too.
  let from = turns.length;
  for (let read = 0; from > 0 && turns.length - from < MAX_TURNS && read <= MAX_READ; from -= 1)
    read += turns[from - 1]?.read ?? 0;
  if (from === 0) return conversation;
  const count = turns.slice(0, from).reduce((sum, turn) => sum + turn.count, 0);
  const start = turns.length - from === MAX_TURNS ? 'too many' : 'too long';
  return { ...drop(conversation, count), turns: turns.slice(from), start, awaited: [] };
}

/** Drops the oldest messages of more characters than are shown. */
function dropLength(conversation: Conversation): Conversation {
  const { items, turns } = conversation;
  let { length } = conversation;
  if (length <= MAX_LENGTH) return conversation;
  let dropped = 0;
  while (length > KEPT_PART * MAX_LENGTH && dropped < items.length) {
    length -= items[dropped]?.json.length ?? 0;
    dropped += 1;
  }
  let rest = dropped;
  const left = turns.map((turn) => {
    const count = Math.max(0, turn.count - rest);
    rest -= turn.count - count;
    return { ...turn, count };
  });
  const start = 'too long';
  return { ...drop(conversation, dropped), turns: left, start, awaited: [] };
}

/** Returns a conversation without its first items. */
function drop(conversation: Conversation, count: number): Conversation {
  const { items, gap, length } = conversation;
  const dropped = items.slice(0, count).reduce((sum, { json }) => sum + json.length, 0);
  const isBefore = gap !== null && gap <= count;
  return {
    ...conversation,
    items: items.slice(count),
    gap: gap === null || isBefore ? null : gap - count,
    length: length - dropped,
  };
}
