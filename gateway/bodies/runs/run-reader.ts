import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { foldCase } from '../../../shared/fold-case.ts';
import {
  type RunDetail,
  type RunFilter,
  RunMatch,
  type RunPage,
  RunSequence,
  RunStep,
  RunSummary,
  type StepPlace,
} from '../../../shared/run/run.ts';
import { tryParseJson } from '../../lib/json-object.ts';

const MAX_STEPS = 1_000;
const MAX_MODELS = 5;

const Cursor = z.tuple([z.number().int(), z.string()]);

const SUMMARY = `with pinned_run as materialized (select step.run, count(*) as steps from exchange
    join step on step.id = exchange.id where exchange.pinned > 0 group by step.run)
  select run.id, run.title, run.client_name as clientName, run.conversation,
  run.started_at as startedAt, run.ended_at as endedAt, count(*) as steps, sum(step.failed) as failed,
  sum(step.calls) as calls, sum(step.input) as input, sum(step.output) as output, sum(step.cache_read) as cacheRead,
  coalesce((select steps from pinned_run where pinned_run.run = run.id), 0) as pinned,
  coalesce((select failed = 0 from step as latest join sequence on sequence.id = latest.sequence
    where latest.run = run.id and kind in ('main', 'continued') order by latest.started_at desc, latest.id desc limit 1), 0) as endedWell,
  (select json_group_array(model) from (select model from step as named where named.run = run.id and model is not null
    group by model order by count(*) desc limit ${MAX_MODELS})) as models`;

const HAS_STEPS =
  'run.id in (select step.run from step where step.id in (select value from json_each(?)))';

/** Lists runs, the latest first. `before`: the `next` of the page before. */
export function listRuns(
  database: DatabaseSync,
  {
    filter,
    limit,
    before,
  }: { readonly filter: RunFilter; readonly limit: number; readonly before: string | null },
): RunPage {
  const [endedAt, id] = readCursor(before);
  const { text = '', single = false, exchanges } = filter;
  const words = foldCase(text)
    .split(/\s+/u)
    .filter((word) => word !== '');
  const matches = words.map(
    () => `(instr(fold_case(title), ?) > 0 or instr(fold_case(client_name), ?) > 0
      or instr(fold_case(conversation), ?) > 0
      or exists (select 1 from step where step.run = run.id and model in (select value from json_each(?))))`,
  );
  const models = words.length === 0 ? [] : listModels(database);
  const values = words.flatMap((word) => [
    word,
    word,
    word,
    JSON.stringify(models.filter((model) => foldCase(model).includes(word))),
  ]);
  const asked = exchanges === undefined ? null : JSON.stringify(exchanges);
  const conditions = [
    '(ended_at, id) < (?, ?)',
    ...(single ? [] : ['single = 0']),
    ...(asked === null ? [] : [HAS_STEPS]),
    ...matches,
  ];
  const rows = database
    .prepare(
      `${SUMMARY} from (select * from run where ${conditions.join(' and ')}
         order by ended_at desc, id desc limit ?) as run
       join step on step.run = run.id group by run.id order by run.ended_at desc, run.id desc`,
    )
    .all(endedAt, id, ...(asked === null ? [] : [asked]), ...values, limit);
  const runs = rows.map(toSummary);
  const last = runs.at(-1);
  const next =
    runs.length < limit || last === undefined ? null : JSON.stringify([last.endedAt, last.id]);
  return { runs, next, matches: asked === null ? {} : findMatches(database, runs, asked) };
}

/** Finds where runs have the exchanges that were asked for, a JSON list. */
function findMatches(
  database: DatabaseSync,
  runs: readonly RunSummary[],
  asked: string,
): Record<string, RunMatch> {
  // The columns beside a minimum are those of its row (https://www.sqlite.org/lang_select.html#bareagg).
  const rows = database
    .prepare(
      `select found.run, found.id, found.steps, kind,
         (select count(*) from step as earlier where earlier.sequence = found.sequence
           and (earlier.started_at, earlier.id) <= (found.at, found.id)) as number
       from (select run, id, sequence, min(started_at) as at, count(*) as steps from step
         where id in (select value from json_each(?)) and run in (select value from json_each(?)) group by run) as found
       join sequence on sequence.id = found.sequence`,
    )
    .all(asked, JSON.stringify(runs.map(({ id }) => id)));
  return Object.fromEntries(rows.map((row) => [String(row['run']), RunMatch.parse(row)]));
}

/** Lists the models of all steps: few, so a word is compared with each name once and not with that of each step. */
function listModels(database: DatabaseSync): readonly string[] {
  return database
    .prepare('select distinct model from step where model is not null')
    .all()
    .map((row) => String(row['model']));
}

