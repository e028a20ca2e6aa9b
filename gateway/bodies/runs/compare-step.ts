import type { DatabaseSync } from 'node:sqlite';
import type { StoredBody } from '../../../shared/exchange/body.ts';
import { canonicalJson } from '../../../shared/parse-bodies/canonical-json.ts';
import { findCacheLife, mayHaveMissed } from '../../../shared/run/cache-miss.ts';
import { type ParameterChange, RunStep, type StepChange } from '../../../shared/run/run.ts';
import { tryParseJson } from '../../lib/json-object.ts';
import { cut, LENGTHS } from './build-step.ts';
import { findChange } from './find-change.ts';
import type { Placement } from './find-sequence.ts';
import { locateByte } from './locate-byte.ts';
import { type Earlier, type RequestOutline, splitSystem, toDigest } from './outline-request.ts';
import type { KnownSequence, StoredState } from './sequences.ts';

type OutlineStep = (
  step: Pick<RunStep, 'id' | 'startedAt' | 'protocol'>,
  client: string,
) => RequestOutline | null;

type NewStep = Omit<RunStep, 'change' | 'comparison' | 'repeated'>;

/** A step with its place, as far as finding what it is compared with needs it. */
interface PlacedRequest {
  readonly step: NewStep;
  /** The client that sent it. */
  readonly client: string;
  readonly request: RequestOutline;
  readonly body: StoredBody;
  readonly placement: Placement;
  /** The sequence that it continues, and the number of messages at the start that it shares with the latest request there. */
  readonly found: KnownSequence | undefined;
  readonly common: number;
  /** Whether it continues the response of the latest step of its sequence. */
  readonly isContinued: boolean;
}

/** Earlier steps among which one of the same purpose is searched. */
const MAX_EARLIER = 20;
const OF_SEQUENCE = `select facts from step where sequence = ? and started_at <= ?
  order by started_at desc, id desc limit ${MAX_EARLIER}`;
const OF_RUN = `select step.facts from step join sequence on sequence.id = step.sequence
  where step.run = ? and kind in ('main', 'continued') and step.started_at <= ?
  order by step.started_at desc, step.id desc limit ${MAX_EARLIER}`;
/** The part of the system prompt, and of the tools, that an agent has in common with itself at least. */
const MIN_COMMON = 0.5;

/** Compares each request with the earlier one whose cache it may read: the latest of its agent with the same purpose. */
export class StepComparer {
  readonly #database: DatabaseSync;
  readonly #outline: OutlineStep;

  constructor(database: DatabaseSync, outline: OutlineStep) {
    this.#database = database;
    this.#outline = outline;
  }

  /** @throws SQLite's error */
  compare(placed: PlacedRequest): Pick<RunStep, 'change' | 'comparison'> {
    const { step, client, request, found, common } = placed;
    const earlier =
      request.continues === null ? this.#findEarlier(placed) : this.#findPrevious(placed);
    if (earlier === null) return { change: null, comparison: null };
    const { step: before, isLatest } = earlier;
    const comparison = { with: before.id, lifeMs: findCacheLife(before) };
    // The digests of the latest request are known, so most bodies need not be read.
    if (found !== undefined && isLatest && isSame(found, request)) {
      const needed = mayHaveMissed(step.usage) ? found.chain.length : found.stem;
      if (common >= needed) {
        const follows = hasAnswer(request, found.chain.length);
        const same = { follows, isWhole: true, isOtherAgent: false, parameters: [] };
        return { change: null, comparison: { ...comparison, ...same } };
      }
    }
    const old = this.#outlineEarlier(before, client);
    if (old === null) {
      const unknown = { follows: false, isWhole: false, isOtherAgent: false, parameters: [] };
      return { change: null, comparison: { ...comparison, ...unknown } };
    }
    const isOther = isOtherAgent(old, request);
    return {
      // Between two agents everything differs.
      change: isOther ? null : this.#findChange(old, before, placed),
      comparison: {
        ...comparison,
        follows: hasAnswer(request, old.messages.length),
        isWhole: !old.isCut && !request.isCut && hasSameForm(old, request),
        isOtherAgent: isOther,
        parameters: compareParameters(old, request),
      },
    };
  }

