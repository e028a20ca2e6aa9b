import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { Shortcut, shortcutOf } from '../../../shared/shortcut.ts';
import { sentenceOf } from '../../parts/problem.ts';

/** Keys on their way to being a shortcut. */
interface Recorded {
  /** Whether the next keys are taken. */
  readonly waits: boolean;
  /** Why the last ones were not. */
  readonly refused: string | null;
  readonly begin: () => void;
  readonly end: () => void;
  readonly press: (event: KeyboardEvent) => void;
  readonly choose: (shortcut: Shortcut | null) => void;
}

/** Takes the keys that are pressed after it was begun, until some do. `onChoose` rejects with why they cannot be taken. */
export function useRecorded(onChoose: (shortcut: Shortcut | null) => Promise<unknown>): Recorded {
  const [waits, setWaits] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const { mutate: choose } = useMutation({
    mutationFn: onChoose,
    onMutate: () => setRefused(null),
    onSuccess: () => setWaits(false),
    onError: (error) => setRefused(sentenceOf(error)),
  });
  const end = (): void => {
    setWaits(false);
    setRefused(null);
  };
  const press = (event: KeyboardEvent): void => {
    // A person leaves with Tab.
    if (!waits || event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return end();
    const pressed = shortcutOf(event);
    if (pressed === null || event.repeat) return;
    const { data, error } = Shortcut.safeParse(pressed);
    if (data === undefined) setRefused(error?.issues[0]?.message ?? null);
    else choose(data);
  };
  return { waits, refused, begin: () => setWaits(true), end, press, choose };
}
