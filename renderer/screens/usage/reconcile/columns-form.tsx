import { Button, Group, Text, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type { UsageExportSample } from '../../../../shared/reconcile/reconcile-contract.ts';
import { NO_COLUMNS } from '../../../../shared/reconcile/no-columns.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import { pluralize } from '../../../../shared/format.ts';
import { ColumnFields } from './column-fields.tsx';
import { FirstRows } from './first-rows.tsx';
import classes from './reconcile.module.css';
import type { ComparisonQuery } from './use-comparison.ts';

interface ColumnsFormProps {
  readonly sample: UsageExportSample;
  /** The comparison that is shown. */
  readonly latest: ComparisonQuery | null;
  readonly isPending: boolean;
  readonly onCompare: (query: ComparisonQuery) => void;
  readonly onStop: () => void;
}

/** Assigns the columns of an export, and starts its comparison. */
export function ColumnsForm({ sample, latest, isPending, onCompare, onStop }: ColumnsFormProps) {
  const [query, setQuery] = useState<ComparisonQuery>(
    () =>
      latest ?? {
        columns: sample.remembered ?? sample.proposal ?? NO_COLUMNS,
        firstDay: '',
        lastDay: '',
      },
  );
  const { columns, firstDay, lastDay } = query;
  const change = (part: Partial<UsageColumns>) =>
    setQuery({ ...query, columns: { ...columns, ...part } });
  const fault = findFault(query);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (fault === null) onCompare(query);
  };
  return (
    <form onSubmit={submit} aria-label="Columns of the export">
      <Text size="sm" mb="sm">
        {describeOrigin(sample)}
        {sample.more > 0 && ` ${pluralize(sample.more, 'more column')} cannot be chosen.`}
      </Text>
      <FirstRows sample={sample} />
      <div className={classes['fields']}>
        <ColumnFields sample={sample} columns={columns} onChange={change} />
        <TextInput
          type="date"
          label="First day"
          description="Empty for the days of the file"
          value={firstDay}
          onChange={({ currentTarget: { value } }) => setQuery({ ...query, firstDay: value })}
        />
        <TextInput
          type="date"
          label="Last day"
          description="Empty for the days of the file"
          value={lastDay}
          onChange={({ currentTarget: { value } }) => setQuery({ ...query, lastDay: value })}
        />
      </div>
      <Group mt="md" gap="sm">
        <Button type="submit" loading={isPending} disabled={fault !== null}>
          Compare
        </Button>
        {isPending && (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        )}
        {fault !== null && <Text size="sm">{fault}</Text>}
      </Group>
    </form>
  );
}

function describeOrigin({ remembered, proposal }: UsageExportSample): string {
  if (remembered !== null) return 'These are the columns that were used for this service before.';
  if (proposal === null) return 'The columns of this file are not clear. Choose them.';
  return 'These columns are proposed by their values. Check them; they are remembered for this service.';
}

function findFault({ columns, firstDay, lastDay }: ComparisonQuery): string | null {
  const { time, requests, input, output, cost } = columns;
  if (time === '') return 'Choose the column of the times.';
  if (cost === null && requests === null && input.length + output.length === 0) {
    return 'Choose a column to compare: tokens, cost or requests.';
  }
  const isReversed = firstDay !== '' && lastDay !== '' && firstDay > lastDay;
  return isReversed ? 'The last day is before the first.' : null;
}
