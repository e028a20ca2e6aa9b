import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isDialogOpen } from '../hooks/keyboard/open-dialog.ts';
import { takesText } from '../hooks/keyboard/use-shortcuts.ts';

/** The screen that each key opens after `g`. */
export const GO_TO_KEYS = {
  h: '/',
  c: '/chat',
  m: '/models',
  r: '/history',
  u: '/usage',
  p: '/prices',
  v: '/videos',
  k: '/clients',
  s: '/settings',
} as const;

/** The second key must follow within this time. */
const SEQUENCE_MS = 1_500;

/** Opens a screen by `g` and one of {@link GO_TO_KEYS}. The second key does nothing else. */
export function useGoToKeys(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
      if (hasModifier || event.isComposing || isDialogOpen() || takesText(event.target)) return;
      const isSecond = event.timeStamp - startedAt < SEQUENCE_MS;
      startedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const to = isSecond && isGoToKey(event.key) ? GO_TO_KEYS[event.key] : undefined;
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      void navigate({ to, search: {} });
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [navigate]);
}

function isGoToKey(key: string): key is keyof typeof GO_TO_KEYS {
  return Object.hasOwn(GO_TO_KEYS, key);
}
