import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';

/** `j` and `k` go through the links of a list; Enter follows the one that is marked, as with any link. */
export function useWalking(list: RefObject<HTMLElement | null>): void {
  const walk = (step: 1 | -1) => () => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a[href]') ?? [])];
    const marked = links.findIndex((link) => link === document.activeElement);
    const next = marked === -1 ? 0 : Math.min(links.length - 1, Math.max(0, marked + step));
    links[next]?.focus();
  };
  useHotkeys([
    ['j', walk(1)],
    ['k', walk(-1)],
  ]);
}
