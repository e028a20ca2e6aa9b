import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';

const PAUSE_MS = 120;

interface TypedTextOptions {
  /** The text currently applied. */
  readonly value: string;
  /** Called when typing pauses. */
  readonly onChange: (text: string) => void;
  /** Called by `leave`, when the typed text is applied. */
  readonly onLeave?: (() => void) | undefined;
}

/** The text of an input whose changes are applied when typing pauses. */
export interface TypedText {
  readonly typed: string;
  readonly type: (text: string) => void;
  /** Replaces the text and applies it at once. */
  readonly set: (text: string) => void;
  /** Applies the text, then leaves the input. */
  readonly leave: () => void;
}

/** Keeps the text of an input while it is typed, and applies it when typing pauses. */
export function useTypedText({ value, onChange, onLeave }: TypedTextOptions): TypedText {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  const [leaving, setLeaving] = useState(false);
  const [reported, setReported] = useState(value);
  const report = useDebouncedCallback(
    (text: string) => {
      setReported(text);
      onChange(text);
    },
    { delay: PAUSE_MS, flushOnUnmount: false },
  );
  if (seen !== value) {
    setSeen(value);
    // Back and forward change the text from outside; an update that was caused by typing must not undo newer typing.
    if (value !== reported) setTyped(value);
  }
  useEffect(() => {
    // The results for the previous text are about to be replaced.
    if (!leaving || value !== typed) return;
    setLeaving(false);
    onLeave?.();
  }, [leaving, value, typed, onLeave]);
  const type = (text: string): void => {
    setTyped(text);
    setLeaving(false);
    report(text);
  };
  return {
    typed,
    type,
    set: (text) => {
      type(text);
      report.flush();
    },
    leave: () => {
      report.flush();
      setLeaving(true);
    },
  };
}
