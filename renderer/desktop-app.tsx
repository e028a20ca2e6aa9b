import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Desktop, isPagePath, onMainMessage } from './api/desktop.ts';
import { createDesktopClient, createPortClient } from './api/port-transport.ts';
import { DesktopProvider } from './api/use-desktop.ts';
import { useLiveState } from './api/use-live.ts';
import { ConnectionProvider } from './connection-provider.tsx';
import { Starting } from './layout/starting.tsx';
import { createAppRouter } from './routes.tsx';

/** The window of the desktop app. It needs no session, because no other program has access to it. */
export function DesktopApp() {
  const [engine] = useState(createPortClient);
  const [desktop, setDesktop] = useState<Desktop | null>(null);
  useEffect(() => {
    const opened = new Desktop(createDesktopClient());
    setDesktop(opened);
    return () => opened.close();
  }, []);
  if (desktop === null) return null;
  return (
    <DesktopProvider value={desktop}>
      <ConnectionProvider client={engine}>
        <Screens />
      </ConnectionProvider>
    </DesktopProvider>
  );
}

function Screens() {
  const { state, retryNow } = useLiveState();
  const [router] = useState(createAppRouter);
  useEffect(() => onMainMessage('gatehouse:engine-runs', retryNow), [retryNow]);
  useEffect(
    () =>
      onMainMessage('gatehouse:go', (address) => {
        if (isPagePath(address)) router.history.push(address);
      }),
    [router],
  );
  // Before the first connection the screens have no data to show; later they show the last known state.
  const [started, setBegun] = useState(false);
  if (state === 'live' && !started) setBegun(true);
  return started ? <RouterProvider router={router} /> : <Starting />;
}
