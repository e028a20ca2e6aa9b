import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { tryParseJson } from '../../lib/json-object.ts';
import type { ContinuingExchange } from './continuations.ts';
import {
  AGENT_DELAY_MS,
  type NewRequest,
  type SequenceKind,
  type SequenceState,
} from './find-sequence.ts';

/** The part of a sequence that is stored as JSON. */
export const StoredState = z.object({
  hasTools: z.boolean(),
  prompt: z.string(),
  callIds: z.array(z.string()),
  answered: z.boolean(),
  agent: z.string().nullable().optional(),
  prompts: z.array(z.object({ text: z.string(), step: z.string() })),
  /** Digests of the system texts and of the tools of the latest request. */
  system: z.string(),
  tools: z.string(),
  /** The digest of its other fields by which services cache, and whether its middle is missing. Versions before did not record them. */
  parameters: z.string().optional(),
  isCut: z.boolean().optional(),
});

export type StoredState = z.infer<typeof StoredState>;

/** A sequence as it is stored. `stem`: number of the messages in its chain that were not new. */
export type KnownSequence = SequenceState &
  StoredState & {
    readonly kind: SequenceKind;
    readonly stem: number;
  };

const Kind = z.enum(['main', 'agent', 'helper', 'continued'] satisfies SequenceKind[]);
const DIGEST = /.{16}/gu;
/** Sequences among which the place of a request is searched. */
const MAX_CANDIDATES = 40;
/** Sequences that are remembered at most. */
const MAX_KNOWN = 4 * MAX_CANDIDATES;

const LATEST = `order by ended_at desc limit ${MAX_CANDIDATES}`;
const OF_CONVERSATION = listIds(
  `select * from (select id, ended_at from sequence where client = ?1 and conversation = ?2 ${LATEST})
   union select * from (select id, ended_at from sequence where run = ?3 ${LATEST}) order by ended_at desc`,
);
const RECENT = listIds(
  `select id, ended_at from sequence where client = ?1 and ended_at > ?2 ${LATEST}`,
);
const WITHOUT_CONVERSATION = listIds(
  `select * from (select id, ended_at from sequence
     where client = ?1 and first = ?2 and conversation is null ${LATEST})
   union select * from (select id, ended_at from sequence
     where client = ?1 and ended_at > ?3 and conversation is null ${LATEST})
   order by ended_at desc`,
);
/** Steps that wait for one response and are placed anew, and those that follow each of them: a run of more stays as it is. */
const MAX_WAITING = 20;
const MAX_RELEASED = 200;
const WAITING = `select step from waiting join step on step.id = waiting.step
  where client = ? and answer in (select value from json_each(?)) and (started_at, id) > (?, ?)
  order by started_at, id limit ${MAX_WAITING}`;
/** A waiting step is placed anew with these, where it is the first: the steps of its run, or of the sequences there that begin like its own. */
const FOLLOWING = [
  'run = (select run from step where id = ?)',
  `sequence in (select sequence.id from step as waiting join sequence on sequence.run = waiting.run
     join step as first on first.id = (select id from step where step.sequence = sequence.id order by started_at, id limit 1)
       and (first.started_at, first.id) >= (waiting.started_at, waiting.id)
     where waiting.id = ? and first.facts ->> '$.earlier.start' = 'not kept')`,
].map(
  (steps) => `select id from step where ${steps} order by started_at, id limit ${MAX_RELEASED + 1}`,
);
const RELEASE = [
  'delete from searched where id in (select value from json_each(?))',
  'delete from step where id in (select value from json_each(?))',
  'update exchange set is_placed = 0 where id in (select value from json_each(?))',
];
const Ids = z.array(z.number());

/** Makes the query return all ids in one row, which is read much faster than forty. */
function listIds(query: string): string {
  return `select json_group_array(id) as ids from (${query})`;
}

/** What a request writes of its sequence. Times in Unix milliseconds. */
interface SequenceChange {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly chain: readonly string[];
  readonly stem: number;
  readonly state: StoredState;
}

/** The place of a sequence that begins. */
interface SequenceStart {
  readonly run: string;
  readonly client: string;
  readonly conversation: string | null;
  readonly kind: SequenceKind;
  /** The exchange whose tool call started it. */
  readonly startedBy: string | null;
}

/** The sequences of the database. It remembers those that were read last, because each request of a client is compared with the same ones. */
export class Sequences {
  readonly #database: DatabaseSync;
  readonly #known = new Map<number, KnownSequence | null>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Returns the latest sequences of a client that a request may belong to, the latest first. */
  findCandidates(
    client: string,
    { conversation, run, chain, startedAt }: NewRequest,
  ): KnownSequence[] {
    const since = startedAt - AGENT_DELAY_MS;
    if (conversation === null)
      return this.#read(this.#list(WITHOUT_CONVERSATION, client, chain[0] ?? '', since));
    const named = this.#list(OF_CONVERSATION, client, conversation, run ?? '');
    // A conversation that is new may be that of an agent which another one started.
    return this.#read(named.length > 0 ? named : this.#list(RECENT, client, since));
  }

