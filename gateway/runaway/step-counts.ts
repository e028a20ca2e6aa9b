import type { WatchedStep } from '../bodies/bodies.ts';

/** What is known of a run since the last message of a person. */
export interface RunCount {
  /** Requests since then. */
  readonly requests: number;
  /** Milliseconds from the message, or from the first request, to the latest request. */
  readonly passedMs: number;
  /** Number of equal tool calls in a row, and the names of the tools. */
  readonly repeats: number;
  readonly tools: string;
  /** Sub-agents that were started since then. */
  readonly agents: number;
}

interface SequenceState {
  /** Digest of the text of its latest step. */
  text: string | null;
  calls: string | null;
  tools: string;
  repeats: number;
}

interface RunState {
  readonly clientId: string;
  readonly sequences: Map<number, SequenceState>;
  /** When the last message of a person came; `null` for none. */
  personAt: number | null;
  firstAt: number;
  latestAt: number;
  requests: number;
  agents: number;
}

/** The runs and the sequences of a run that are counted; beyond it one begins anew. */
export const MAX_RUNS = 300;
const MAX_SEQUENCES = 60;

/** Counts steps of runs since the last message of a person, and equal tool calls in a row. Steps may come late and in any order. */
export class StepCounts {
  readonly #runs = new Map<string, RunState>();

  get size(): number {
    return this.#runs.size;
  }

  /** Counts a step, and returns the counts of its run. */
  add(step: WatchedStep): RunCount {
    const run = touch(this.#runs, step.run, { max: MAX_RUNS, choose: findOfBusiestClient }, () => ({
      clientId: step.clientId,
      sequences: new Map<number, SequenceState>(),
      personAt: null,
      firstAt: step.at,
      latestAt: step.at,
      requests: 0,
      agents: 0,
    }));
    const kept = { max: MAX_SEQUENCES, choose: findOldest };
    const sequence = touch(run.sequences, step.sequence, kept, createSequence);
    // A text that comes again with each request is one that the program writes.
    const isByPerson = step.text !== null && step.text !== sequence.text;
    const isLate = run.personAt !== null && step.at < run.personAt;
    if (!isLate) {
      sequence.text = step.text;
      if (isByPerson) beginAnew(run, step.at);
      else countRequest(run, step.at);
      countCalls(sequence, step);
      if (step.startsAgent) run.agents += 1;
    }
    return toCount(run);
  }

  /** Begins anew for the runs of a client. */
  forget(clientId: string): void {
    for (const [id, run] of this.#runs) if (run.clientId === clientId) this.#runs.delete(id);
  }

  clear(): void {
    this.#runs.clear();
  }
}

/** Returns the run of the client with the most runs that was untouched longest: a client with many runs must not hide those of others. */
function findOfBusiestClient(runs: ReadonlyMap<string, RunState>): string | undefined {
  const counts = new Map<string, number>();
  for (const { clientId } of runs.values()) counts.set(clientId, (counts.get(clientId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  for (const [id, { clientId }] of runs) if (counts.get(clientId) === most) return id;
  return undefined;
}

function findOldest<Key>(entries: ReadonlyMap<Key, unknown>): Key | undefined {
  for (const key of entries.keys()) return key;
  return undefined;
}

function createSequence(): SequenceState {
  return { text: null, calls: null, tools: '', repeats: 0 };
}

function beginAnew(run: RunState, at: number): void {
  run.personAt = at;
  run.firstAt = at;
  run.latestAt = at;
  run.requests = 0;
  run.agents = 0;
  for (const sequence of run.sequences.values()) {
    sequence.calls = null;
    sequence.repeats = 0;
  }
}

function countRequest(run: RunState, at: number): void {
  run.requests += 1;
  run.firstAt = Math.min(run.firstAt, at);
  run.latestAt = Math.max(run.latestAt, at);
}

/** A response that did not come whole says nothing about the next one. */
function countCalls(sequence: SequenceState, { calls, answered }: WatchedStep): void {
  if (calls === null) {
    if (!answered) return;
    sequence.calls = null;
    sequence.repeats = 0;
    return;
  }
  sequence.repeats = sequence.calls === calls.digest ? sequence.repeats + 1 : 1;
  sequence.calls = calls.digest;
  sequence.tools = calls.names;
}

function toCount({ requests, agents, firstAt, latestAt, sequences }: RunState): RunCount {
  let [repeats, tools] = [0, ''];
  for (const sequence of sequences.values()) {
    if (sequence.repeats > repeats) ({ repeats, tools } = sequence);
  }
  return { requests, passedMs: latestAt - firstAt, repeats, tools, agents };
}

interface Kept<Key, Value> {
  readonly max: number;
  /** Chooses the entry that is deleted for a new one. */
  readonly choose: (entries: ReadonlyMap<Key, Value>) => Key | undefined;
}

/** Returns the entry of a key as the latest one, and makes it when it is missing. */
function touch<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  { max, choose }: Kept<Key, Value>,
  create: () => Value,
): Value {
  const value = map.get(key) ?? create();
  map.delete(key);
  if (map.size >= max) {
    const dropped = choose(map);
    if (dropped !== undefined) map.delete(dropped);
  }
  map.set(key, value);
  return value;
}
