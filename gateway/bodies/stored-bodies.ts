import type { DatabaseSync } from 'node:sqlite';
import type { ExchangeBodies, StoredBody } from '../../shared/exchange/body.ts';
import { toObject, tryParse } from '../../shared/parse-bodies/json.ts';
import type { CleanBody } from './clean-body.ts';
import type { Frames } from './frames.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { BodySide } from './protocol.ts';

/** A body as it is stored beside its frame: what is needed to find its bytes, and its facts. */
interface BodyFacts extends Omit<CleanBody, 'head' | 'tail' | 'eventTimes'> {
  /** Numbers of its bytes in the frame before and after its omitted middle. */
  readonly head: number;
  readonly tail: number;
  /** Number of its event times. */
  readonly events: number | null;
}

const SIDES: ReadonlySet<unknown> = new Set<BodySide>(['received', 'sent', 'returned']);

/** What a conversation is rebuilt from. */
export interface ExchangeTexts {
  /** The request as the service got it. */
  readonly request: BodyText | null;
  readonly returned: BodyText | null;
}

export type BodyText = Pick<StoredBody, 'text' | 'contentType' | 'omitted'>;

const TIME_UNITS_PER_MS = 10;

/** Returns the stored bytes of bodies, in their order. */
export function listParts({ bodies }: { readonly bodies: readonly CleanBody[] }): Buffer[] {
  return bodies.flatMap(({ head, tail }) => [head, tail]);
}

export function countBytes(bodies: readonly CleanBody[]): number {
  return bodies.reduce((sum, { head, tail }) => sum + head.length + tail.length, 0);
}

/** Formats the facts of bodies for their row. */
export function formatBodies(bodies: readonly CleanBody[]): string {
  const facts = bodies.map(({ head, tail, eventTimes, ...rest }): BodyFacts => ({
    ...rest,
    head: head.length,
    tail: tail.length,
    events: eventTimes?.length ?? null,
  }));
  return JSON.stringify(facts);
}

/** The bytes that the row of an exchange refers to. */
interface StoredBytes {
  readonly plain: Buffer;
  /** Offset of its first body. */
  readonly at: number;
  readonly times: readonly number[];
}

/** Reads bodies from their row. @throws when the row is damaged */
function parseBodies(text: string, { plain, at, times }: StoredBytes): CleanBody[] {
  let start = at;
  let firstTime = 0;
  return parseFacts(text).map(({ head, tail, events, ...rest }) => {
    const middle = start + head;
    const end = middle + tail;
    const parts = { head: plain.subarray(start, middle), tail: plain.subarray(middle, end) };
    const eventTimes = events === null ? null : times.slice(firstTime, firstTime + events);
    start = end;
    firstTime += events ?? 0;
    return { ...rest, ...parts, eventTimes };
  });
}

/** Hundreds of rows are read to rebuild a conversation, so they are checked without a schema, which takes ten times as long. */
function parseFacts(text: string): readonly BodyFacts[] {
  const facts = tryParse(text);
  if (Array.isArray(facts) && facts.every(isBodyFacts)) return facts;
  throw new Error('The facts of stored bodies are damaged.');
}

function isBodyFacts(value: unknown): value is BodyFacts {
  const { side, head, tail, omitted, bytes, binary, masked, contentType, events } = toObject(value);
  return (
    SIDES.has(side) &&
    Number.isInteger(head) &&
    Number.isInteger(tail) &&
    Number.isInteger(omitted) &&
    Number.isInteger(bytes) &&
    typeof binary === 'boolean' &&
    Number.isInteger(masked) &&
    (contentType === null || typeof contentType === 'string') &&
    (events === null || Number.isInteger(events))
  );
}

/** Packs the event times of all bodies; `null` when there are none. */
export function packTimes(bodies: readonly CleanBody[]): Uint8Array | null {
  const times = bodies.flatMap(({ eventTimes }) => eventTimes ?? []);
  if (times.length === 0) return null;
  const units = Uint32Array.from(times, (ms) => Math.max(0, Math.round(ms * TIME_UNITS_PER_MS)));
  return new Uint8Array(units.buffer);
}

function unpackTimes(packed: Uint8Array): number[] {
  const copy = packed.slice();
  return Array.from(new Uint32Array(copy.buffer), (units) => units / TIME_UNITS_PER_MS);
}

/** Makes the shown form of the bodies of an exchange. */
export function toExchangeBodies(
  state: ExchangeBodies['state'],
  bodies: readonly CleanBody[],
): ExchangeBodies {
  const find = (wanted: BodySide) => {
    const found = bodies.find(({ side }) => side === wanted);
    return found === undefined ? null : toStoredBody(found);
  };
  return { state, received: find('received'), sent: find('sent'), returned: find('returned') };
}

function toStoredBody(body: CleanBody): StoredBody {
  const { bytes, binary, masked, eventTimes } = body;
  const times = eventTimes === null ? null : [...eventTimes];
  return { ...toText(body), binary, bytes, masked, eventTimes: times };
}

function toText({ head, tail, omitted, contentType }: CleanBody): BodyText {
  const before = head.toString('utf8');
  return {
    text: tail.length === 0 ? before : before + tail.toString('utf8'),
    contentType,
    omitted: omitted > 0 ? { at: before.length, bytes: omitted } : null,
  };
}

const ABSENT = toExchangeBodies('absent', []);

/** Makes the shown form of stored bodies; `null` stands for none. */
export function toKeptBodies(bodies: readonly CleanBody[] | null): ExchangeBodies {
  return bodies === null ? ABSENT : toExchangeBodies('kept', bodies);
}

/** Reads the bodies of an exchange as they are stored; returns `null` when none are. @throws when they are damaged */
export function readClean(
  database: DatabaseSync,
  frames: Frames,
  id: ExchangeId,
): readonly CleanBody[] | null {
  const row = database
    .prepare('select frame, at, bodies, times from exchange where id = ?')
    .get(id);
  if (row === undefined) return null;
  const times = row['times'];
  return parseBodies(String(row['bodies']), {
    plain: frames.read(Number(row['frame'])),
    at: Number(row['at']),
    times: times instanceof Uint8Array ? unpackTimes(times) : [],
  });
}

/** Reads the texts of an exchange, without what only people are shown; returns `null` when none are stored. @throws when they are damaged */
export function readTexts(
  database: DatabaseSync,
  frames: Frames,
  id: ExchangeId,
): ExchangeTexts | null {
  const row = database.prepare('select frame, at, bodies from exchange where id = ?').get(id);
  if (row === undefined) return null;
  const plain = frames.read(Number(row['frame']));
  const bodies = parseBodies(String(row['bodies']), { plain, at: Number(row['at']), times: [] });
  const find = (wanted: BodySide) => bodies.find(({ side }) => side === wanted);
  const request = find('sent') ?? find('received');
  const returned = find('returned');
  return {
    request: request === undefined ? null : toText(request),
    returned: returned === undefined ? null : toText(returned),
  };
}
