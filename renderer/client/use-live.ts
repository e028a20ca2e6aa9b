import {
  createContext,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useSyncExternalStore,
} from 'react';
import type { LiveEvent } from '../../shared/status.ts';
import type { Live, LiveState, RunningNow } from './live.ts';

const LiveContext = createContext<Live | null>(null);
export const LiveProvider = LiveContext.Provider;

function useLive(): Live {
  const live = use(LiveContext);
  if (live === null) throw new Error('This part of the page stands outside of LiveProvider.');
  return live;
}

/** Whether the engine is heard now, and a way to try again at once. */
export function useLiveState(): { readonly state: LiveState; readonly hurry: () => void } {
  const live = useLive();
  return { state: useSyncExternalStore(live.onState, live.state), hurry: live.hurry };
}

/** Calls the listener, always the latest given, with every event while the component is on screen. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const live = useLive();
  const hear = useEffectEvent(listener);
  useEffect(() => live.on((event) => hear(event)), [live]);
}

/** The exchanges on their way, as last heard; none while the engine is not heard. */
export function useRunning(): RunningNow {
  const live = useLive();
  const subscribe = useCallback(
    (changed: () => void) => {
      const stops = [live.on(changed), live.onState(changed)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [live],
  );
  return useSyncExternalStore(subscribe, live.running);
}
