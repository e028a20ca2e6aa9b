import { Button, Group, Modal, Select, Stack, Table, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { LIMITS_KEEP_COUNTS, type RecostProgress } from '../../../shared/money/recost.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';

const DAY_MS = 24 * 3_600_000;
/** The times since which costs are computed again, in days. */
const SPANS = [
  { value: '1', label: 'The last day' },
  { value: '7', label: 'The last 7 days' },
  { value: '30', label: 'The last 30 days' },
  { value: 'all', label: 'The whole history' },
];

interface RecostDialogProps {
  readonly currency: string;
  /** Whether it begins with the whole history. */
  readonly whole: boolean;
  readonly onClose: () => void;
}

/** What was computed, for which time, and whether it only says what would change. */
interface Computed {
  readonly since: number;
  readonly dryRun: boolean;
  readonly progress: RecostProgress;
}

/** Computes the costs of earlier exchanges again, after it has shown what changes. */
export function RecostDialog({ currency, whole, onClose }: RecostDialogProps) {
  const { computed, run, stop, isRunning } = useRecost(onClose);
  const [span, setSpan] = useState(whole ? 'all' : '7');
  const planned = computed?.dryRun === true && computed.progress.ended ? computed : null;
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title="Compute earlier costs again"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">
          Costs stay as they are when prices change. This computes them again by the prices that
          hold for their time. The sandbox is left out, and so are videos of earlier versions, which
          did not record their length.
        </Text>
        <Text size="sm">{LIMITS_KEEP_COUNTS}</Text>
        <Select
          label="Requests of"
          data={SPANS}
          value={span}
          allowDeselect={false}
          disabled={isRunning}
          onChange={(value) => setSpan(value ?? '7')}
        />
        {computed !== null && (
          <Text size="sm" role="status">
            {describe(computed, currency)}
          </Text>
        )}
        {computed !== null && <Models progress={computed.progress} currency={currency} />}
        <Group justify="flex-end" gap="xs">
          {isRunning ? (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={() => run(toSince(span), true)}>
              Show what changes
            </Button>
          )}
          <Button
            disabled={isRunning || planned === null || planned.progress.changed === 0}
            onClick={() => planned !== null && run(planned.since, false)}
          >
            Change {pluralize(planned?.progress.changed ?? 0, 'cost')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ModelsProps {
  readonly progress: RecostProgress;
  readonly currency: string;
}

/** What changes for each model. */
function Models({ progress: { models, moreModels }, currency }: ModelsProps) {
  if (models.length === 0) return null;
  const format = (amount: number | null) =>
    amount === null ? 'unknown' : formatMoney(amount, currency);
  return (
    <Table.ScrollContainer
      minWidth={300}
      maxHeight={260}
      scrollAreaProps={{ tabIndex: 0, 'aria-label': 'Changes by model' }}
    >
      <Table verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Before</Table.Th>
            <Table.Th ta="right">After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody data-figures>
          {models.map(({ model, exchanges, before, after }) => (
            <Table.Tr key={model}>
              <Table.Th scope="row" fw={400} style={{ overflowWrap: 'anywhere' }}>
                {model === '' ? 'No model' : model}
              </Table.Th>
              <Table.Td ta="right">{formatCount(exchanges)}</Table.Td>
              <Table.Td ta="right">{format(before)}</Table.Td>
              <Table.Td ta="right">{format(after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {moreModels > 0 && (
        <Text size="xs" c="dimmed">
          {pluralize(moreModels, 'more model')} {moreModels === 1 ? 'changes' : 'change'} less.
        </Text>
      )}
    </Table.ScrollContainer>
  );
}

function toSince(span: string): number {
  return span === 'all' ? 0 : Date.now() - Number(span) * DAY_MS;
}

function describe({ progress, dryRun }: Computed, currency: string): string {
  const { checked, changed, before, after, ended } = progress;
  const verb = dryRun ? 'would change' : 'changed';
  const total = `The total goes from ${formatMoney(before, currency)} to ${formatMoney(after, currency)}.`;
  return `${formatCount(changed)} of ${pluralize(checked, 'request')} ${verb}${ended ? '.' : ' so far.'} ${total}`;
}

/** Runs it, and stops it when the dialog closes. What was changed stays changed. */
function useRecost(onDone: () => void) {
  const calls = useCalls();
  const queries = useQueryClient();
  const [computed, setComputed] = useState<Computed | null>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const follow = async (since: number, dryRun: boolean): Promise<void> => {
    const stopping = new AbortController();
    running.current = stopping;
    setRunning(true);
    setComputed(null);
    try {
      const last = await read(calls, { since, dryRun }, stopping.signal, (progress) =>
        setComputed({ since, dryRun, progress }),
      );
      if (dryRun || last?.ended !== true) return;
      toastSuccess(`${pluralize(last.changed, 'cost')} changed.`);
      void queries.invalidateQueries();
      onDone();
    } catch (error) {
      if (!stopping.signal.aborted) toastError('Could not compute the costs.', error);
    } finally {
      setRunning(false);
    }
  };
  return {
    computed,
    isRunning,
    run: (since: number, dryRun: boolean) => void follow(since, dryRun),
    stop: () => running.current?.abort(),
  };
}

async function read(
  calls: Calls,
  input: { readonly since: number; readonly dryRun: boolean },
  signal: AbortSignal,
  onProgress: (progress: RecostProgress) => void,
): Promise<RecostProgress | null> {
  let last: RecostProgress | null = null;
  for await (const progress of await calls.prices.recost.call(input, { signal })) {
    last = progress;
    onProgress(progress);
  }
  return last;
}
