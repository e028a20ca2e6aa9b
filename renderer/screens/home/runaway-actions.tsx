import { Button } from '@mantine/core';
import type { Attention } from '../../../shared/history/history.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import { useClientStop } from '../../hooks/clients/use-client-stop.ts';

/** The decisions about an agent that runs away: it is stopped, or goes on. */
export function RunawayActions({
  runaway: { clientId, clientName, run, stopped },
}: {
  readonly runaway: Extract<Attention, { kind: 'runaway' }>;
}) {
  const { stop, isStopping, resume, isResuming } = useClientStop({
    id: clientId,
    name: clientName,
  });
  return (
    <>
      {run !== null && (
        <ScreenLink to="/history/runs" search={{ run }} size="sm">
          Show the run
        </ScreenLink>
      )}
      {!stopped && (
        <Button size="compact-sm" color="red" variant="light" loading={isStopping} onClick={stop}>
          Stop it
        </Button>
      )}
      <Button size="compact-sm" variant="default" loading={isResuming} onClick={resume}>
        Let it go on
      </Button>
    </>
  );
}
