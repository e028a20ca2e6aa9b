import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import type { ExchangeBodies } from '../../../shared/exchange/body.ts';
import { Sender } from '../../../shared/exchange/sender.ts';
import { findStepEnding } from '../../../shared/run/describe-run.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { type RunStep, StepFacts } from '../../../shared/run/run.ts';
import { tryParseJson } from '../../lib/json-object.ts';
import { listNewTexts } from '../search/list-texts.ts';
import type { TextIndex } from '../search/text-index.ts';
import {
  buildStep,
  cut,
  findNewest,
  findTask,
  joinTexts,
  LENGTHS,
  listCallIds,
  listCalls,
  listPassedOn,
  listTools,
} from './build-step.ts';
import type { Continuations } from './continuations.ts';
import { countOld, digestFixedParts, StepComparer } from './compare-step.ts';
import {
  findPlacement,
  type NewRequest,
  type Placement,
  type SequenceKind,
  toPrompt,
} from './find-sequence.ts';
import type { RequestOutline } from './outline-request.ts';
import { type PlacedStep, reportStep } from './report-step.ts';
import { Sequences, type StoredState } from './sequences.ts';

/** An exchange that has no place in a run yet. */
export interface PendingExchange {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly client: string;
  readonly conversation: string | null;
  /** The run of its session; `null` when the client names none. */
  readonly run: RunId | null;
  readonly sender: Sender | null;
  readonly facts: StepFacts;
}

/** The facts of an exchange as they are stored with its bodies. */
const StoredFacts = z.object({
  conversation: z.string().nullable(),
  run: RunId.nullable().default(null),
  sender: Sender.nullable().default(null),
  step: StepFacts,
});

const MAX_CHAIN = 4_000;
const MAX_PROMPTS = 50;

/** Finds the place of exchanges in runs, and stores it with their new texts. All methods must be called in a transaction. */
export class RunWriter {
  readonly #database: DatabaseSync;
  readonly #texts: TextIndex;
  readonly #sequences: Sequences;
  readonly #comparer: StepComparer;
  readonly #continuations: Continuations;
  readonly #readBodies: (id: ExchangeId) => ExchangeBodies;