  /** Outlines the request of an earlier step; `null` when it is not stored, or damaged. */
  #outlineEarlier(step: RunStep, client: string): RequestOutline | null {
    try {
      return this.#outline(step, client);
    } catch {
      return null;
    }
  }

  #findChange(old: RequestOutline, before: RunStep, placed: PlacedRequest): StepChange | null {
    const { request, body } = placed;
    const stem = countOld(old, before);
    // An answer has another form where a client sends it than where the service stored it.
    const result = hasSameForm(old, request)
      ? findChange({ ...old, stem }, request)
      : findChange({ ...withoutList(old), stem }, withoutList(request));
    if (result === null) return null;
    const { change, path, at } = result;
    return { ...change, byte: path.length === 0 ? null : locateByte(body, path, at ?? 0) };
  }

  /** Finds the step whose response a request continues. What a thread leaves out cannot be compared. */
  #findPrevious({ step, request, isContinued }: PlacedRequest) {
    const previous = request.earlier?.previous ?? null;
    if (previous === null || request.continues?.isThread === true) return null;
    const row = this.#database.prepare('select facts from step where id = ?').get(previous);
    const before = RunStep.safeParse(tryParseJson(String(row?.['facts']))).data;
    if (before?.requestClass !== step.requestClass) return null;
    return { step: before, isLatest: isContinued };
  }

  /** Finds the step to compare with, if possible one whose service said what it read from its cache; a history that was shortened continues the agent's. */
  #findEarlier({ step, placement, found }: PlacedRequest) {
    const { startedAt, requestClass } = step;
    const isContinued = placement.at === 'run' && placement.kind === 'continued';
    if (found === undefined && !isContinued) return null;
    const rows =
      found === undefined && placement.at === 'run'
        ? this.#database.prepare(OF_RUN).iterate(placement.run, startedAt)
        : this.#database.prepare(OF_SEQUENCE).iterate(found?.id ?? 0, startedAt);
    let first: { readonly step: RunStep; readonly isLatest: boolean } | null = null;
    let isLatest = true;
    for (const row of rows) {
      const before = RunStep.safeParse(tryParseJson(String(row['facts']))).data;
      if (before?.requestClass === requestClass && !isThread(before)) {
        const earlier = { step: before, isLatest };
        if (before.usage.cacheRead !== null) return earlier;
        first ??= earlier;
      }
      isLatest = false;
    }
    return first;
  }
}

/** Whether a step continued a thread of Messages, whose system prompt and tools it left out. */
function isThread({ earlier, protocol }: RunStep): boolean {
  return earlier !== null && protocol === 'messages';
}

/** Whether both requests were sent whole, or neither was. Of what is rebuilt all must be there. */
function hasSameForm(before: RequestOutline, { earlier }: RequestOutline): boolean {
  return earlier === null ? before.earlier === null : !isShortened(earlier);
}

/** Whether the oldest messages before those of a request were dropped. */
function isShortened({ start }: Pick<Earlier, 'start'>): boolean {
  return start === 'too long' || start === 'too many';
}

/** Returns a request without the items of its list. */
function withoutList(request: RequestOutline): RequestOutline {
  return { ...request, system: splitSystem(request).system, messages: [], tail: [] };
}

/** Whether all but the messages of a request is the same as in the latest one of a sequence, and neither misses a part. */
function isSame(known: KnownSequence, request: RequestOutline): boolean {
  const { system, tools, parameters } = digestFixedParts(request);
  const isWhole = known.isCut === false && !request.isCut;
  return (
    isWhole && known.system === system && known.tools === tools && known.parameters === parameters
  );
}

/** Returns what a sequence keeps of the parts of its latest request beside the messages. */
export function digestFixedParts({
  system,
  tools,
  parameters,
  isCut,
}: RequestOutline): Required<Pick<StoredState, 'system' | 'tools' | 'parameters' | 'isCut'>> {
  return {
    system: digestAll(system),
    tools: digestAll(tools),
    parameters: toDigest(JSON.stringify([...parameters])),
    isCut,
  };
}

function digestAll(items: RequestOutline['system']): string {
  return toDigest(items.map(({ digest }) => digest).join(''));
}

/** Returns the number of messages that were not new in a request. */
export function countOld(
  { messages }: RequestOutline,
  { context }: Pick<RunStep, 'context'>,
): number {
  let length = 0;
  let count = 0;
  for (const { json } of messages) {
    length += json.length;
    if (length > context.history) break;
    count += 1;
  }
  return count;
}

/** Whether a request has an answer after so many messages. */
function hasAnswer({ messages, tail }: RequestOutline, from: number): boolean {
  return [...messages.slice(from), ...tail].some(({ name }) => name === 'assistant');
}

/** Whether both the system prompt and the tools of a request have little in common with those of another. */
function isOtherAgent(before: RequestOutline, now: RequestOutline): boolean {
  const [old, current] = [listNames(before), listNames(now)];
  const most = Math.max(old.size, current.size);
  const both = [...old].filter((name) => current.has(name)).length;
  if (most === 0 || both > MIN_COMMON * most) return false;
  const [one, other] = [joinSystem(before), joinSystem(now)];
  const length = Math.min(one.length, other.length);
  let common = 0;
  while (common < length && one[common] === other[common]) common += 1;
  return length > 0 && common < MIN_COMMON * length;
}

function listNames({ tools }: RequestOutline): ReadonlySet<string | null> {
  return new Set(tools.map(({ name }) => name));
}

function joinSystem({ system }: RequestOutline): string {
  return system.map(({ json }) => json).join('');
}

function compareParameters(before: RequestOutline, now: RequestOutline): ParameterChange[] {
  const isCut = before.isCut || now.isCut;
  const names = new Set([...before.parameters.keys(), ...now.parameters.keys()]);
  return [...names].flatMap((name) => {
    const old = before.parameters.get(name) ?? null;
    const current = now.parameters.get(name) ?? null;
    // A field may be in the part that is missing.
    if (old === null || current === null) {
      if (isCut) return [];
    } else if (canonicalJson(old) === canonicalJson(current)) return [];
    return [{ name, before: cutValue(old), now: cutValue(current) }];
  });
}

function cutValue(text: string | null): string | null {
  return text === null ? null : cut(text, LENGTHS.parameter);
}
