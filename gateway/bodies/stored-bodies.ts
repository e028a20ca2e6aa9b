import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { ExchangeBodies, StoredBody } from '../../shared/exchange/body.ts';
import { tryParseJson } from '../lib/json-object.ts';
import type { CleanBody } from './clean-body.ts';
import type { Frames } from './frames.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { BodySide } from './protocol.ts';

/** A body as it is stored beside its frame: what is needed to find its bytes, and its facts. */
const BodyFacts = z.object({
  side: z.enum(['received', 'sent', 'returned']),
  /** Numbers of its bytes in the frame before and after its omitted middle. */
  head: z.number().int(),
  tail: z.number().int(),
  omitted: z.number().int(),
  bytes: z.number().int(),
  binary: z.boolean(),
  masked: z.number().int(),
  contentType: z.string().nullable(),
  /** Number of its event times. */
  events: z.number().int().nullable(),
});

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
  const facts = bodies.map(({ head, tail, eventTimes, ...rest }): z.infer<typeof BodyFacts> => ({
    ...rest,
    head: head.length,
    tail: tail.length,
    events: eventTimes?.length ?? null,
  }));
  return JSON.stringify(facts);
}

/** Reads bodies from their row; `at` is the offset of the first one in the frame. @throws when the row is damaged */
function parseBodies(
  text: string,
  {
    plain,
    at,
    times,
  }: { readonly plain: Buffer; readonly at: number; readonly times: readonly number[] },
): CleanBody[] {
  let start = at;
  let firstTime = 0;
  return z
    .array(BodyFacts)
    .parse(tryParseJson(text))
    .map(({ head, tail, events, ...rest }) => {
      const middle = start + head;
      const end = middle + tail;
      const parts = { head: plain.subarray(start, middle), tail: plain.subarray(middle, end) };
      const eventTimes = events === null ? null : times.slice(firstTime, firstTime + events);
      start = end;
      firstTime += events ?? 0;
      return { ...rest, ...parts, eventTimes };
    });
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
  const { head, tail, omitted, bytes, binary, masked, contentType, eventTimes } = body;
  const before = head.toString('utf8');
  return {
    text: before + tail.toString('utf8'),
    binary,
    bytes,
    contentType,
    omitted: omitted > 0 ? { at: before.length, bytes: omitted } : null,
    masked,
    eventTimes: eventTimes === null ? null : [...eventTimes],
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
