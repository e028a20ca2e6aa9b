import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MessageId } from '../../../shared/chat/chat.ts';
import { type Row, findRow } from './rows.ts';

const MARKED_MS = 2_000;

interface TargetOptions {
  /** The message to scroll to. */
  readonly at: MessageId | undefined;
  readonly rows: readonly Row[];
  readonly reveal: (row: number) => void;
  /** Called when the message is on no visible path. */
  readonly onElsewhere: (id: MessageId) => void;
}

/** Scrolls to a message, once for each new target. Returns the message to highlight for a moment. */
export function useTarget({ at, rows, ...handlers }: TargetOptions): MessageId | null {
  const reached = useRef<MessageId | null>(null);
  const requested = useRef<MessageId | null>(null);
  const [marked, setMarked] = useState<MessageId | null>(null);
  const reveal = useEffectEvent(handlers.reveal);
  const onElsewhere = useEffectEvent(handlers.onElsewhere);
  useEffect(() => {
    if (at === undefined) {
      reached.current = null;
      requested.current = null;
      return;
    }
    if (reached.current === at) return;
    const row = findRow(rows, at);
    if (row !== -1) {
      reached.current = at;
      reveal(row);
      setMarked(at);
    } else if (requested.current !== at) {
      requested.current = at;
      onElsewhere(at);
    }
  }, [at, rows]);
  useEffect(() => {
    if (marked === null) return undefined;
    const timer = setTimeout(() => setMarked(null), MARKED_MS);
    return () => clearTimeout(timer);
  }, [marked]);
  return marked;
}