  /** Returns the sequence with a step, and whether that is its latest one; `null` when there is none. */
  findOfStep(step: string): { sequence: KnownSequence; isLatest: boolean } | null {
    const row = this.#database
      .prepare(
        `select sequence, not exists (select 1 from step as later where later.sequence = step.sequence
           and (later.started_at, later.id) > (step.started_at, step.id)) as latest from step where id = ?`,
      )
      .get(step);
    const [sequence] = row === undefined ? [] : this.#read([Number(row['sequence'])]);
    return sequence === undefined ? null : { sequence, isLatest: row?.['latest'] === 1 };
  }

  /** Begins a sequence with its first request. Returns its id. Must be called in a transaction, as all that write. */
  begin(
    { run, client, conversation, kind, startedBy }: SequenceStart,
    { startedAt, endedAt, chain, stem, state }: SequenceChange,
  ): number {
    const { lastInsertRowid } = this.#database
      .prepare(
        `insert into sequence (run, client, conversation, kind, started_by, started_at, ended_at, first, chain, stem, state)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        run,
        client,
        conversation,
        kind,
        startedBy,
        startedAt,
        endedAt,
        chain[0] ?? '',
        chain.join(''),
        stem,
        JSON.stringify(state),
      );
    return Number(lastInsertRowid);
  }

  /** Adds a request to a sequence. */
  continue(id: number, { endedAt, chain, stem, state }: SequenceChange): void {
    this.#database
      .prepare(
        'update sequence set ended_at = max(ended_at, ?), chain = ?, stem = ?, state = ? where id = ?',
      )
      .run(endedAt, chain.join(''), stem, JSON.stringify(state), id);
    this.#known.delete(id);
  }

  /** Makes the sequences of a run helpers, because its task begins only now. */
  makeHelpers(run: string): void {
    this.#database.prepare(`update sequence set kind = 'helper' where run = ?`).run(run);
    this.#known.clear();
  }

  /** Makes a step wait for the response that it continues. */
  await({ id, client }: ContinuingExchange, answers: readonly string[]): void {
    const insert = this.#database.prepare(
      'insert or ignore into waiting (client, answer, step) values (?, ?, ?)',
    );
    for (const answer of answers) insert.run(client, answer, id);
  }

  /** Takes the steps that waited for the response of an exchange out of the runs, with what followed them, so that they are placed anew. */
  release({ id, startedAt, client }: ContinuingExchange, answers: readonly string[]): void {
    const waiting = this.#database
      .prepare(WAITING)
      .all(client, JSON.stringify(answers), startedAt, id);
    for (const { step } of waiting) {
      const lists = FOLLOWING.map((sql) => {
        const rows = this.#database.prepare(sql).all(String(step));
        return rows.map(({ id: following }) => following);
      });
      const released = lists.find((ids) => ids[0] === step && ids.length <= MAX_RELEASED) ?? [];
      for (const sql of RELEASE) this.#database.prepare(sql).run(JSON.stringify(released));
    }
  }

  /** Must be called after a transaction was undone. */
  forget(): void {
    this.#known.clear();
  }

  #list(sql: string, ...values: readonly (string | number)[]): number[] {
    const row = this.#database.prepare(sql).get(...values);
    return Ids.parse(tryParseJson(String(row?.['ids'])));
  }

  #read(ids: readonly number[]): KnownSequence[] {
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    const missing = ids.filter((id) => !this.#known.has(id));
    if (missing.length > 0) {
      const rows = this.#database
        .prepare(
          `select id, run, conversation, kind, started_at, ended_at, chain, stem, state
           from sequence where id in (select value from json_each(?))`,
        )
        .all(JSON.stringify(missing));
      for (const row of rows) this.#known.set(Number(row['id']), toSequence(row));
    }
    return ids.flatMap((id) => this.#known.get(id) ?? []);
  }
}

function toSequence(row: Record<string, unknown>): KnownSequence | null {
  const state = StoredState.safeParse(tryParseJson(String(row['state'])));
  const kind = Kind.safeParse(row['kind']);
  if (!state.success || !kind.success) return null;
  const { conversation } = row;
  return {
    ...state.data,
    id: Number(row['id']),
    run: String(row['run']),
    kind: kind.data,
    conversation: typeof conversation === 'string' ? conversation : null,
    startedAt: Number(row['started_at']),
    endedAt: Number(row['ended_at']),
    chain: String(row['chain']).match(DIGEST) ?? [],
    stem: Number(row['stem']),
  };
}
