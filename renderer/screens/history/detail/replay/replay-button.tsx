import { Button, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRepeat } from '@tabler/icons-react';
import { type FunctionComponent, lazy, Suspense } from 'react';
import type { ExchangeDetail } from '../../../../../shared/history/history.ts';

interface ReplayDialogProps {
  readonly detail: ExchangeDetail;
  readonly onClose: () => void;
}

// The dialog is large. A page that is older than the running Gatehouse cannot load it any more.
const ReplayDialog = lazy(async (): Promise<{ default: FunctionComponent<ReplayDialogProps> }> => {
  try {
    return { default: (await import('./replay-dialog.tsx')).ReplayDialog };
  } catch {
    return { default: NotLoaded };
  }
});

/** Opens the dialog that sends a stored request again. */
export function ReplayButton({ detail }: Pick<ReplayDialogProps, 'detail'>) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconRepeat size={14} aria-hidden />}
        onClick={open}
      >
        Send again…
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ReplayDialog detail={detail} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function NotLoaded({ onClose }: ReplayDialogProps) {
  return (
    <Modal opened onClose={onClose} title="Send again">
      <Text size="sm">This dialog could not be loaded. Reload the page.</Text>
    </Modal>
  );
}
