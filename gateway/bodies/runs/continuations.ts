import type { DatabaseSync } from 'node:sqlite';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import type { EarlierMessages, ExchangeBodies } from '../../../shared/exchange/body.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import {
  type Conversation,
  EMPTY,
  join,
  MAX_LENGTH,
  MAX_READ,
  MAX_TURNS,
  type Turn,
} from './conversation.ts';
import {
  type Continued,
  type Earlier,
  type OutlineItem,
  outlineAnswer,
  outlineMessages,
  outlineRequest,
  prependEarlier,
  type RequestOutline,
} from './outline-request.ts';
import type { ExchangeTexts } from '../stored-bodies.ts';
import { listAnswerIds, readContinuedAnswer } from './read-answer.ts';

/** An exchange as far as finding what it continues needs it. */
export interface ContinuingExchange {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly client: string;
}

type ExchangePlace = Pick<ContinuingExchange, 'id' | 'startedAt'>;

/** Conversations that are remembered: the requests of an agent continue the one before. */
const MAX_KNOWN = 32;
const MAX_KNOWN_LENGTH = 8 * 2 ** 20;
/** Turns that are remembered. Some have no messages, and their length counts for nothing. */
const MAX_KNOWN_TURNS = 4 * MAX_TURNS;

/** The latest exchange before another one whose answer has an id, and one more that shares the id. */
const FIND = `select exchange, started_at from answer
  where client = ?1 and answer = ?2 and (started_at, exchange) < (?3, ?4)
  order by started_at desc, exchange desc limit 2`;

/**
 * Rebuilds the conversation of a request that sent only what is new, from the requests and responses before it. An exchange continues
 * an earlier one of its client only, so that no ids of a service can make a loop.
 */
export class Continuations {
  readonly #database: DatabaseSync;
  readonly #readTexts: (id: ExchangeId) => ExchangeTexts | null;
  readonly #known = new Map<ExchangeId, Conversation>();
  #knownLength = 0;
  /** The turns that were read last, for who reads a run backwards. */
  readonly #turns = new Map<ExchangeId, Turn>();
  #turnsLength = 0;

  constructor(database: DatabaseSync, readTexts: (id: ExchangeId) => ExchangeTexts | null) {
    this.#database = database;
    this.#readTexts = readTexts;
  }

  /** Remembers the ids by which later requests can name an exchange, and returns them. @throws SQLite's error */
  add(
    { id, startedAt, client }: ContinuingExchange,
    protocol: TextProtocol,
    bodies: ExchangeBodies,
  ): readonly string[] {
    const request = (bodies.sent ?? bodies.received)?.text ?? '';
    const insert = this.#database.prepare(
      'insert or ignore into answer (client, answer, started_at, exchange) values (?, ?, ?, ?)',
    );
    const ids = listAnswerIds(protocol, { request, returned: bodies.returned });
    for (const answer of ids) insert.run(client, answer, startedAt, id);
    // It may be the beginning of what was rebuilt without it.
    for (const [known, { awaited }] of this.#known)
      if (awaited.some((answer) => ids.includes(answer))) this.#forgetConversation(known);
    return ids;
  }

  /** Outlines the request of an exchange with the messages before it; `null` when it is no request for an answer. @throws SQLite's error */
  outline(
    exchange: ContinuingExchange,
    protocol: TextProtocol,
    bodies: Pick<ExchangeBodies, 'sent' | 'received'>,
  ): RequestOutline | null {
    const body = bodies.sent ?? bodies.received;
    const request = body === null ? null : outlineRequest(protocol, body);
    if (request === null || request.continues === null) return request;
    const earlier = this.#rebuild(exchange, protocol, request.continues);
    return prependEarlier(request, earlier);
  }

  /** Returns the messages before those of a stored request as they are shown; `undefined` when it has them all. @throws SQLite's error */
  read(id: ExchangeId, bodies: ExchangeBodies): EarlierMessages | undefined {
    const row = this.#database
      .prepare(
        `select started_at, client, facts ->> '$.step.protocol' as protocol from exchange where id = ?`,
      )
      .get(id);
    const protocol = TextProtocol.safeParse(row?.['protocol']).data;
    if (row === undefined || protocol === undefined) return undefined;
    const client = typeof row['client'] === 'string' ? row['client'] : '';
    const exchange = { id, startedAt: Number(row['started_at']), client };
    return this.show(exchange, protocol, bodies);
  }

  /** Returns the messages before those of a request as they are shown; `undefined` when it has them all. @throws SQLite's error */
  show(
    exchange: ContinuingExchange,
    protocol: TextProtocol,
    bodies: ExchangeBodies,
  ): EarlierMessages | undefined {
    const earlier = this.outline(exchange, protocol, bodies)?.earlier ?? null;
    if (earlier === null) return undefined;
    const { items, start, gap, isCutOff, isAmbiguous } = earlier;
    const count = items.length;
    return { items: joinItems(items), count, start, gap, isCutOff, isAmbiguous };
  }

