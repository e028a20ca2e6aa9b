import { ActionIcon, Button, Group, Menu, Progress, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import type { ClientId } from '../../../../shared/client.ts';
import { RunId } from '../../../../shared/exchange/exchange.ts';
import { formatSince } from '../../../../shared/format.ts';
import {
  describeLimitPeriod,
  describeRun,
  formatLimitAmount,
} from '../../../../shared/money/describe-limit.ts';
import { isAtOnce, type LimitState } from '../../../../shared/money/limit.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { useAllowLimit } from '../../../hooks/use-allow-limit.ts';
import { useNow } from '../../../hooks/use-now.ts';
import { useIsReachedByAll } from './use-reached-limits.ts';
import { LIMIT_ACTIONS, NEW_LIMIT } from '../../../components/limit-dialog/limit-actions.tsx';
import { LimitDialog } from '../../../components/limit-dialog/limit-dialog.tsx';

interface LimitsProps {
  /** `null`: the limits of all clients together. */
  readonly clientId: ClientId | null;
  readonly name: string;
}

/** Shows the limits of a client, or of all clients, with what is used of them, and changes them. */
export function Limits({ clientId, name }: LimitsProps) {
  const calls = useCalls();
  const { data, error, refetch } = useQuery(calls.clients.limits.list.queryOptions());
  const settings = useQuery(calls.settings.get.queryOptions());
  const { isAdding, open, close } = useAdding(clientId);
  const limits = data?.filter((limit) => limit.clientId === clientId) ?? [];
  const currency = settings.data?.settings.currency ?? 'USD';
  return (
    <section aria-label={`Limits of ${name}`}>
      <Group justify="space-between" mb={4}>
        <Title order={3}>Limits</Title>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          onClick={open}
        >
          Set a limit
        </Button>
      </Group>
      {data === undefined && error !== null && (
        <ErrorState
          title="Could not load the limits."
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data !== undefined && limits.length === 0 && (
        <Text size="xs" c="dimmed">
          {clientId === null
            ? 'None for all clients together.'
            : 'None. Set one for money, tokens or requests; Gatehouse refuses what exceeds it, before it is sent.'}
        </Text>
      )}
      {clientId !== null && <ReachedByAll />}
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {limits.map((limit) => (
          <LimitItem key={limit.id} limit={limit} name={name} currency={currency} />
        ))}
      </Stack>
      {isAdding && data !== undefined && settings.data !== undefined && (
        <LimitDialog
          clientId={clientId}
          name={name}
          currency={currency}
          others={limits}
          onClose={close}
        />
      )}
    </section>
  );
}

/** Whether a limit is being added: a button, or the address, opens the dialog. */
function useAdding(clientId: ClientId | null) {
  const { client, limit } = useSearch({ from: '/clients' });
  const navigate = useNavigate({ from: '/clients' });
  const [isOpened, { open, close }] = useDisclosure(false);
  const isAddressed = limit === NEW_LIMIT && clientId !== null && client === clientId;
  return {
    isAdding: isOpened || isAddressed,
    open,
    close: () => {
      close();
      // A reload does not open it again.
      if (isAddressed) void navigate({ search: { client }, replace: true });
    },
  };
}

/** Says that a limit of all clients refuses the requests of this one, too. */
function ReachedByAll() {
  if (!useIsReachedByAll()) return null;
  return (
    <Text size="xs" c="var(--gate-bad)" mb={4}>
      A limit for all clients together is reached, and refuses its requests, too. Change it above
      the list.
    </Text>
  );
}

interface LimitItemProps {
  readonly limit: LimitState;
  readonly name: string;
  readonly currency: string;
}

function LimitItem({ limit, name, currency }: LimitItemProps) {
  const [isChanging, { open, close }] = useDisclosure(false);
  const [isRemoving, removal] = useDisclosure(false);
  const { amount, measure, used, clientId } = limit;
  const text = `${formatLimitAmount(amount, measure, currency)} ${describeLimitPeriod(limit)}`;
  const share = Math.min(100, (100 * used) / amount);
  const menu = useRef<HTMLButtonElement>(null);
  const isShown = useSearch({ from: '/clients' }).limit === limit.id;
  useEffect(() => {
    if (!isShown) return;
    menu.current?.scrollIntoView({ block: 'center' });
    menu.current?.focus({ preventScroll: true });
  }, [isShown]);
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600} data-figures>
          {text}
        </Text>
        <LimitMenu
          limit={limit}
          text={text}
          onChange={open}
          onRemove={removal.open}
          button={menu}
          isFirst={isShown}
        />
      </Group>
      <Progress
        value={share}
        size="sm"
        color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : 'blue'}
        my={4}
        aria-label={`Used of ${text}`}
      />
      <Text size="xs" c="dimmed" data-figures>
        <UseText limit={limit} currency={currency} />
      </Text>
      {isChanging && (
        <LimitDialog
          clientId={clientId}
          name={name}
          currency={currency}
          before={limit}
          onClose={close}
        />
      )}
      <RemoveLimit
        limit={limit}
        name={name}
        text={text}
        opened={isRemoving}
        onClose={removal.close}
      />
    </li>
  );
}

