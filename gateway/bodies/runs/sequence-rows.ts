import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { tryParseJson } from '../../lib/json-object.ts';
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
  prompts: z.array(z.object({ text: z.string(), step: z.string() })),
  /** Digests of the system texts and of the tools of the latest request. */
  system: z.string(),
  tools: z.string(),
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

const COLUMNS = 'id, run, conversation, kind, started_at, ended_at, chain, stem, state';
const OF_CONVERSATION = `select ${COLUMNS} from sequence where client = ? and conversation = ?
  order by ended_at desc limit ${MAX_CANDIDATES}`;
const RECENT = `select ${COLUMNS} from sequence where client = ? and ended_at > ?
  order by ended_at desc limit ${MAX_CANDIDATES}`;
const WITHOUT_CONVERSATION = `select ${COLUMNS} from sequence where id in (
    select * from (select id from sequence where client = ?1 and first = ?2 and conversation is null
      order by ended_at desc limit ${MAX_CANDIDATES})
    union all
    select * from (select id from sequence where client = ?1 and ended_at > ?3 and conversation is null
      order by ended_at desc limit ${MAX_CANDIDATES}))
  order by ended_at desc`;

/** Returns the latest sequences of a client that a request may belong to, the latest first. */
export function findCandidates(
  database: DatabaseSync,
  client: string,
  { conversation, chain, startedAt }: NewRequest,
): KnownSequence[] {
  const since = startedAt - AGENT_DELAY_MS;
  if (conversation === null) {
    return toSequences(database.prepare(WITHOUT_CONVERSATION).all(client, chain[0] ?? '', since));
  }
  const named = database.prepare(OF_CONVERSATION).all(client, conversation);
  // A conversation that is new may be that of an agent which another one started.
  return toSequences(named.length > 0 ? named : database.prepare(RECENT).all(client, since));
}

function toSequences(rows: readonly Record<string, unknown>[]): KnownSequence[] {
  return rows.map(toSequence).filter((sequence) => sequence !== null);
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
