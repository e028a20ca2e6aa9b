import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Whether a dialog is open, besides the one `around` an element: the shortcuts of the screen are disabled meanwhile. */
export function isDialogOpen(around: Element | null = null): boolean {
  return [...document.querySelectorAll('[aria-modal="true"]')].some(
    (dialog) => !dialog.contains(around),
  );
}

/** Whether a dialog was open when the latest key was pressed: that key may have closed it. */
export function useDialogWasOpen(): () => boolean {
  const before = useRef(false);
  // Registered in the capture phase before every dialog, since those listen only once they are open.
  useWindowEvent(
    'keydown',
    () => {
      before.current = isDialogOpen();
    },
    { capture: true },
  );
  return () => before.current;
}

/** Returns the focus to its previous element when this component unmounts with the focus inside. */
export function useRestoreFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Checked after the unmount: the element that had the focus is no longer in the document.
      queueMicrotask(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    },
    [before],
  );
}
