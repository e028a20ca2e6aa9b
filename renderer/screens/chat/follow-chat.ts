import { ORPCError } from '@orpc/client';
import type { ChatEvent, ConversationId } from '../../../shared/chat.ts';
import type { Calls } from '../../client/client.ts';
import { seen, untilHidden } from '../../client/seen.ts';

interface ChatEar {
  /** From now on everything is heard, beginning with every answer on its way. */
  readonly onBegin: () => void;
  /** What was heard since the last frame, in its order. */
  readonly onEvents: (events: readonly ChatEvent[]) => void;
  /** The conversation is no more. Nothing follows. */
  readonly onGone: () => void;
}

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Listens to a conversation while somebody can see the page, and again by itself after a break. Returns what stops it. However fast
 * an answer comes, the ear is told once a frame.
 */
export function followChat(calls: Calls['chat'], id: ConversationId, ear: ChatEar): () => void {
  const closing = new AbortController();
  void follow(calls, id, { ear, signal: closing.signal });
  return () => closing.abort();
}

/** Whether a call failed because what it asked for is no more. */
export function isGone(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'NOT_FOUND';
}

interface Following {
  readonly ear: ChatEar;
  readonly signal: AbortSignal;
}

async function follow(
  calls: Calls['chat'],
  id: ConversationId,
  { ear, signal }: Following,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    await seen(signal);
    if (signal.aborted) return;
    const hiding = untilHidden();
    const frames = byFrame(ear.onEvents);
    const begun = performance.now();
    try {
      const events = await calls.follow.call(
        { id },
        { signal: AbortSignal.any([signal, hiding.signal]) },
      );
      ear.onBegin();
      for await (const event of events) {
        if (event.kind === 'removed') return ear.onGone();
        frames.add(event);
      }
    } catch (error) {
      if (isGone(error)) return ear.onGone();
    } finally {
      frames.close();
      hiding.letGo();
    }
    if (hiding.signal.aborted) continue;
    pause = performance.now() - begun > LONGEST_PAUSE_MS ? FIRST_PAUSE_MS : pause * 1.6;
    await rest(Math.min(pause, LONGEST_PAUSE_MS), signal);
  }
}

interface Frames {
  readonly add: (event: ChatEvent) => void;
  readonly close: () => void;
}

/** Hands on what comes once a frame; what has not been handed on when it is closed, then. */
function byFrame(onEvents: ChatEar['onEvents']): Frames {
  let events: ChatEvent[] = [];
  let frame: number | null = null;
  const flush = (): void => {
    frame = null;
    const due = events;
    events = [];
    if (due.length > 0) onEvents(due);
  };
  return {
    add: (event) => {
      events.push(event);
      frame ??= requestAnimationFrame(flush);
    },
    close: () => {
      if (frame !== null) cancelAnimationFrame(frame);
      flush();
    },
  };
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