interface LimitMenuProps {
  readonly limit: LimitState;
  readonly text: string;
  readonly onChange: () => void;
  readonly onRemove: () => void;
  readonly button: RefObject<HTMLButtonElement | null>;
  /** Whether its button gets the focus of a dialog. */
  readonly isFirst: boolean;
}

function LimitMenu({ limit, text, onChange, onRemove, button, isFirst }: LimitMenuProps) {
  const { id, suspended, allowedOnceAt } = limit;
  const now = useNow();
  const hasException = allowedOnceAt !== null || (suspended !== null && now < suspended.until);
  const { allow, isPending } = useAllowLimit(text);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          ref={button}
          data-autofocus={isFirst || undefined}
          variant="subtle"
          size="sm"
          aria-label={`Actions of the limit of ${text}`}
          loading={isPending}
        >
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => allow(id, 'once')}>{LIMIT_ACTIONS.once}</Menu.Item>
        <Menu.Item onClick={() => allow(id, 'hour')}>{LIMIT_ACTIONS.hour}</Menu.Item>
        {hasException && (
          <Menu.Item onClick={() => allow(id, 'none')}>{LIMIT_ACTIONS.none}</Menu.Item>
        )}
        <Menu.Item onClick={onChange}>Change the amount…</Menu.Item>
        <Menu.Item c="red" onClick={onRemove}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RemoveLimitProps {
  readonly limit: LimitState;
  readonly name: string;
  readonly text: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Removes a limit after a question. */
function RemoveLimit({ limit: { id, clientId }, name, text, opened, onClose }: RemoveLimitProps) {
  const calls = useCalls();
  const queries = useQueryClient();
  const remove = useMutation(
    calls.clients.limits.remove.mutationOptions({
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: calls.clients.key() }),
          queries.invalidateQueries({ queryKey: calls.home.key() }),
        ]),
      onError: (error) => toastError('Could not remove the limit.', error),
    }),
  );
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title="Remove this limit?"
      action="Remove the limit"
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ id }, { onSuccess: onClose })}
    >
      From then on nothing stops {clientId === null ? 'the clients' : `“${name}”`} at {text}. Other
      limits stay. You can set it again at any time: what was used before counts then, too.
    </ConfirmDialog>
  );
}

interface UseTextProps {
  readonly limit: LimitState;
  readonly currency: string;
}

/** Says how much of a limit is used, when it resets, and which exception holds. */
function UseText({ limit, currency }: UseTextProps) {
  const now = useNow();
  const { measure, rolling, used, resetsAt, suspended, allowedOnceAt, run } = limit;
  const isSuspended = suspended !== null && now >= suspended.from && now < suspended.until;
  return (
    <>
      {isAtOnce(measure) ? `${used} running` : `${formatLimitAmount(used, measure, currency)} used`}
      {limit.period === 'run' && used > 0 && ' by '}
      {limit.period === 'run' && used > 0 && <RunName run={run} />}
      {resetsAt !== null &&
        used > 0 &&
        `; ${rolling ? 'part of it is free again' : 'resets'} at ${formatSince(resetsAt, now)}`}
      {isSuspended &&
        `; off until ${formatSince(suspended.until, now)}: all requests pass, and still count`}
      {!isSuspended && allowedOnceAt !== null && '; the next request that it would refuse passes'}
    </>
  );
}

/** Names a run, with a link to it. */
function RunName({ run }: Pick<LimitState, 'run'>) {
  if (run === null) return describeRun({ run });
  return (
    <ScreenLink to="/history/runs" search={{ run: RunId.parse(run) }}>
      {run}
    </ScreenLink>
  );
}
