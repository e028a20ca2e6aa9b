import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, use, useEffect, useState } from 'react';
import { type Calls, CallsProvider, callsOf } from './client/client.ts';
import { freshener, openQueries } from './client/freshness.ts';
import { Live } from './client/live.ts';
import { LiveProvider, useLiveState } from './client/use-live.ts';
import { overHttp } from './client/over-http.ts';
import { dropSession, onLetIn, openSession, type Session } from './client/session.ts';
import { SignedOut } from './frame/signed-out.tsx';
import { openRouter } from './routes.tsx';
import { styleNonce } from './style-nonce.ts';
import { cssVariables, theme } from './theme.ts';

const colorSchemes = localStorageColorSchemeManager({ key: 'gatehouse-appearance' });

// Opened once for the page, not once for each rendering.
const session = openSession();

/** The window: its look, its way to the engine, its screens. */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
      deduplicateInlineStyles
    >
      <Notifications position="bottom-right" limit={3} />
      <Suspense>
        <Entrance />
      </Suspense>
    </MantineProvider>
  );
}

function Entrance() {
  const opened: Session = use(session);
  return opened.state === 'open' ? (
    <Inside opened={opened.token} />
  ) : (
    <SignedOut reason={opened.reason} />
  );
}

interface Connection {
  readonly calls: Calls;
  readonly live: Live;
}

function Inside({ opened }: { readonly opened: string }) {
  const [token, setToken] = useState(opened);
  useEffect(() => onLetIn(setToken), []);
  const [queries] = useState(openQueries);
  const [connection, setConnection] = useState<Connection | null>(null);
  useEffect(() => {
    const client = overHttp(location.origin, token);
    const calls = callsOf(client);
    const live = new Live(client);
    const stop = live.on(freshener(queries, calls));
    setConnection({ calls, live });
    return () => {
      stop();
      live.close();
    };
  }, [token, queries]);
  if (connection === null) return null;
  return (
    <QueryClientProvider client={queries}>
      <CallsProvider value={connection.calls}>
        <LiveProvider value={connection.live}>
          <Screens token={token} />
        </LiveProvider>
      </CallsProvider>
    </QueryClientProvider>
  );
}

function Screens({ token }: { readonly token: string }) {
  const { state } = useLiveState();
  const [router] = useState(openRouter);
  const isOver = state === 'refused';
  useEffect(() => {
    if (isOver) dropSession(token);
  }, [isOver, token]);
  if (isOver) {
    return <SignedOut reason="Gatehouse does not know this window any more." />;
  }
  return <RouterProvider router={router} />;
}
