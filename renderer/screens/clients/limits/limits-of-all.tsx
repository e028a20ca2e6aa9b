import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconGauge } from '@tabler/icons-react';
import { ReachedBadge } from './reached-badge.tsx';
import { useReachedLimits } from './use-reached-limits.ts';
import { Limits } from './limits.tsx';

/** A button that shows the limits of all clients together in a dialog. */
export function LimitsOfAll() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const isReached = useReachedLimits().some(({ clientId }) => clientId === null);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconGauge size={15} />}
        rightSection={isReached && <ReachedBadge />}
        onClick={open}
      >
        Limits for all clients together
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Limits for all clients together"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Limits clientId={null} name="all clients" />
      </Modal>
    </>
  );
}
