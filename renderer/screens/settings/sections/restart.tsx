import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useDesktopCalls } from '../../../api/use-desktop.ts';
import { useInFlight } from '../../../api/use-live.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { useIsFree } from '../../../hooks/use-is-free.ts';
import { pluralize } from '../../../../shared/format.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';

type When = 'idle' | 'now';

/**
 * Restarts into the new version: once no request is in progress, or at once after a confirmation.
 */
export function Restart() {
  const { updates } = useDesktopCalls();
  const { total } = useInFlight();
  const isSandbox = useIsFree();
  const [asking, question] = useDisclosure(false);
  const restart = useMutation({
    mutationFn: (when: When) => updates.restart({ when }),
    onSuccess: (_, when) => {
      if (when === 'idle' && total > 0)
        toastSuccess('Gatehouse restarts when no requests are in progress.');
    },
    onError: (error) => toastError('Could not restart Gatehouse.', error),
    onSettled: question.close,
  });
  return (
    <Group gap="xs" justify="flex-end">
      <Button size="compact-sm" onClick={() => restart.mutate('idle')} loading={restart.isPending}>
        {total === 0 ? 'Restart' : 'Restart when idle'}
      </Button>
      {total > 0 && (
        <Button size="compact-sm" variant="default" onClick={question.open}>
          Restart now…
        </Button>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Restart now?"
        action="Restart now"
        busy={restart.isPending}
        onConfirm={() => restart.mutate('now')}
      >
        {total === 0
          ? 'No requests are in progress.'
          : `${pluralize(total, 'request')} in progress will be cancelled${isSandbox ? '' : '; the service may still charge'}.`}{' '}
        Videos continue after the restart.
      </ConfirmDialog>
    </Group>
  );
}
