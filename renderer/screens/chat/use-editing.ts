import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { MessageId } from '../../../shared/chat.ts';

/** Which message of a person is being reworded, and how. */
export interface Editing {
  readonly message: MessageId | null;
  /** Begins with a message; ends, with `null`, in the input below. */
  readonly edit: (message: MessageId | null) => void;
  /** As far as it is written: it outlives its input, which is gone while it is out of sight. `null` before. */
  readonly wording: RefObject<string | null>;
}

export function useEditing(view: RefObject<HTMLElement | null>): Editing {
  const [message, setMessage] = useState<MessageId | null>(null);
  const wording = useRef<string | null>(null);
  const edit = useCallback(
    (next: MessageId | null) => {
      wording.current = null;
      setMessage(next);
      if (next === null) view.current?.querySelector<HTMLElement>('[data-composer]')?.focus();
    },
    [view],
  );
  return useMemo(() => ({ message, edit, wording }), [message, edit]);
}
