import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
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

/** A sequence as it is stored. `stem`: number of the messages in its chain that were not new; `latest`: its latest exchange. */
export type KnownSequence = SequenceState &
  StoredState & {
    readonly kind: SequenceKind;
    readonly latest: ExchangeId | null;
    readonly stem: number;
  };

const Kind = z.enum(['main', 'agent', 'helper', 'continued'] satisfies SequenceKind[]);
const DIGEST_LENGTH = 16;
/** Sequences among which the place of a request is searched. */
const MAX_CANDIDATES = 40;

/** Returns the latest sequences of a client that a request may belong to, the latest first. */
export function findCandidates(
  database: DatabaseSync,
  client: string,
  { conversation, chain, startedAt }: NewRequest,
): KnownSequence[] {
  const select = `select * from (select id, run, conversation, kind, started_at, ended_at, chain, stem, state,
    (select step.id from step where step.sequence = sequence.id order by step.started_at desc limit 1) as latest
    from sequence where client = ? and`;
  const recent = startedAt - AGENT_DELAY_MS;
  if (conversation === null) {
    const rows = database
      .prepare(
        `${select} conversation is null and first = ? order by ended_at desc limit ?)
         union ${select} conversation is null and ended_at > ? order by ended_at desc limit ?)
         order by ended_at desc`,
      )
      .all(client, chain[0] ?? '', MAX_CANDIDATES, client, recent, MAX_CANDIDATES);
    return toSequences(rows);
  }
  const named = database
    .prepare(`${select} conversation = ? order by ended_at desc limit ?)`)
    .all(client, conversation, MAX_CANDIDATES);
  if (named.length > 0) return toSequences(named);
  // A conversation that is new may be that of an agent which another one started.
  const rows = database
    .prepare(`${select} ended_at > ? order by ended_at desc limit ?)`)
    .all(client, recent, MAX_CANDIDATES);
  return toSequences(rows);
}

function toSequences(rows: readonly Record<string, unknown>[]): KnownSequence[] {
  return rows.map(toSequence).filter((sequence) => sequence !== null);
}

function toSequence(row: Record<string, unknown>): KnownSequence | null {
  const state = StoredState.safeParse(tryParseJson(String(row['state'])));
  const kind = Kind.safeParse(row['kind']);
  if (!state.success || !kind.success) return null;
  const { conversation, latest } = row;
  const chain = String(row['chain']);
  return {
    ...state.data,
    id: Number(row['id']),
    run: String(row['run']),
    kind: kind.data,
    conversation: typeof conversation === 'string' ? conversation : null,
    startedAt: Number(row['started_at']),
    endedAt: Number(row['ended_at']),
    chain: Array.from({ length: chain.length / DIGEST_LENGTH }, (_, place) =>
      chain.slice(place * DIGEST_LENGTH, (place + 1) * DIGEST_LENGTH),
    ),
    stem: Number(row['stem']),
    latest: latest === null ? null : ExchangeId.parse(latest),
  };
}
