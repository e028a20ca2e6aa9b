import { sql } from 'kysely';
import { matchesPattern } from '../../shared/name-pattern.ts';
import type { RecognisedStep } from '../../shared/run/run.ts';
import type { Statement, Store } from '../store/store.ts';
import type { ExchangeRow } from './row.ts';

/** Different names that are looked at. */
const MAX_NAMES = 5_000;
const MAX_LISTED = 200;

/** Returns the statement that stores the tools of exchanges; of those that there are not it stores none. */
export function insertToolsStatement(
  steps: readonly Pick<RecognisedStep, 'id' | 'tools'>[],
): Statement {
  return {
    sql: 'insert into exchange_tool (seq, name) select seq, ? from exchange where id = ?',
    rows: steps.flatMap(({ id, tools }) => tools.map((name) => [name, id])),
  };
}

/** Returns those of these exchanges whose tools are not stored yet. */
export async function readWithoutTools(
  { db }: Store,
  ids: readonly string[],
): Promise<ExchangeRow[]> {
  const { rows } = await sql<ExchangeRow>`select * from exchange
    where id in (select value from json_each(${JSON.stringify(ids)}))
      and not exists (select 1 from exchange_tool where exchange_tool.seq = exchange.seq)`.execute(
    db,
  );
  return rows;
}

/** Returns the tools of exchanges, by id. */
export async function readTools(
  { db }: Store,
  rows: readonly Pick<ExchangeRow, 'seq' | 'id'>[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const seqs = JSON.stringify(rows.map(({ seq }) => seq));
  const found = await sql<{
    seq: number;
    tools: string;
  }>`select seq, json_group_array(name) as tools
    from exchange_tool where seq in (select value from json_each(${seqs})) group by seq`.execute(
    db,
  );
  const bySeq = new Map(found.rows.map(({ seq, tools }) => [seq, tools]));
  return new Map(rows.map(({ seq, id }) => [id, JSON.parse(bySeq.get(seq) ?? '[]')]));
}

/** Returns the names of tools that match one of the patterns; `null` when there are too many names to look at. */
export async function listMatchingTools(
  store: Store,
  patterns: readonly string[],
): Promise<string[] | null> {
  const names = (await readNames(store)).map(({ name }) => name);
  if (names.length > MAX_NAMES) return null;
  return names.filter((name) => patterns.some((pattern) => matchesPattern(pattern, name)));
}

/** Returns the names of tools that can be typed into a line, those that were used last first, at most 200. */
export async function listLatestTools(store: Store): Promise<string[]> {
  const names = (await readNames(store)).toSorted((a, b) => b.latest - a.latest);
  const typed = names.map(({ name }) => name).filter((name) => !/\p{Cc}/u.test(name));
  return typed.slice(0, MAX_LISTED);
}

/** Reads the different names. Each step of the query jumps to the next one, so it hardly depends on the number of exchanges. */
async function readNames({ db }: Store) {
  const { rows } = await sql<{ name: string; latest: number }>`with recursive tool (name) as (
      select min(name) from exchange_tool
      union all
      select (select min(name) from exchange_tool where exchange_tool.name > tool.name)
      from tool where tool.name is not null limit ${MAX_NAMES + 1})
    select name, (select max(seq) from exchange_tool where exchange_tool.name = tool.name) as latest
    from tool where name is not null`.execute(db);
  return rows;
}
