import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconGauge } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCalls } from '../../../api/client.ts';
import classes from '../clients.module.css';
import { ReachedBadge } from './reached-badge.tsx';
import { useIsReachedByAll } from './use-reached-limits.ts';
import { Limits } from './limits.tsx';

/** A button that shows the limits of all clients together in a dialog, which is open when the address names one of them. */
export function LimitsOfAll() {
  const { limit: shown } = useSearch({ from: '/clients' });
  const navigate = useNavigate({ from: '/clients' });
  const { data = [] } = useQuery(useCalls().clients.limits.list.queryOptions());
  const isNamed = data.some(({ id, clientId }) => id === shown && clientId === null);
  const [isOpen, { open, close }] = useDisclosure(false);
  const isReached = useIsReachedByAll();
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconGauge size={15} />}
        rightSection={isReached && <ReachedBadge />}
        onClick={open}
      >
        Limits for all<span className={classes['rest']}>&nbsp;clients together</span>
      </Button>
      <Modal
        opened={isOpen || isNamed}
        onClose={() => {
          close();
          if (isNamed)
            void navigate({ search: (now) => ({ ...now, limit: undefined }), replace: true });
        }}
        title="Limits for all clients together"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Limits clientId={null} name="all clients" />
      </Modal>
    </>
  );
}
