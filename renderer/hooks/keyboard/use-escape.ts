import { useHotkeys, useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { isDialogOpen } from './open-dialog.ts';

/** Elements that handle Escape themselves while the focus is in them. A mere disclosure is not among them. */
const USES_ESCAPE =
  '[role="dialog"], [role="menu"], [role="listbox"], input[aria-haspopup], [aria-haspopup][aria-expanded="true"], [data-filter]';

/** Calls back on Escape, unless a dialog, a menu or an input handles it. */
export function useEscape(onEscape: (event: KeyboardEvent) => void): void {
  const taken = useRef(false);
  // Checked in the capture phase: an element that closes on the key may be removed before other listeners run.
  useWindowEvent(
    'keydown',
    ({ target }) => {
      taken.current =
        isDialogOpen() || (target instanceof Element && target.closest(USES_ESCAPE) !== null);
    },
    { capture: true },
  );
  // Not in the bubble phase of the window: a tooltip whose button is hovered stops the event before it gets there.
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
