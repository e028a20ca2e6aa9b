import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';

/**
 * Distance in pixels below which a reader counts as being at the end and follows new text. One notch of a mouse wheel
 * and one arrow key are more.
 */
export const NEAR_PX = 32;

interface AtEnd {
  readonly atEnd: boolean;
  readonly onScroll: () => void;
}

/** Returns whether a reader is at the end of a scroll area; such a reader stays there when the area is resized. */
export function useAtEnd(scroller: RefObject<HTMLElement | null>, toEnd: () => void): AtEnd {
  const [atEnd, setAtEnd] = useState(true);
  const last = useRef(true);
  const update = (): void => {
    last.current = isNearEnd(scroller.current);
    setAtEnd(last.current);
  };
  const stay = useEffectEvent(() => {
    if (last.current) toEnd();
  });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => stay());
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return { atEnd, onScroll: update };
}

function isNearEnd(element: HTMLElement | null): boolean {
  if (element === null) return true;
  return element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
}
