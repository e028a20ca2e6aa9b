import { useHotkeys, useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { isDialogOpen } from './open-dialog.ts';

/** What has a use of Escape of its own as long as the focus is in it. What merely folds has none. */
const USES_ESCAPE =
  '[role="dialog"], [role="menu"], [role="listbox"], input[aria-haspopup], [aria-haspopup][aria-expanded="true"], [data-filter]';

/** Calls back on Escape, unless something nearer is meant by it: a dialog, a menu, an input. */
export function useEscape(onEscape: (event: KeyboardEvent) => void): void {
  const taken = useRef(false);
  // Looked at ahead of all others: what closes by the key may be gone before anybody is told of it.
  useWindowEvent(
    'keydown',
    ({ target }) => {
      taken.current =
        isDialogOpen() || (target instanceof Element && target.closest(USES_ESCAPE) !== null);
    },
    { capture: true },
  );
  // Not as late as the window: a tooltip, if only the pointer rests on its button, keeps the key from there.
  useHotkeys(
    [
      [
        'Escape',
        (event) => {
          if (!event.defaultPrevented && !event.isComposing && !taken.current) onEscape(event);
        },
        { preventDefault: false },
      ],
    ],
    [],
    true,
  );
}
