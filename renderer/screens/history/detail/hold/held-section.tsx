import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FunctionComponent, lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { TextProtocol } from '../../../../../shared/chat/chat.ts';
import type { ExchangeId } from '../../../../../shared/exchange/exchange.ts';
import type { HeldRequest, HeldSend } from '../../../../../shared/exchange/hold.ts';
import type { RunningExchange } from '../../../../../shared/history/history.ts';
import { useCalls } from '../../../../api/client.ts';
import { DetailSection } from '../../../../components/detail/detail-section.tsx';
import { useRestoreFocus } from '../../../../hooks/keyboard/open-dialog.ts';
import { toastError, toastMessage } from '../../../../hooks/toast.ts';
import { formatRemaining, useHolds } from '../../../../hooks/clients/use-holds.ts';
import { useNow } from '../../../../hooks/use-now.ts';
import type { ChangeDialogProps } from './change-dialog.tsx';

// The dialog is large. A page that is older than the running Gatehouse cannot load it any more.
const ChangeDialog = lazy(async (): Promise<{ default: FunctionComponent<ChangeDialogProps> }> => {
  try {
    return { default: (await import('./change-dialog.tsx')).ChangeDialog };
  } catch {
    return { default: NotLoaded };
  }
});

/** Shows that a request waits for a person, and lets it go on, changed or not, or refuses it. */
export function HeldSection({ exchange: { id, route } }: { readonly exchange: RunningExchange }) {
  const request = useHolds().held.find((one) => one.id === id);
  const protocol = TextProtocol.options.find((option) => option === route);
  if (request === undefined || protocol === undefined) return null;
  return <Held request={request} protocol={protocol} />;
}

interface HeldProps {
  readonly request: HeldRequest;
  readonly protocol: TextProtocol;
}

function Held({ request, protocol }: HeldProps) {
  const { id } = request;
  const now = useNow();
  const [isChanging, change] = useDisclosure(false);
  const [isRefusing, refusal] = useDisclosure(false);
  const { send, refuse, isDecided } = useDecision();
  const go = (rest: Partial<HeldSend>) => send.mutate({ id, ...rest });
  useLostNotice(id, (isChanging || isRefusing) && !isDecided);
  return (
    <DetailSection title="This request waits for you">
      <Text size="sm" mb={8} data-figures>
        Nothing was sent to the service yet. It goes on unchanged in {formatRemaining(request, now)}
        .
      </Text>
      <Group gap="xs">
        <Button size="xs" loading={send.isPending} onClick={() => go({})}>
          Send it
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={send.isPending}
          onClick={() => go({ holdNext: true })}
        >
          Send it and hold the next
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
          onClick={change.open}
        >
          Change it…
        </Button>
        <Button size="xs" variant="default" c="var(--gate-bad)" onClick={refusal.open}>
          Refuse it…
        </Button>
      </Group>
      {isChanging && (
        <Suspense fallback={null}>
          <ChangeDialog
            {...{ request, protocol }}
            isSending={send.isPending}
            onSend={go}
            onClose={change.close}
          />
        </Suspense>
      )}
      {isRefusing && (
        <RefuseDialog
          isRefusing={refuse.isPending}
          onRefuse={(reason) => refuse.mutate({ id, reason })}
          onClose={refusal.close}
        />
      )}
    </DetailSection>
  );
}

/** Returns what decides about a request that waits. */
function useDecision() {
  const calls = useCalls();
  const send = useMutation(
    calls.clients.hold.send.mutationOptions({
      onError: (error) => toastError('The request was not sent by you.', error),
    }),
  );
  const refuse = useMutation(
    calls.clients.hold.refuse.mutationOptions({
      onError: (error) => toastError('The request was not refused.', error),
    }),
  );
  const isDecided = [send, refuse].some(({ isPending, isSuccess }) => isPending || isSuccess);
  return { send, refuse, isDecided };
}

/** Says that a request does not wait any more to a person who is writing at that moment. */
function useLostNotice(id: ExchangeId, isWriting: boolean): void {
  const queries = useQueryClient();
  const { queryKey } = useCalls().clients.hold.list.queryOptions();
  const onEnd = useEffectEvent(() => {
    // It still waits when the page was left.
    const isHeld = queries.getQueryData(queryKey)?.held.some((one) => one.id === id) ?? false;
    if (!isWriting || isHeld) return;
    toastMessage(
      'The request does not wait any more.',
      'It went on, or its client left. What you wrote was not sent.',
    );
  });
  useEffect(() => () => onEnd(), []);
}

interface RefuseDialogProps {
  readonly isRefusing: boolean;
  readonly onRefuse: (reason: string) => void;
  readonly onClose: () => void;
}

function RefuseDialog({ isRefusing, onRefuse, onClose }: RefuseDialogProps) {
  useRestoreFocus();
  const [reason, setReason] = useState('');
  return (
    <Modal opened onClose={onClose} title="Refuse this request">
      <Stack gap="md">
        <Textarea
          label="Your words to the client"
          description="They are in the message of the error; most agents show it, and stop. May be empty."
          value={reason}
          maxLength={500}
          rows={3}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Group gap="xs">
          <Button color="red" variant="light" loading={isRefusing} onClick={() => onRefuse(reason)}>
            Refuse it
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function NotLoaded({ onClose }: ChangeDialogProps) {
  return (
    <Modal opened onClose={onClose} title="Change the request">
      <Text size="sm">This dialog could not be loaded. Reload the page.</Text>
    </Modal>
  );
}
