import { setTimeout as pause } from 'node:timers/promises';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { RunningExchange } from '../../../shared/history/history.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import type { Part } from '../../../shared/parse-bodies/parts.ts';
import type { CommandContext } from '../../command-context.ts';
import { type RunningEngine, withEngine } from '../../engine-client.ts';
import { escapeControls } from '../../output/format.ts';

export interface WatchOptions {
  readonly dataFlag: string | undefined;
  /** Whether the answers to a client are printed. */
  readonly isShown: (exchange: RunningExchange) => boolean;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

const INTERVAL_MS = 500;

/**
 * Prints the answers of running exchanges line by line as they arrive, each line after the id of its exchange.
 * @throws CommandError when no Gatehouse runs, or when it ends meanwhile
 */
export async function watchAnswers(context: CommandContext, options: WatchOptions): Promise<void> {
  const { signal, dataFlag, isShown } = options;
  await withEngine(context, dataFlag, async ({ calls }) => {
    const watched = new Set<ExchangeId>();
    try {
      for await (const event of await calls.status.events(undefined, { signal })) {
        if (event.kind !== 'running') continue;
        // An id is remembered while its exchange runs, so that a failed call prints no answer twice.
        const running = new Set(event.exchanges.map(({ id }) => id));
        for (const id of watched) if (!running.has(id)) watched.delete(id);
        for (const exchange of event.exchanges) {
          if (watched.has(exchange.id) || !isShown(exchange)) continue;
          watched.add(exchange.id);
          watchAnswer(context, calls, exchange, signal).catch(() => undefined);
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** Prints one answer until it is complete or its exchange has ended. Rejects when the signal aborts. */
async function watchAnswer(
  { terminal }: CommandContext,
  calls: RunningEngine['calls'],
  { id, route }: RunningExchange,
  signal: AbortSignal,
): Promise<void> {
  const protocol = TextProtocol.options.find((option) => option === route);
  if (protocol === undefined) return;
  let printed = 0;
  for (let isRunning = true; isRunning;) {
    const { state, returned } = await calls.history.bodies({ id }, { signal });
    isRunning = state === 'running';
    const answer = returned === null ? null : assembleResponse(protocol, returned);
    const text = answer?.parts.map(formatPart).join('\n') ?? '';
    // The last line may grow.
    const end = isRunning ? text.lastIndexOf('\n') : text.length;
    if (end > printed) {
      for (const line of text.slice(printed, end).split('\n')) {
        terminal.print(`${terminal.dim(id)}  ${escapeControls(line)}`);
      }
      printed = end + 1;
    }
    if (isRunning) await pause(INTERVAL_MS, undefined, { signal });
  }
}

function formatPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `(reasoning) ${part.text}`;
    case 'call':
      return `(call of ${part.name}) ${part.input}`;
    case 'result':
    case 'image':
    case 'other':
      return '';
  }
}
