import type { Bodies } from '../../gateway/bodies/bodies.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import { keepTurn, makeText, toTurnId } from './full-bodies.ts';

/** Number of the chain among the runs, so that no run of agents has the ids of its turns. */
const RUN = 900_000;
const TURN_MS = 20_000;
const DELTA_LENGTH = 24;
/** Every fourth answer is one document; the others are streams. */
const WHOLE_EVERY = 4;
/** Two of three turns call a tool. */
const TALK_EVERY = 3;

/**
 * Keeps a conversation whose requests send only what is new, 1 to 4 KiB each, with answers of 1 to 8 KiB. Returns the id of the last
 * exchange when all have their place in a run.
 */
export async function fillChain(bodies: Bodies, turns: number, end: number): Promise<ExchangeId> {
  for (let turn = 0; turn < turns; turn += 1) {
    keepTurn(bodies, {
      run: RUN,
      turn,
      startedAt: end - (turns - turn) * TURN_MS,
      protocol: 'responses',
      request: makeRequest(turn),
      ...makeResponse(turn),
    });
    // Each turn is stored before the next one arrives.
    await bodies.flush();
  }
  const last = toTurnId(RUN, turns - 1);
  while ((await bodies.findPlace(last)) === null);
  return last;
}

function makeRequest(turn: number): string {
  const text = makeText(turn, 200 + ((turn * 397) % 3_000));
  const isResult = turn > 0 && !talks(turn - 1);
  const item = isResult
    ? { type: 'function_call_output', call_id: `call_${turn - 1}`, output: text }
    : { role: 'user', content: text };
  return JSON.stringify({
    model: 'acme/large',
    stream: streams(turn),
    instructions: makeText(1, 500),
    tools: [{ type: 'function', name: 'bash', parameters: { type: 'object' } }],
    ...(turn === 0 ? {} : { previous_response_id: `resp_${turn - 1}` }),
    input: [item],
  });
}

function makeResponse(turn: number) {
  // In a stream the text is there three times, and each of its pieces has an event around it.
  const length = streams(turn) ? 60 + ((turn * 61) % 380) : 900 + ((turn * 1_201) % 6_000);
  const text = makeText(turn + 7, length);
  const item = talks(turn)
    ? {
        type: 'message',
        id: `msg_${turn}`,
        role: 'assistant',
        content: [{ type: 'output_text', text }],
      }
    : {
        type: 'function_call',
        id: `fc_${turn}`,
        call_id: `call_${turn}`,
        name: 'bash',
        arguments: JSON.stringify({ command: text }),
      };
  const started = { id: `resp_${turn}`, object: 'response', model: 'acme/large' };
  const whole = { ...started, status: 'completed', output: [item] };
  if (!streams(turn))
    return { response: JSON.stringify(whole), contentType: 'application/json' } as const;
  const type = talks(turn)
    ? 'response.output_text.delta'
    : 'response.function_call_arguments.delta';
  const events: object[] = [
    { type: 'response.created', response: { ...started, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    ...cut(text).map((delta) => ({ type, output_index: 0, content_index: 0, delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  const response = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { response, contentType: 'text/event-stream' } as const;
}

function streams(turn: number): boolean {
  return turn % WHOLE_EVERY !== 0;
}

function talks(turn: number): boolean {
  return turn % TALK_EVERY === 0;
}

/** Divides a text into the pieces in which a service streams it. */
function cut(text: string): string[] {
  const count = Math.ceil(text.length / DELTA_LENGTH);
  return Array.from({ length: count }, (_, piece) =>
    text.slice(piece * DELTA_LENGTH, (piece + 1) * DELTA_LENGTH),
  );
}
