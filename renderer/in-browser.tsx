import { RouterProvider } from '@tanstack/react-router';
import { use, useEffect, useMemo, useState } from 'react';
import { overHttp } from './client/over-http.ts';
import { dropSession, onLetIn, type Session } from './client/session.ts';
import { useLiveState } from './client/use-live.ts';
import { Connected } from './connected.tsx';
import { SignedOut } from './frame/signed-out.tsx';
import { openRouter } from './routes.tsx';

/** The window in a browser: whoever has a session of this Gatehouse is let in. */
export function InBrowser({ session }: { readonly session: Promise<Session> }) {
  const opened = use(session);
  return opened.state === 'open' ? (
    <LetIn opened={opened.token} />
  ) : (
    <SignedOut reason={opened.reason} />
  );
}

function LetIn({ opened }: { readonly opened: string }) {
  const [token, setToken] = useState(opened);
  useEffect(() => onLetIn(setToken), []);
  const client = useMemo(() => overHttp(location.origin, token), [token]);
  return (
    <Connected client={client}>
      <Screens token={token} />
    </Connected>
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