/** Returns a run with its steps; `null` when there is none. */
export function readRun(database: DatabaseSync, id: RunId): RunDetail | null {
  const run = findSummary(database, id);
  if (run === null) return null;
  const sequences = database
    .prepare('select id, kind, started_by from sequence where run = ? order by started_at, id')
    .all(id)
    .map((row) => ({
      id: Number(row['id']),
      kind: RunSequence.shape.kind.parse(row['kind']),
      startedBy: RunSequence.shape.startedBy.parse(row['started_by']),
      steps: new Array<RunStep>(),
    }));
  const bySequence = new Map(sequences.map((sequence) => [sequence.id, sequence]));
  const rows = database
    .prepare('select sequence, facts from step where run = ? order by started_at, id limit ?')
    .all(id, MAX_STEPS);
  for (const row of rows) {
    const step = toStep(row);
    if (step !== null) bySequence.get(Number(row['sequence']))?.steps.push(step);
  }
  return {
    run,
    sequences: sequences.filter(({ steps }) => steps.length > 0),
    moreSteps: run.steps - rows.length,
  };
}

/** Lists all exchanges of a run: its sequences in the order in which they began, each with its steps in theirs. */
export function listSteps(database: DatabaseSync, id: RunId): ExchangeId[] {
  return database
    .prepare(
      `select step.id from step join sequence on sequence.id = step.sequence where step.run = ?
       order by sequence.started_at, sequence.id, step.started_at, step.id`,
    )
    .all(id)
    .map((row) => ExchangeId.parse(row['id']));
}

/** Returns the titles of those runs that there are, by their ids. */
export function findTitles(
  database: DatabaseSync,
  ids: readonly RunId[],
): ReadonlyMap<string, string> {
  const rows = database
    .prepare('select id, title from run where id in (select value from json_each(?))')
    .all(JSON.stringify(ids));
  return new Map(rows.map(({ id, title }) => [String(id), String(title)]));
}

/** Returns the place of an exchange in its run; `null` when it has none. */
export function findPlace(database: DatabaseSync, id: ExchangeId): StepPlace | null {
  const row = database
    .prepare(
      `select step.facts, step.run, step.sequence, step.started_at, run.title
       from step join run on run.id = step.run where step.id = ?`,
    )
    .get(id);
  const step = row === undefined ? null : toStep(row);
  if (row === undefined || step === null) return null;
  const earlier = database
    .prepare(
      `select facts, (select count(*) from step where sequence = ?1 and (started_at, id) < (?2, ?3)) as number
       from step where sequence = ?1 and (started_at, id) < (?2, ?3) order by started_at desc, id desc limit 1`,
    )
    .get(Number(row['sequence']), Number(row['started_at']), id);
  const before = earlier === undefined ? null : toStep(earlier);
  return {
    run: RunId.parse(row['run']),
    title: String(row['title']),
    number: Number(earlier?.['number'] ?? 0) + 1,
    step,
    before: before === null ? null : { id: before.id },
    compared: findCompared(database, step, before),
  };
}

/** Returns the step that one was compared with. Versions before compared each with the one before it in its sequence. */
function findCompared(
  database: DatabaseSync,
  { comparison }: RunStep,
  before: RunStep | null,
): RunStep | null {
  if (comparison === undefined) return before;
  if (comparison === null) return null;
  const row = database.prepare('select facts from step where id = ?').get(comparison.with);
  return row === undefined ? null : toStep(row);
}

/** Returns the ids of runs that begin with a text. */
export function findRuns(database: DatabaseSync, prefix: string, limit: number): RunId[] {
  return database
    .prepare('select id from run where substr(id, 1, length(?1)) = ?1 order by id limit ?2')
    .all(prefix, limit)
    .map((row) => RunId.parse(row['id']));
}

function findSummary(database: DatabaseSync, id: RunId): RunSummary | null {
  const row = database
    .prepare(`${SUMMARY} from run join step on step.run = run.id where run.id = ? group by run.id`)
    .get(id);
  return row === undefined ? null : toSummary(row);
}

function toSummary(row: Record<string, unknown>): RunSummary {
  const { models, endedWell } = row;
  return RunSummary.parse({
    ...row,
    models: tryParseJson(String(models)),
    endedWell: endedWell === 1,
  });
}

/** Reads a step; `null` when its row is damaged. */
function toStep(row: Record<string, unknown>): RunStep | null {
  return RunStep.safeParse(tryParseJson(String(row['facts']))).data ?? null;
}

function readCursor(before: string | null): z.infer<typeof Cursor> {
  const cursor = before === null ? null : Cursor.safeParse(tryParseJson(before));
  return cursor?.data ?? [Number.MAX_SAFE_INTEGER, ''];
}
