import { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { TextProtocol } from '../../shared/chat/chat.ts';
import type { Bodies } from '../../gateway/bodies/bodies.ts';
import { UNKNOWN_USAGE } from '../../shared/exchange/usage.ts';

/** Bodies of runs of agents: how many, and how many turns each has. */
export interface BodiesPlan {
  readonly runs: number;
  readonly turns: number;
}

const SYSTEM_LENGTH = 60_000;
const RESULT_LENGTH = 2_500;
const HOUR_MS = 3_600_000;
const TURN_MS = 20_000;

/** Keeps the requests and responses of agents as they would pass, the newest run last, until all have their place in a run. */
export async function fillBodies(
  bodies: Bodies,
  { runs, turns }: BodiesPlan,
  end: number,
): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    for (const turn of makeRun(run, turns)) {
      keepTurn(bodies, {
        ...turn,
        run,
        startedAt: end - (runs - run) * HOUR_MS + turn.turn * TURN_MS,
        protocol: 'chat',
        contentType: 'application/json',
      });
      // Each turn of an agent is stored before the next one arrives.
      await bodies.flush();
    }
    while ((await bodies.findPlace(toTurnId(run, turns - 1))) === null);
  }
}

/** Returns the id of a turn. */
export function toTurnId(run: number, turn: number): ExchangeId {
  return ExchangeId.parse(`ex-${(run * 1_000 + turn).toString(16).padStart(16, '0')}`);
}

interface Turn {
  readonly turn: number;
  readonly request: string;
  readonly response: string;
}

function* makeRun(run: number, turns: number): Generator<Turn> {
  const system = makeText(1, SYSTEM_LENGTH);
  const tools = ['bash', 'read', 'edit'].map((name) => ({ type: 'function', function: { name } }));
  const messages: object[] = [
    { role: 'system', content: system },
    { role: 'user', content: `Task ${run}: ${makeText(run + 2, 200)}` },
  ];
  for (let turn = 0; turn < turns; turn += 1) {
    const id = `call-${run}-${turn}`;
    const call = {
      id,
      type: 'function',
      function: { name: 'bash', arguments: '{"command":"ls"}' },
    };
    const message = { role: 'assistant', content: makeText(run + turn, 300), tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    const request = JSON.stringify({ model: 'acme/large', tools, messages });
    yield { turn, request, response: JSON.stringify({ choices }) };
    const content = makeText(run * 1_000 + turn, RESULT_LENGTH);
    messages.push(message, { role: 'tool', tool_call_id: id, content });
  }
}

interface KeptTurn extends Turn {
  readonly run: number;
  readonly startedAt: number;
  readonly protocol: TextProtocol;
  readonly contentType: 'application/json' | 'text/event-stream';
}

/** Keeps the request and the response of one turn as they would pass. */
export function keepTurn(
  bodies: Bodies,
  { run, turn, startedAt, protocol, request, response, contentType }: KeptTurn,
): void {
  const captured = bodies.capture('agent');
  if (captured === null) throw new Error('Nothing is captured.');
  captured.send(Buffer.from(request));
  const isStream = contentType === 'text/event-stream';
  captured.respond({ contentType, coding: null }, isStream).push(Buffer.from(response));
  const usage = { ...UNKNOWN_USAGE, input: Math.round(request.length / 4), output: 90 };
  const step = {
    protocol,
    clientName: 'Agent',
    model: 'acme/large',
    status: 200,
    errorCode: null,
    endedBy: 'service',
    durationMs: 4_000,
    firstByteMs: 900,
    usage,
  } as const;
  const id = toTurnId(run, turn);
  bodies.keep(
    {
      id,
      startedAt,
      openedAt: 0,
      clientId: 'agent',
      conversation: `conversation-${run}`,
      run: null,
      sender: null,
      isSent: true,
      step,
    },
    captured,
  );
}

const WORDS = [
  'function returns value when parser reads next token before error handler closes stream',
  'const test result expected actual line column file directory module import export class',
  'agent looks through repository and finds callers then changes signature and runs tests again',
].flatMap((line) => line.split(' '));

/** Makes a text of words, numbers and line breaks, the same for the same seed. */
export function makeText(seed: number, length: number): string {
  let state = seed * 2_654_435_761 + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const word = WORDS[state % WORDS.length] ?? '';
    text += state % 11 === 0 ? `${word}${state % 10_000}\n` : `${word} `;
  }
  return text.slice(0, length);
}
