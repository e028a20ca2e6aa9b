import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { createHttpClient } from './api/http-transport.ts';
import { dropSession, onSignedInElsewhere, type Session } from './api/session.ts';
import { useLiveState } from './api/use-live.ts';
import { ConnectionProvider } from './connection-provider.tsx';
import { SignedOut } from './layout/signed-out.tsx';
import type { AppRouter } from './routes.tsx';

interface BrowserAppProps {
  readonly session: Session;
  readonly router: AppRouter;
}

/** The window in a browser: it requires a session of this Gatehouse. */
export function BrowserApp({ session, router }: BrowserAppProps) {
  return session.state === 'open' ? (
    <SignedIn opened={session.token} router={router} />
  ) : (
    <SignedOut reason={session.reason} />
  );
}

interface SignedInProps extends Pick<BrowserAppProps, 'router'> {
  readonly opened: string;
}

function SignedIn({ opened, router }: SignedInProps) {
  const [token, setToken] = useState(opened);
  useEffect(() => onSignedInElsewhere(setToken), []);
  const client = useMemo(() => createHttpClient(location.origin, token), [token]);
  return (
    <ConnectionProvider client={client}>
      <Screens token={token} router={router} />
    </ConnectionProvider>
  );
}

interface ScreensProps extends Pick<BrowserAppProps, 'router'> {
  readonly token: string;
}

function Screens({ token, router }: ScreensProps) {
  const { state } = useLiveState();
  const isOver = state === 'refused';
  useEffect(() => {
    if (isOver) dropSession(token);
  }, [isOver, token]);
  if (isOver) {
    return <SignedOut reason="This browser is no longer signed in." />;
  }
  return <RouterProvider router={router} />;
}
