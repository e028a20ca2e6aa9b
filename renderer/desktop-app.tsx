import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Desktop, isPagePath, onMainMessage } from './api/desktop.ts';
import { createDesktopClient, createPortClient } from './api/port-transport.ts';
import { DesktopProvider } from './api/use-desktop.ts';
import { useLiveState } from './api/use-live.ts';
import { ConnectionProvider } from './connection-provider.tsx';
import { Starting } from './layout/starting.tsx';
import { createAppRouter } from './routes.tsx';

/** The window of the desktop app: nobody else gets to see it, so nobody has to be let in. */
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
  // Screens have nothing to show before the engine is heard for the first time; later on they show what they know.
  const [begun, setBegun] = useState(false);
  if (state === 'live' && !begun) setBegun(true);
  return begun ? <RouterProvider router={router} /> : <Starting />;
}
