import { type MouseEvent, useEffect } from 'react';
import { isPagePath, onMainMessage } from '../../api/desktop.ts';
import { useOptionalDesktop } from '../../api/use-desktop.ts';
import { useEscape } from '../../hooks/use-escape.ts';
import { toastError } from '../../hooks/toast.ts';

interface QuickWindow {
  /** Whether an answer is on its way: Escape stops that first. */
  readonly running: boolean;
  readonly onNew: () => void;
}

/**
 * Makes the small window of the app behave: it is written in as soon as it comes, Escape hides it, and links to other screens lead to the
 * large one. Returns a handler that every click goes through first. In a browser it does nothing.
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
    quick.hide().catch((error: unknown) => toastError('It stays open.', error));
  });
  return (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const address = link?.getAttribute('href');
    if (quick === undefined || !isPagePath(address)) return;
    event.preventDefault();
    quick.leave({ address }).catch((error: unknown) => toastError('It stays here.', error));
  };
}
