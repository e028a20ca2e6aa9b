import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Whether a dialog lies over the screen: the keys of the screen rest as long as it does. */
export function isDialogOpen(): boolean {
  return document.querySelector('[aria-modal="true"]') !== null;
}

/** Whether a dialog lay over the screen when the latest key was pressed: it may have gone by that key. */
export function useDialogWasOpen(): () => boolean {
  const before = useRef(false);
  // Heard ahead of every dialog: they listen only once they are open.
  useWindowEvent(
    'keydown',
    () => {
      before.current = isDialogOpen();
    },
    { capture: true },
  );
  return () => before.current;
}

/** When this part of the page goes and takes the focus with it, the focus goes back to where it was before. */
export function useRestoreFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Asked when it has gone: what held the focus is then no part of the page any more.
      queueMicrotask(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    },
    [before],
  );
}
