import {
  createContext,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useSyncExternalStore,
} from 'react';
import type { LiveEvent } from '../../shared/status.ts';
import type { LiveConnection, LiveState, InFlightExchanges } from './live-connection.ts';

const LiveContext = createContext<LiveConnection | null>(null);
export const LiveProvider = LiveContext.Provider;

function useLiveConnection(): LiveConnection {
  const live = use(LiveContext);
  if (live === null) throw new Error('This component needs a LiveProvider above it.');
  return live;
}

/** Returns whether the event stream is connected, and a function that retries at once. */
export function useLiveState(): { readonly state: LiveState; readonly retryNow: () => void } {
  const connection = useLiveConnection();
  return {
    state: useSyncExternalStore(connection.onState, connection.state),
    retryNow: connection.retryNow,
  };
}

/** Calls the latest listener with every event while the component is mounted. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const connection = useLiveConnection();
  const onEvent = useEffectEvent(listener);
  useEffect(() => connection.on((event) => onEvent(event)), [connection]);
}

/** Returns the exchanges in progress as last reported; none while disconnected. */
export function useInFlight(): InFlightExchanges {
  const connection = useLiveConnection();
  const subscribe = useCallback(
    (changed: () => void) => {
      const stops = [connection.on(changed), connection.onState(changed)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [connection],
  );
  return useSyncExternalStore(subscribe, connection.inFlight);
}
