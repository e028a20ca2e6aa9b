import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useDesktopCalls } from '../../api/use-desktop.ts';
import { useInFlight } from '../../api/use-live.ts';
import { pluralize } from '../../../shared/format.ts';
import { toastError } from '../../hooks/toast.ts';
import { Row } from './setting-row.tsx';

interface QuitProps {
  /** Whether the app is already ending; another request speeds it up. */
  readonly leaving: boolean;
}

/** Quits the app: a desktop may show no tray, and closing the window only hides it. */
export function Quit({ leaving }: QuitProps) {
  const calls = useDesktopCalls();
  const quit = useMutation({
    mutationFn: () => calls.quit(),
    onError: (error) => toastError('Could not quit Gatehouse.', error),
  });
  return (
    <Row
      small
      label="Quit Gatehouse"
      about={
        <span role="status">
          {leaving ? (
            <ClosingStatus />
          ) : (
            'Requests of your clients fail until you start it again. Requests in progress get up to a minute to finish.'
          )}
        </span>
      }
    >
      <Button
        variant="default"
        size="compact-sm"
        loading={quit.isPending}
        // The second click of a double click must not abort running requests.
        onClick={({ detail }) => (detail > 1 ? undefined : quit.mutate())}
      >
        {leaving ? 'Quit at once' : 'Quit'}
      </Button>
    </Row>
  );
}

function ClosingStatus() {
  const { total } = useInFlight();
  if (total === 0) return 'Gatehouse is closing.';
  return `Gatehouse closes when ${pluralize(total, 'request')} ${total === 1 ? 'has' : 'have'} ended, or after a minute.`;
}
