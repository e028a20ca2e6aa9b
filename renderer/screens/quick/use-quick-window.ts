import { type MouseEvent, useEffect } from 'react';
import { isPagePath, onMainMessage } from '../../api/desktop.ts';
import { useOptionalDesktop } from '../../api/use-desktop.ts';
import { useEscape } from '../../hooks/keyboard/use-escape.ts';
import { toastError } from '../../hooks/toast.ts';

interface QuickWindow {
  /** Whether an answer is in progress: Escape stops that first. */
  readonly running: boolean;
  readonly onNew: () => void;
}

/**
 * Controls the small window of the app: its input is focused when it is shown, Escape hides it, and links to other
 * screens open in the main window. Returns a capturing click handler. Does nothing in a browser.
 */
export function useQuickWindow({ running, onNew }: QuickWindow): (event: MouseEvent) => void {
  const quick = useOptionalDesktop()?.calls.quick;
  useEffect(
    () =>
      onMainMessage('gatehouse:quick', (value) => {
        if (value === 'new') onNew();
        document.querySelector<HTMLElement>('[data-composer]')?.focus();
      }),
    [onNew],
  );
  useEscape(({ repeat }) => {
    if (running || repeat || quick === undefined) return;
    quick.hide().catch((error: unknown) => toastError('Could not close the quick chat.', error));
  });
  return (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const address = link?.getAttribute('href');
    if (quick === undefined || !isPagePath(address)) return;
    event.preventDefault();
    quick
      .leave({ address })
      .catch((error: unknown) => toastError('Could not open the main window.', error));
  };
}
