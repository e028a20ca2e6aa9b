import { ORPCError } from '@orpc/client';
import type { ChatEvent, ConversationId } from '../../../shared/chat/chat.ts';
import type { Calls } from '../../api/client.ts';
import { whenVisible, abortWhenHidden } from '../../api/page-visibility.ts';

interface ChatSubscriber {
  /** Called when subscribed: the events begin with every answer in progress. */
  readonly onBegin: () => void;
  /** Called with the events since the last frame, in order. */
  readonly onEvents: (events: readonly ChatEvent[]) => void;
  /** Called when the conversation was deleted. No further call follows. */
  readonly onGone: () => void;
}

const FIRST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 5_000;

/**
 * Subscribes to a conversation while the page is visible, and reconnects by itself. Returns a function that
 * unsubscribes. However fast an answer arrives, the listener is called once per frame.
 */
export function subscribeToChat(
  calls: Calls['chat'],
  id: ConversationId,
  subscriber: ChatSubscriber,
): () => void {
  const closing = new AbortController();
  void follow(calls, id, { subscriber, signal: closing.signal });
  return () => closing.abort();
}

/** Whether a call failed because the conversation no longer exists. */
export function isGoneError(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'NOT_FOUND';
}

interface SubscriptionContext {
  readonly subscriber: ChatSubscriber;
  readonly signal: AbortSignal;
}

async function follow(
  calls: Calls['chat'],
  id: ConversationId,
  { subscriber, signal }: SubscriptionContext,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    await whenVisible(signal);
    if (signal.aborted) return;
    const hiding = abortWhenHidden();
    const frames = batchByFrame(subscriber.onEvents);
    const startedAt = performance.now();
    try {
      const events = await calls.follow.call(
        { id },
        { signal: AbortSignal.any([signal, hiding.signal]) },
      );
      subscriber.onBegin();
      for await (const event of events) {
        if (event.kind === 'removed') return subscriber.onGone();
        frames.add(event);
      }
    } catch (error) {
      if (isGoneError(error)) return subscriber.onGone();
    } finally {
      frames.close();
      hiding.release();
    }
    if (hiding.signal.aborted) continue;
    pause = performance.now() - startedAt > MAX_PAUSE_MS ? FIRST_PAUSE_MS : pause * 1.6;
    await wait(Math.min(pause, MAX_PAUSE_MS), signal);
  }
}

interface FrameBatcher {
  readonly add: (event: ChatEvent) => void;
  readonly close: () => void;
}

/** Batches events per frame; closing delivers the remaining ones. */
function batchByFrame(onEvents: ChatSubscriber['onEvents']): FrameBatcher {
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

function wait(ms: number, signal: AbortSignal): Promise<void> {
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
