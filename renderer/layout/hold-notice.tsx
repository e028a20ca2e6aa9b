import { Button, Group, Text } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import type { HeldRequest, HoldState } from '../../shared/exchange/hold.ts';
import { formatRemaining, useHoldNext, useHolds } from '../hooks/clients/use-holds.ts';
import { useNow } from '../hooks/use-now.ts';
import classes from './notice.module.css';

/** Shows the requests that wait for a person, and the clients whose next one will. */
export function HoldNotice() {
  const { next, held } = useHolds();
  return (
    <>
      <div role="status" aria-live="polite" aria-atomic={false}>
        {held.map((request) => (
          <HeldNotice key={request.id} request={request} />
        ))}
      </div>
      {next.map((one) => (
        <NextNotice key={one.clientId} next={one} />
      ))}
    </>
  );
}

function HeldNotice({ request }: { readonly request: HeldRequest }) {
  const { id, clientName } = request;
  const isOpen = useLocation({
    select: ({ pathname, search }) => pathname === '/history' && search.exchange === id,
  });
  return (
    <Group className={classes['notice'] ?? ''} data-tone="warn" gap="sm" wrap="nowrap">
      <IconHandStop size={18} aria-hidden />
      <Text size="sm" flex={1}>
        A request of “{clientName}” waits for you. <Remaining request={request} />
      </Text>
      {!isOpen && (
        <Button
          renderRoot={(props: object) => (
            <Link to="/history" search={{ exchange: id }} {...props} />
          )}
          size="compact-sm"
          variant="default"
        >
          Look at it
        </Button>
      )}
    </Group>
  );
}

/** Says when a request goes on. A screen reader is not told of each second. */
function Remaining({ request }: { readonly request: HeldRequest }) {
  const now = useNow();
  return (
    <span aria-live="off" data-figures>
      It goes on unchanged in {formatRemaining(request, now)}.
    </span>
  );
}

function NextNotice({ next }: { readonly next: HoldState['next'][number] }) {
  const { clientId, clientName } = next;
  const { cancel, isChanging } = useHoldNext({ id: clientId, name: clientName });
  return (
    <Group className={classes['notice'] ?? ''} data-tone="warn" gap="sm" wrap="nowrap">
      <IconHandStop size={18} aria-hidden />
      <Text size="sm" flex={1}>
        The next request of “{clientName}” will wait for you.
      </Text>
      <Button size="compact-sm" variant="default" loading={isChanging} onClick={cancel}>
        Let it pass
      </Button>
    </Group>
  );
}
