import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { EngineState } from '../../shared/desktop/desktop-contract.ts';
import { useDesktopCalls } from '../api/use-desktop.ts';
import { useNow } from '../hooks/use-now.ts';
import { toastError } from '../hooks/toast.ts';

const OTHER_PORT =
  ' End that program and try again, or use another port for now: your clients then need the new address.';

interface EngineProps {
  /** `null` while the state is unknown. */
  readonly engine: EngineState | null;
}

/** Shows the state of the app's engine and its consequences. */
export function EngineMessage({ engine }: EngineProps) {
  switch (engine?.name) {
    case undefined:
    case 'running':
      return 'Connecting to Gatehouse…';
    case 'starting':
      return 'Gatehouse is starting…';
    case 'closed':
      return 'Gatehouse is closing.';
    case 'refused':
      return `Gatehouse could not start. ${engine.sentence}${engine.next === null ? '' : OTHER_PORT}`;
    case 'down':
      return engine.againAt === null ? (
        'Gatehouse keeps stopping, so it is no longer restarted automatically. Requests of your clients fail until you start it.'
      ) : (
        <>
          Gatehouse stopped, and requests of your clients fail until it runs again. It restarts
          automatically
          <Countdown to={engine.againAt} />.
        </>
      );
  }
}

/** The action that a person can take; nothing when there is none. */
export function EngineActions({ engine }: EngineProps) {
  if (engine?.name === 'refused') {
    const { next } = engine;
    return (
      <>
        {next !== null && <Start port={next}>Use port {next} for now</Start>}
        <Start>Try again</Start>
      </>
    );
  }
  if (engine?.name !== 'down') return null;
  return <Start>{engine.againAt === null ? 'Start it again' : 'Start it now'}</Start>;
}

interface StartProps {
  /** The port for this run; the one in the settings unless given. */
  readonly port?: number;
  readonly children: ReactNode;
}

function Start({ port, children }: StartProps) {
  const calls = useDesktopCalls();
  const start = useMutation({
    mutationFn: () => calls.startEngine(port === undefined ? {} : { port }),
    onError: (error) => toastError('Could not start Gatehouse.', error),
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      {children}
    </Button>
  );
}

/** Counts the seconds down without announcing them. */
function Countdown({ to }: { readonly to: number }) {
  const seconds = Math.ceil((to - useNow()) / 1_000);
  return seconds > 0 ? <span aria-hidden> in {seconds} s</span> : null;
}
