import { type RefObject, useEffect, useRef } from 'react';
import { isDialogOpen } from '../../hooks/keyboard/open-dialog.ts';
import { useShortcuts } from '../../hooks/keyboard/use-shortcuts.ts';

interface MessageKeys {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly count: number;
  /** Renders a row and scrolls to it. */
  readonly reveal: (row: number) => void;
}

/** Moves the focus between messages by `j` and `k`, starting with the first visible one. */
export function useMessageKeys({ scroller, count, reveal }: MessageKeys): void {
  const target = useRef<number | null>(null);
  const focus = (): void => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${target.current}"]`);
    if (!row) return;
    target.current = null;
    row.focus({ preventScroll: true });
  };
  // A row that was out of view exists only after a later render.
  useEffect(() => {
    if (target.current !== null) focus();
  });
  const step = (by: number) => () => {
    if (isDialogOpen() || count === 0) return;
    const from = focusedRow(scroller.current);
    const to = from === null ? firstInSight(scroller.current) : from + by;
    target.current = Math.min(Math.max(0, to), count - 1);
    reveal(target.current);
    focus();
  };
  useShortcuts({ j: step(1), k: step(-1) });
}

function focusedRow(scroller: HTMLElement | null): number | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-index]') ?? null;
  return row !== null && scroller?.contains(row) === true ? readIndex(row) : null;
}

function firstInSight(scroller: HTMLElement | null): number {
  const top = scroller?.getBoundingClientRect().top ?? 0;
  const rows = [...(scroller?.querySelectorAll<HTMLElement>('[data-index]') ?? [])];
  const first = rows.find((row) => row.getBoundingClientRect().top > top - 1) ?? rows.at(-1);
  return first === undefined ? 0 : readIndex(first);
}

function readIndex(row: HTMLElement): number {
  return Number(row.dataset['index']);
}
