import { createHash } from 'node:crypto';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import type { Bodies } from '../../../gateway/bodies/bodies.ts';

/** Agents take turns, so exchange 0 is the first one of agent 0, 1 that of agent 1, and so on. */
export const AGENTS = 3;

/** Returns the id of an exchange by its place in the order. */
export const toId = (place: number): ExchangeId =>
  ExchangeId.parse(`ex-${place.toString(16).padStart(16, '0')}`);

/** Returns the place of an exchange by its id. */
export const toPlace = (id: string): number => Number.parseInt(id.slice('ex-'.length), 16);

/** Makes text that compresses badly and is the same in each process. */
function makeNoise(seed: string, digests: number): string {
  return Array.from({ length: digests }, (_, at) =>
    createHash('sha512').update(`${seed} ${at}`).digest('base64'),
  ).join(' ');
}

interface Message {
  readonly role: string;
  readonly content: string;
}

const answerOf = (place: number): Message => ({
  role: 'assistant',
  content: `answer${place} ${makeNoise(`answer ${place}`, 20)}`,
});

/** Returns the messages of an agent up to a turn: each request has all of the one before. */
function listMessages(place: number): Message[] {
  const agent = place % AGENTS;
  const messages: Message[] = [
    { role: 'system', content: `You are agent ${agent}. ${makeNoise(`system ${agent}`, 20)}` },
  ];
  for (let turn = agent; turn <= place; turn += AGENTS) {
    messages.push({
      role: 'user',
      content: `question${turn} ${makeNoise(`question ${turn}`, 40)}`,
    });
    if (turn < place) messages.push(answerOf(turn));
  }
  return messages;
}

/** The request and the response of an exchange; every second response is an event stream. */
export function makeTurn(place: number): { readonly sent: string; readonly returned: string } {
  const isStreamed = place % 2 === 1;
  const sent = JSON.stringify({ model: 'm', stream: isStreamed, messages: listMessages(place) });
  const { content } = answerOf(place);
  if (!isStreamed) {
    const message = { role: 'assistant', content };
    return { sent, returned: JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }) };
  }
  const events = content
    .split(' ')
    .map((word) => JSON.stringify({ choices: [{ index: 0, delta: { content: `${word} ` } }] }));
  return { sent, returned: [...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join('') };
}

/** Keeps an exchange as the proxy does. It began at its place, in Unix milliseconds. */
export function keepTurn(bodies: Bodies, place: number): void {
  const captured = bodies.capture('client');
  if (captured === null) return;
  const { sent, returned } = makeTurn(place);
  captured.send(Buffer.from(sent));
  const isStreamed = place % 2 === 1;
  const contentType = isStreamed ? 'text/event-stream' : 'application/json';
  const response = captured.respond({ contentType, coding: null }, isStreamed);
  for (const line of returned.split(/(?<=\n\n)/u)) response.push(Buffer.from(line));
  const step = {
    protocol: 'chat',
    clientName: 'Agent',
    model: 'm',
    status: 200,
    errorCode: null,
    endedBy: 'service',
    durationMs: 1_000,
    firstByteMs: 100,
    usage: { ...UNKNOWN_USAGE, source: 'unknown' },
  } as const;
  bodies.keep(
    {
      id: toId(place),
      startedAt: place,
      openedAt: 0,
      clientId: 'client',
      conversation: null,
      run: null,
      sender: null,
      isSent: true,
      step,
    },
    captured,
  );
}
