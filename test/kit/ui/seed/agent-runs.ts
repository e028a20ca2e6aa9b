import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BodyDatabase, type KeptExchange } from '../../../../gateway/bodies/body-database.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { openHistory } from '../../../../gateway/history/history.ts';
import { TextProtocol } from '../../../../shared/chat/chat.ts';
import { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import { Usage } from '../../../../shared/exchange/usage.ts';
import { anExchange } from '../../history/an-exchange.ts';

/**
 * Recorded from Claude Code 2.1.197, Codex 0.169.0 and opencode 1.18.33, which worked through Gatehouse on one task with a service that
 * answered by a script. Long texts of the programs (system prompts, definitions of tools, reminders) were replaced by `@fill LENGTH NAME`.
 */
const FILE = join(import.meta.dirname, 'agent-runs.json');

const RecordedExchange = z.object({
  client: z.string(),
  userAgent: z.string(),
  route: TextProtocol,
  path: z.string(),
  conversation: z.string(),
  model: z.string(),
  /** Milliseconds after the first one. */
  at: z.number(),
  status: z.number(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  streamed: z.boolean(),
  durationMs: z.number(),
  firstByteMs: z.number(),
  overheadMs: z.number(),
  bytesIn: z.number(),
  bytesOut: z.number(),
  usage: Usage,
  /** `tools` is an index into the sets of tools. */
  request: z.looseObject({ tools: z.number().optional() }),
  response: z.string(),
  eventTimes: z.array(z.number()).nullable(),
});
type RecordedExchange = z.infer<typeof RecordedExchange>;

const Recording = z.object({
  toolSets: z.array(z.unknown()),
  exchanges: z.array(RecordedExchange),
});

const MINUTE = 60_000;
const LATEST_MINUTES_AGO = 4;
const FILL = /@fill (\d+) ([^<]*)/u;

/** Puts the runs of three agents into a data folder, with their requests and responses. Returns the ids of their exchanges. */
export async function seedAgentRuns({ clients, store, host }: Repositories): Promise<ExchangeId[]> {
  const { toolSets, exchanges } = Recording.parse(JSON.parse(await readFile(FILE, 'utf8')));
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => ({ days: 90, headersDays: 7 }),
  });
  const ids = new Map<string, string>();
  const start = host.now() - LATEST_MINUTES_AGO * MINUTE - (exchanges.at(-1)?.at ?? 0);
  const kept: KeptExchange[] = [];
  for (const [place, recorded] of exchanges.entries()) {
    const { client: clientName } = recorded;
    const clientId = ids.get(clientName) ?? (await clients.add(clientName)).client.id;
    ids.set(clientName, clientId);
    const id = ExchangeId.parse(`ex-${(place + 1).toString(16).padStart(16, '0')}`);
    const startedAt = start + recorded.at;
    history.record(toRecord(recorded, { id, startedAt, clientId }));
    kept.push(toKept(recorded, { id, startedAt, clientId, toolSets }));
  }
  await history.close();
  const database = new BodyDatabase(join(host.dataDir, 'bodies.db'));
  for (const exchange of kept) database.keep([exchange]);
  database.close();
  return kept.map(({ id }) => id);
}

interface Place {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly clientId: string;
}

function toRecord(recorded: RecordedExchange, place: Place) {
  const {
    client: clientName,
    path,
    model,
    at: _,
    request: _request,
    response: _response,
    ...facts
  } = recorded;
  return anExchange(place.id, {
    ...facts,
    startedAt: place.startedAt,
    clientId: place.clientId,
    clientName,
    pathReceived: path,
    pathSent: path,
    modelAsked: model,
    modelSent: model,
    modelServed: facts.status === 200 ? model : null,
    repairs: [],
  });
}

function toKept(
  recorded: RecordedExchange,
  { id, startedAt, clientId, toolSets }: Place & { readonly toolSets: readonly unknown[] },
): KeptExchange {
  const { request, response, conversation, client: clientName, route } = recorded;
  const { tools } = request;
  const whole = tools === undefined ? request : { ...request, tools: toolSets[tools] };
  const { model, status, errorCode, durationMs, firstByteMs, usage } = recorded;
  const step = {
    protocol: route,
    clientName,
    model,
    status,
    errorCode,
    endedBy: 'service',
    durationMs,
    firstByteMs,
    usage,
  };
  return {
    id,
    startedAt,
    run: `${clientId} ${conversation}`,
    kind: clientId,
    client: clientId,
    facts: JSON.stringify({ conversation, step }),
    bodies: [
      toBody('sent', JSON.stringify(whole, expand), null),
      toBody('returned', response, recorded.eventTimes),
    ],
  };
}

function toBody(side: 'sent' | 'returned', text: string, eventTimes: readonly number[] | null) {
  const head = Buffer.from(text);
  return {
    side,
    head,
    tail: Buffer.alloc(0),
    binary: false,
    bytes: head.length,
    omitted: 0,
    contentType: eventTimes === null ? 'application/json' : 'text/event-stream',
    masked: 0,
    eventTimes,
  };
}

/** Replaces the marks for long texts by texts of that length. */
function expand(_: string, value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(FILL, (_mark, length: string, name: string) =>
        `(Here is the ${name}.) `.repeat(Number(length)).slice(0, Number(length)),
      )
    : value;
}

/** Returns a request of an agent after its first tool call, for Messages. */
export const agentRequest = (model: string) => ({
  model,
  max_tokens: 4096,
  system: 'You are a coding agent. Work in the folder of the project only.',
  tools: [
    {
      name: 'run_command',
      description: 'Runs a command in the folder of the project.',
      input_schema: { type: 'object', properties: { command: { type: 'string' } } },
    },
  ],
  messages: [
    { role: 'user', content: 'The tests of the date parser fail. Find out why and mend it.' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I run the tests first.' },
        { type: 'tool_use', id: 'call_1', name: 'run_command', input: { command: 'npm test' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_1',
          content: 'parse-date.test.ts: expected 2026-03-01, got 2026-02-29. 1 failed, 41 passed.',
        },
      ],
    },
  ],
});
