import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formatMoney } from '../../../shared/money/format-money.ts';
import type { RecostProgress } from '../../../shared/money/recost.ts';
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
      onClose={onClose}
      title="Compute earlier costs again"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">
          Costs stay as they are when prices change. This computes them again by the prices that
          hold for their time. Videos and the sandbox are left out.
        </Text>
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
