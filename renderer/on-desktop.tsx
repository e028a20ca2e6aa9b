import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Desktop, isOwnAddress, onMain } from './client/desktop.ts';
import { desktopOverPort, engineOverPort } from './client/over-port.ts';
import { DesktopProvider } from './client/use-desktop.ts';
import { useLiveState } from './client/use-live.ts';
import { Connected } from './connected.tsx';
import { Starting } from './frame/starting.tsx';
import { openRouter } from './routes.tsx';

/** The window of the desktop app: nobody else gets to see it, so nobody has to be let in. */
export function OnDesktop() {
  const [engine] = useState(engineOverPort);
  const [desktop, setDesktop] = useState<Desktop | null>(null);
  useEffect(() => {
    const opened = new Desktop(desktopOverPort());
    setDesktop(opened);
    return () => opened.close();
  }, []);
  if (desktop === null) return null;
  return (
    <DesktopProvider value={desktop}>
      <Connected client={engine}>
        <Screens />
      </Connected>
    </DesktopProvider>
  );
}

function Screens() {
  const { state, hurry } = useLiveState();
  const [router] = useState(openRouter);
  useEffect(() => onMain('gatehouse:engine-runs', hurry), [hurry]);
  useEffect(
    () =>
      onMain('gatehouse:go', (address) => {
        if (isOwnAddress(address)) router.history.push(address);
      }),
    [router],
  );
  // Screens have nothing to show before the engine is heard for the first time; later on they show what they know.
  const [begun, setBegun] = useState(false);
  if (state === 'live' && !begun) setBegun(true);
  return begun ? <RouterProvider router={router} /> : <Starting />;
}
