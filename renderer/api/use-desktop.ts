import { createContext, use, useSyncExternalStore } from 'react';
import type { DesktopState } from '../../shared/desktop-contract.ts';
import type { Desktop, DesktopCalls } from './desktop.ts';

const DesktopContext = createContext<Desktop | null>(null);
export const DesktopProvider = DesktopContext.Provider;

/** The app around the window; `null` in a browser. */
export function useOptionalDesktop(): Desktop | null {
  return use(DesktopContext);
}

function useDesktop(): Desktop {
  const desktop = useOptionalDesktop();
  if (desktop === null) throw new Error('This part of the page stands outside of DesktopProvider.');
  return desktop;
}

/** What the app around the window does for it. Only on the desktop. */
export function useDesktopCalls(): DesktopCalls {
  return useDesktop().calls;
}

/** The app around the window; `null` until it is heard. Only on the desktop. */
export function useDesktopState(): DesktopState | null {
  const { onState, state } = useDesktop();
  return useSyncExternalStore(onState, state);
}
