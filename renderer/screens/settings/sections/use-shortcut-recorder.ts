import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { Shortcut, toShortcut } from '../../../../shared/desktop/shortcut.ts';
import { toMessage } from '../../../format/errors.ts';

/** The state of a recorder for shortcuts. */
interface ShortcutRecorder {
  /** Whether the next keys are recorded. */
  readonly isRecording: boolean;
  /** Why the last keys were refused. */
  readonly refusal: string | null;
  readonly begin: () => void;
  readonly end: () => void;
  readonly press: (event: KeyboardEvent) => void;
  readonly choose: (shortcut: Shortcut | null) => void;
}

/** Records key presses until some form a valid shortcut. `onChoose` rejects with the reason why they cannot be used. */
export function useShortcutRecorder(
  onChoose: (shortcut: Shortcut | null) => Promise<unknown>,
): ShortcutRecorder {
  const [isRecording, setWaits] = useState(false);
  const [refusal, setRefused] = useState<string | null>(null);
  const { mutate: choose } = useMutation({
    mutationFn: onChoose,
    onMutate: () => setRefused(null),
    onSuccess: () => setWaits(false),
    onError: (error) => setRefused(toMessage(error)),
  });
  const end = (): void => {
    setWaits(false);
    setRefused(null);
  };
  const press = (event: KeyboardEvent): void => {
    // Tab leaves the input.
    if (!isRecording || event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return end();
    const pressed = toShortcut(event);
    if (pressed === null || event.repeat) return;
    const { data, error } = Shortcut.safeParse(pressed);
    if (data === undefined) setRefused(error?.issues[0]?.message ?? null);
    else choose(data);
  };
  return { isRecording, refusal, begin: () => setWaits(true), end, press, choose };
}
