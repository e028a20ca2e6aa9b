import { sql } from 'kysely';
import {
  type ConversationId,
  type ConversationPage,
  ConversationPlace,
  type ConversationSummary,
} from '../../shared/chat.ts';
import type { Store } from '../store/store.ts';
import type { ConversationsAsked } from './conversations.ts';
import { lanesOf } from './rows.ts';

interface SummaryRow {
  readonly id: ConversationId;
  readonly title: string;
  readonly changed_at: number;
  readonly lanes: string;
}

/** One page of the list, the latest changed first. */
export async function readPage(
  { db }: Store,
  { limit, before }: ConversationsAsked,
): Promise<ConversationPage> {
  const behind = before === undefined ? sql`1` : after(before);
  // One more than asked for tells whether there is a next page.
  const { rows } = await sql<SummaryRow>`select id, title, changed_at, lanes from conversation
    where ${behind} order by changed_at desc, id desc limit ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    conversations: shown.map(summaryOf),
    next: last === undefined ? null : ConversationPlace.parse(`${last.changed_at}-${last.id}`),
  };
}

function after(place: ConversationPlace) {
  const [at = '', id = ''] = place.split('-');
  return sql`(changed_at, id) < (${Number(at)}, ${id})`;
}

function summaryOf(row: SummaryRow): ConversationSummary {
  return {
    id: row.id,
    title: row.title,
    changedAt: row.changed_at,
    models: lanesOf(row).map(({ model }) => model),
    running: false,
    found: null,
  };
}