  /** Must be called after exchanges were deleted. */
  forgetDeleted(ids: ReadonlySet<string>): void {
    for (const [id, { turns }] of this.#known)
      if (turns.some((turn) => ids.has(turn.id))) this.#forgetConversation(id);
    for (const [id, { length }] of this.#turns) {
      if (!ids.has(id)) continue;
      this.#turns.delete(id);
      this.#turnsLength -= length;
    }
  }

  /** Must be called after a transaction was undone. */
  forget(): void {
    this.#known.clear();
    this.#knownLength = 0;
    this.#turns.clear();
    this.#turnsLength = 0;
  }

  /** Rebuilds what a request continues: reads the requests before it, the latest first, up to one that is known or has everything. */
  #rebuild(
    { id, startedAt, client }: ContinuingExchange,
    protocol: TextProtocol,
    continues: Continued,
  ): Earlier {
    const turns: Turn[] = [];
    let place: ExchangePlace = { id, startedAt };
    let next: Continued | null = continues;
    let start: Earlier['start'] = 'whole';
    let known: Conversation | null = null;
    let isAmbiguous = false;
    let awaited: readonly string[] = [];
    let length = 0;
    let read = 0;
    while (next !== null) {
      if (turns.length === MAX_TURNS || length > MAX_LENGTH || read > MAX_READ) {
        start = turns.length === MAX_TURNS ? 'too many' : 'too long';
        break;
      }
      const found = this.#find(client, next, place);
      known = found === null ? null : (this.#known.get(found.id) ?? null);
      if (known !== null) {
        ({ isAmbiguous = false } = found ?? {});
        break;
      }
      const turn = found === null ? null : this.#readTurn(found, protocol);
      if (turn === null || found === null) {
        start = 'not kept';
        awaited = next.ids;
        break;
      }
      turns.push(turn);
      length += turn.length;
      read += turn.read;
      next = turn.continues;
      place = found;
    }
    const first: Conversation = known ?? { ...EMPTY, start, awaited };
    const before = { ...first, isAmbiguous: first.isAmbiguous || isAmbiguous };
    const previous = turns[0]?.id ?? known?.turns.at(-1)?.id ?? null;
    if (previous === null) return { ...before, previous };
    const conversation = join(before, turns.toReversed());
    this.#remember(previous, conversation);
    return { ...conversation, previous };
  }

  /** Finds the exchange that a request continues: the latest one of its client before it whose answer has the id. */
  #find(client: string, { ids, isThread }: Continued, { id, startedAt }: ExchangePlace) {
    const find = this.#database.prepare(FIND);
    const found = ids.flatMap((answer) => {
      const [row, other] = find.all(client, answer, startedAt, id);
      if (row === undefined) return [];
      const exchange = ExchangeId.parse(row['exchange']);
      // All requests of a thread have its id.
      const isAmbiguous = !isThread && other !== undefined;
      return [{ id: exchange, startedAt: Number(row['started_at']), isAmbiguous }];
    });
    return (
      found.toSorted(
        (one, other) => other.startedAt - one.startedAt || (one.id < other.id ? 1 : -1),
      )[0] ?? null
    );
  }

  /** Reads the messages of an exchange and its answer; `null` when they are not stored, or damaged. @throws SQLite's error */
  #readTurn(
    { id, isAmbiguous }: Pick<Turn, 'id' | 'isAmbiguous'>,
    protocol: TextProtocol,
  ): Turn | null {
    const read = this.#turns.get(id);
    if (read !== undefined) return { ...read, isAmbiguous };
    const texts = this.#tryRead(id);
    if (texts === null || texts.request === null) return null;
    const request = outlineMessages(protocol, texts.request);
    if (request === null) return null;
    const answer = texts.returned && readContinuedAnswer(protocol, texts.returned);
    const answered = (answer?.items ?? []).map((item) => outlineAnswer(protocol, item));
    const all = [...request.items, ...request.tail, ...answered];
    const turn = {
      id,
      items: all,
      gap: request.isCut ? request.items.length : null,
      isCutOff: answer?.isComplete !== true,
      continues: request.continues,
      isAmbiguous,
      length: all.reduce((sum, { json }) => sum + json.length, 0),
      read: texts.request.text.length + (texts.returned?.text.length ?? 0),
    };
    if (this.#turnsLength > MAX_KNOWN_LENGTH || this.#turns.size >= MAX_KNOWN_TURNS) this.forget();
    this.#turns.set(id, turn);
    this.#turnsLength += turn.length;
    return turn;
  }

  #tryRead(id: ExchangeId): ExchangeTexts | null {
    try {
      return this.#readTexts(id);
    } catch (error) {
      if (Object(error).errcode !== undefined) throw error;
      return null;
    }
  }

  #remember(id: ExchangeId, conversation: Conversation): void {
    this.#forgetConversation(id);
    this.#known.set(id, conversation);
    this.#knownLength += conversation.length;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN && this.#knownLength <= MAX_KNOWN_LENGTH) break;
      this.#forgetConversation(oldest);
    }
  }

  #forgetConversation(id: ExchangeId): void {
    this.#knownLength -= this.#known.get(id)?.length ?? 0;
    this.#known.delete(id);
  }
}

/** Makes an array in JSON of items. A bracket that was added to the joined text would copy all of it once more. */
function joinItems(items: readonly OutlineItem[]): string {
  const texts = items.map(({ json }) => json);
  const last = texts.pop();
  if (last === undefined) return '[]';
  texts.push(`${last}]`);
  texts[0] = `[${texts[0]}`;
  return texts.join(',');
}
