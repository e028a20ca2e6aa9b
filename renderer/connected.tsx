import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type Calls, CallsProvider, callsOf, type Client } from './client/client.ts';
import { freshener, openQueries } from './client/freshness.ts';
import { Live } from './client/live.ts';
import { LiveProvider } from './client/use-live.ts';

interface Connection {
  readonly calls: Calls;
  readonly live: Live;
}

interface ConnectedProps {
  readonly client: Client;
  readonly children: ReactNode;
}

/** What screens stand on: the calls, the engine's events, and what was asked so far. */
export function Connected({ client, children }: ConnectedProps) {
  const [queries] = useState(openQueries);
  const [connection, setConnection] = useState<Connection | null>(null);
  useEffect(() => {
    const calls = callsOf(client);
    const live = new Live(client);
    const stop = live.on(freshener(queries, calls));
    setConnection({ calls, live });
    return () => {
      stop();
      live.close();
    };
  }, [client, queries]);
  if (connection === null) return null;
  return (
    <QueryClientProvider client={queries}>
      <CallsProvider value={connection.calls}>
        <LiveProvider value={connection.live}>{children}</LiveProvider>
      </CallsProvider>
    </QueryClientProvider>
  );
}