  constructor(
    database: DatabaseSync,
    texts: TextIndex,
    {
      continuations,
      readBodies,
    }: {
      readonly continuations: Continuations;
      readonly readBodies: (id: ExchangeId) => ExchangeBodies;
    },
  ) {
    this.#database = database;
    this.#texts = texts;
    this.#sequences = new Sequences(database);
    this.#continuations = continuations;
    this.#comparer = new StepComparer(database, (step, client) => {
      const exchange = { ...step, client };
      return continuations.outline(exchange, step.protocol, readBodies(step.id));
    });
    this.#readBodies = readBodies;
  }

  /**
   * Gives an exchange its place, and returns its step; `null` for one that is no request for an answer.
   * @throws when its bodies are damaged, and nothing is written then; SQLite's error
   */
  add(exchange: PendingExchange): PlacedStep | null {
    const bodies = this.#readBodies(exchange.id);
    const { protocol } = exchange.facts;
    this.#sequences.release(exchange, this.#continuations.add(exchange, protocol, bodies));
    const place = this.#find(exchange, bodies);
    if (place === null) return null;
    const { request, task, asked, known, placement } = place;
    const response = bodies.returned === null ? null : assembleResponse(protocol, bodies.returned);
    const found = known.find(
      ({ id }) => placement.at === 'sequence' && id === placement.sequence.id,
    );
    const common = placement.at === 'sequence' ? placement.common : 0;
    const { startedAt, client, conversation } = exchange;
    const isContinued = asked.continued?.isLatest === true;
    const built = {
      ...buildStep({ ...exchange, request, response, common }),
      requestClass: exchange.sender?.requestClass ?? null,
    };
    const step: RunStep = {
      ...built,
      ...this.#comparer.compare({ ...place, step: built, client, found, common, isContinued }),
      // Of a request with a missing middle the messages that were added are not in its chain.
      repeated: found !== undefined && common === asked.chain.length && !isContinued,
    };
    const calls = listCalls(response);
    const passedOn = calls.flatMap(listPassedOn).map((text) => ({ text, step: exchange.id }));
    const state: StoredState = {
      hasTools: asked.hasTools || found?.hasTools === true,
      prompt: found?.prompt ?? asked.prompt,
      callIds: calls.flatMap(({ id }) => (id === null ? [] : [id])),
      answered: findStepEnding(step) === 'answered',
      agent: asked.agent,
      prompts: [...(found?.prompts ?? []), ...passedOn].slice(-MAX_PROMPTS),
      ...digestFixedParts(request),
    };
    const stem = Math.min(asked.chain.length, countOld(request, step));
    const all = [...request.messages, ...request.tail];
    const newest = findNewest(request, common);
    // What it did not send is found in the requests that sent it.
    const from = found === undefined && request.earlier === null ? 0 : newest;
    const isSystemNew = found?.system !== state.system;
    const texts = listNewTexts({ request, response, from, isSystemNew });
    const kind = found?.kind ?? toKind(placement, asked);
    const text = joinTexts(all.slice(newest));
    const endedAt = toEnd(exchange);
    const run = this.#writeRun(exchange, step, placement, task);
    const change = { startedAt, endedAt, chain: asked.chain, stem, state };
    const startedBy = placement.at === 'run' ? placement.startedBy : null;
    const sequence =
      found?.id ?? this.#sequences.begin({ run, client, conversation, kind, startedBy }, change);
    if (found !== undefined) this.#sequences.continue(found.id, change);
    this.#insertStep(sequence, run, step);
    if (request.earlier?.previous === null)
      this.#sequences.await(exchange, request.continues?.ids ?? []);
    this.#texts.add(exchange.id, texts);
    const site = { run, sequence, kind, isFirst: found === undefined };
    return reportStep({ step, text, response, tools: listTools(all, newest, response) }, site);
  }

  /** Must be called after a transaction was undone. */
  forget(): void {
    this.#sequences.forget();
  }

  /** Returns the run that an exchange would continue now; `null` when it would begin one, or would have no place. Changes nothing. */
  findRun(exchange: PendingExchange, bodies: ExchangeBodies): RunId | null {
    const placement = this.#find(exchange, bodies)?.placement;
    if (placement === undefined || placement.at === 'new run') return null;
    return RunId.parse(placement.at === 'run' ? placement.run : placement.sequence.run);
  }

  /** Finds the place of an exchange; `null` when it has none. */
  #find(exchange: PendingExchange, bodies: ExchangeBodies) {
    // Codex prepares its connection with a request without a prompt, which is no turn.
    if (exchange.sender?.requestClass === 'prewarm') return null;
    const body = bodies.sent ?? bodies.received;
    const request = this.#continuations.outline(exchange, exchange.facts.protocol, bodies);
    if (body === null || request === null) return null;
    const task = findTask(request);
    const previous = request.earlier?.previous ?? null;
    const continued = previous === null ? null : this.#sequences.findOfStep(previous);
    const asked = toNewRequest(exchange, request, { task, continued });
    const candidates = this.#sequences.findCandidates(exchange.client, asked);
    const known = continued === null ? candidates : [...candidates, continued.sequence];
    return { body, request, task, asked, known, placement: findPlacement(asked, known) };
  }

  /** Writes what an exchange changes of its run, which begins with its first one. Returns its id. */
  #writeRun(exchange: PendingExchange, step: RunStep, placement: Placement, task: string): string {
    const { id, startedAt, client, conversation, facts } = exchange;
    const endedAt = toEnd(exchange);
    const isSingle = step.calls.length === 0 && step.results.length === 0;
    if (placement.at === 'new run') {
      const run = exchange.run ?? `run-${id.replace(/^ex-/u, '')}`;
      const single = Number(isSingle && conversation === null);
      this.#database
        .prepare(
          `insert into run (id, client, client_name, conversation, title, started_at, ended_at, single)
           values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
        )
        .run(
          run,
          client,
          facts.clientName,
          conversation,
          toTitle(task),
          startedAt,
          endedAt,
          single,
        );
      return run;
    }
    const run = placement.at === 'run' ? placement.run : placement.sequence.run;
    if (placement.at === 'run' && placement.kind === 'main') {
      // Until now the run had helpers only, such as a request for a title.
      this.#sequences.makeHelpers(run);
      this.#database.prepare('update run set title = ? where id = ?').run(toTitle(task), run);
    }
    // A run that got a second step has several for ever.
    this.#database
      .prepare(
        `update run set ended_at = max(ended_at, ?), started_at = min(started_at, ?), single = case
           when single = 1 and ? = 1 and conversation is null and not exists (select 1 from step where run = ?)
           then 1 else 0 end where id = ?`,
      )
      .run(endedAt, startedAt, Number(isSingle), run, run);
    return run;
  }

  #insertStep(sequence: number, run: string, step: RunStep): void {
    const { id, startedAt, usage } = step;
    this.#database
      .prepare(
        `insert into step (id, sequence, run, started_at, model, failed, calls, input, output, cache_read, facts)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        sequence,
        run,
        startedAt,
        step.model,
        Number(findStepEnding(step) === 'failed'),
        step.calls.length + step.moreCalls,
        usage.input,
        usage.output,
        usage.cacheRead,
        JSON.stringify(step),
      );
  }
}

