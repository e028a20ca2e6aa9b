import { createContext, use, useSyncExternalStore } from 'react';
import type { DesktopState } from '../../shared/desktop/desktop-contract.ts';
import type { Desktop, DesktopCalls } from './desktop.ts';

const DesktopContext = createContext<Desktop | null>(null);
/** Provides the desktop app to the components inside. */
export const DesktopProvider = DesktopContext.Provider;

/** Returns the desktop app; `null` in a browser. */
export function useOptionalDesktop(): Desktop | null {
  return use(DesktopContext);
}

function useDesktop(): Desktop {
  const desktop = useOptionalDesktop();
  if (desktop === null) throw new Error('This component needs a DesktopProvider above it.');
  return desktop;
}

/** Returns the procedures of the desktop app. Must only be used in the desktop app. */
export function useDesktopCalls(): DesktopCalls {
  return useDesktop().calls;
}

/** Returns the state of the desktop app; `null` until it is reported. Must only be used in the desktop app. */
export function useDesktopState(): DesktopState | null {
  const { onState, state } = useDesktop();
  return useSyncExternalStore(onState, state);
}
