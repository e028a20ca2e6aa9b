import { RouterProvider } from '@tanstack/react-router';
import { use, useEffect, useMemo, useState } from 'react';
import { createHttpClient } from './api/http-transport.ts';
import { dropSession, onSignedInElsewhere, type Session } from './api/session.ts';
import { useLiveState } from './api/use-live.ts';
import { ConnectionProvider } from './connection-provider.tsx';
import { SignedOut } from './layout/signed-out.tsx';
import { createAppRouter } from './routes.tsx';

/** The window in a browser: it requires a session of this Gatehouse. */
export function BrowserApp({ session }: { readonly session: Promise<Session> }) {
  const opened = use(session);
  return opened.state === 'open' ? (
    <SignedIn opened={opened.token} />
  ) : (
    <SignedOut reason={opened.reason} />
  );
}

function SignedIn({ opened }: { readonly opened: string }) {
  const [token, setToken] = useState(opened);
  useEffect(() => onSignedInElsewhere(setToken), []);
  const client = useMemo(() => createHttpClient(location.origin, token), [token]);
  return (
    <ConnectionProvider client={client}>
      <Screens token={token} />
    </ConnectionProvider>
  );
}

function Screens({ token }: { readonly token: string }) {
  const { state } = useLiveState();
  const [router] = useState(createAppRouter);
  const isOver = state === 'refused';
  useEffect(() => {
    if (isOver) dropSession(token);
  }, [isOver, token]);
  if (isOver) {
    return <SignedOut reason="This browser is no longer signed in." />;
  }
  return <RouterProvider router={router} />;
}
