import { type SyntheticEvent, useState } from 'react';

/** Whether a text is cut off, as of the latest measurement, and the handlers that measure it. */
interface Clipped {
  readonly clipped: boolean;
  readonly measuring: {
    readonly onMouseEnter: (event: SyntheticEvent<HTMLElement>) => void;
    readonly onFocus: (event: SyntheticEvent<HTMLElement>) => void;
  };
}

/**
 * Measures whether a text is cut off when the pointer or the focus reaches it, so that a tooltip does not repeat a text that is visible
 * in full. `inner` selects the element that cuts the text off, when it is inside the measuring one; parts with `data-clips` are measured,
 * too.
 */
export function useClipped(inner?: string): Clipped {
  const [clipped, setClipped] = useState(false);
  const measure = ({ currentTarget }: SyntheticEvent<HTMLElement>): void => {
    const found = inner === undefined ? currentTarget : currentTarget.querySelector(inner);
    const parts = found?.querySelectorAll('[data-clips]') ?? [];
    setClipped(found !== null && [found, ...parts].some(isClipped));
  };
  return { clipped, measuring: { onMouseEnter: measure, onFocus: measure } };
}

function isClipped(element: Element): boolean {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
  // One pixel more than there is room for can come from rounding.
  return scrollWidth > clientWidth || scrollHeight > clientHeight + 1;
}
