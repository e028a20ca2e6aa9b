import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Desktop, isPagePath, onMainMessage, readMainMessage } from './api/desktop.ts';
import { createDesktopClient, createPortClient } from './api/port-transport.ts';
import { DesktopProvider } from './api/use-desktop.ts';
import { useLiveState } from './api/use-live.ts';
import { ConnectionProvider } from './connection-provider.tsx';
import { Starting } from './layout/starting.tsx';
import type { AppRouter } from './routes.tsx';

interface DesktopAppProps {
  readonly router: AppRouter;
  /** Returns the messages of the main process that came before this was rendered, each once. */
  readonly takeEarlyMessages: () => readonly unknown[];
}

/** The window of the desktop app. It needs no session, because no other program has access to it. */
export function DesktopApp({ router, takeEarlyMessages }: DesktopAppProps) {
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
        <Screens router={router} takeEarlyMessages={takeEarlyMessages} />
      </ConnectionProvider>
    </DesktopProvider>
  );
}

function Screens({ router, takeEarlyMessages }: DesktopAppProps) {
  const { state, retryNow } = useLiveState();
  useEffect(() => onMainMessage('gatehouse:engine-runs', retryNow), [retryNow]);
  useEffect(() => {
    const go = (address: unknown): void => {
      if (isPagePath(address)) router.history.push(address);
    };
    for (const message of takeEarlyMessages()) readMainMessage(message, 'gatehouse:go', go);
    return onMainMessage('gatehouse:go', go);
  }, [router, takeEarlyMessages]);
  // Before the first connection the screens have no data to show; later they show the last known state.
  const [started, setStarted] = useState(false);
  if (state === 'live' && !started) setStarted(true);
  return started ? <RouterProvider router={router} /> : <Starting />;
}