function toEnd({ startedAt, facts }: PendingExchange): number {
  return startedAt + Math.max(0, Math.round(facts.durationMs));
}

/** Returns the kind of a sequence that begins. */
function toKind(placement: Placement, { isSubagent }: NewRequest): SequenceKind {
  if (placement.at === 'run') return placement.kind;
  return isSubagent ? 'agent' : 'main';
}

function toNewRequest(
  { conversation, run, sender, startedAt }: PendingExchange,
  request: RequestOutline,
  { task, continued }: { readonly task: string } & Pick<NewRequest, 'continued'>,
): NewRequest {
  return {
    conversation,
    run,
    agent: sender?.agent ?? null,
    isSubagent: sender?.parent != null || sender?.requestClass === 'subagent',
    startedAt,
    chain: request.messages.slice(0, MAX_CHAIN).map(({ digest }) => digest),
    hasTools: request.tools.length > 0,
    prompt: toPrompt(task),
    callIds: listCallIds(request),
    continued,
  };
}

function toTitle(task: string): string {
  const words = withoutQuotes(task.trim());
  const line = words.split('\n', 20).find((one) => one.trim() !== '') ?? '';
  return cut(line.trim().replaceAll(/\s+/gu, ' '), LENGTHS.title);
}

/** Returns a task without the quotes around it: opencode puts the words of a command in them. */
function withoutQuotes(task: string): string {
  if (task.length < 2 || !task.startsWith('"') || !task.endsWith('"')) return task;
  const words = task.slice(1, -1);
  return /(?<!\\)"/u.test(words) ? task : words.replaceAll('\\"', '"');
}

/** Returns an exchange that waits for its place; `null` when its row is damaged. */
export function toPending(row: Record<string, unknown>): PendingExchange | null {
  const facts = StoredFacts.safeParse(tryParseJson(String(row['facts'])));
  if (!facts.success) return null;
  const { conversation, run, sender, step } = facts.data;
  return {
    id: ExchangeId.parse(row['id']),
    startedAt: Number(row['started_at']),
    client: typeof row['client'] === 'string' ? row['client'] : '',
    conversation,
    run,
    sender,
    facts: step,
  };
}
