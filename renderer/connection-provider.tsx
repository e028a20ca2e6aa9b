import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type Calls, CallsProvider, toCalls, type Client } from './api/client.ts';
import { createInvalidator, createQueryClient } from './api/query-invalidation.ts';
import { LiveConnection } from './api/live-connection.ts';
import { LiveProvider } from './api/use-live.ts';

interface Connection {
  readonly calls: Calls;
  readonly live: LiveConnection;
}

interface ConnectionProviderProps {
  readonly client: Client;
  readonly children: ReactNode;
}

/** Provides the screens with the API client, the engine's events, and the query cache. */
export function ConnectionProvider({ client, children }: ConnectionProviderProps) {
  const [queries] = useState(createQueryClient);
  const [connection, setConnection] = useState<Connection | null>(null);
  useEffect(() => {
    const calls = toCalls(client);
    const live = new LiveConnection(client);
    const stop = live.on(createInvalidator(queries, calls));
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
