import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { MessageId } from '../../shared/chat/chat.ts';

/** The message of a person that is being edited, and its draft. */
export interface Editing {
  readonly message: MessageId | null;
  /** Starts editing a message; `null` ends it and focuses the composer. */
  readonly edit: (message: MessageId | null) => void;
  /** The edited text so far, kept while the input is scrolled out of view. `null` before the first change. */
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
