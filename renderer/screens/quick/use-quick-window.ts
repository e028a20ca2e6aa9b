import { type MouseEvent, useEffect } from 'react';
import { isOwnAddress, onMain } from '../../client/desktop.ts';
import { useDesktopIfAny } from '../../client/use-desktop.ts';
import { useFreeEscape } from '../../parts/free-escape.ts';
import { sayFailed } from '../../parts/said.ts';

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
  const quick = useDesktopIfAny()?.calls.quick;
  useEffect(
    () =>
      onMain('gatehouse:quick', (value) => {
        if (value === 'new') onNew();
        document.querySelector<HTMLElement>('[data-composer]')?.focus();
      }),
    [onNew],
  );
  useFreeEscape(({ repeat }) => {
    if (running || repeat || quick === undefined) return;
    quick.hide().catch((error: unknown) => sayFailed('It stays open.', error));
  });
  return (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const address = link?.getAttribute('href');
    if (quick === undefined || !isOwnAddress(address)) return;
    event.preventDefault();
    quick.leave({ address }).catch((error: unknown) => sayFailed('It stays here.', error));
  };
}
