import { Group, SegmentedControl, TextInput } from '@mantine/core';
import type { UsagePeriod } from '../../../shared/history/usage.ts';
import type { PeriodName } from './search.ts';

const LABELS: readonly { readonly value: PeriodName; readonly label: string }[] = [
  { value: 'today', label: 'Today' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'month', label: 'Month' },
  { value: 'custom', label: 'Custom' },
];

interface PeriodPickerProps {
  readonly name: PeriodName;
  readonly period: UsagePeriod;
  readonly onChange: (change: {
    readonly period: PeriodName;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
  }) => void;
}

/** Chooses a period: a named one, or from one day to another. */
export function PeriodPicker({ name, period, onChange }: PeriodPickerProps) {
  const { since, until } = period;
  return (
    <Group gap="sm">
      <SegmentedControl
        size="xs"
        aria-label="Period"
        data={[...LABELS]}
        value={name}
        onChange={(chosen) =>
          onChange({ period: chosen, ...(chosen === 'custom' ? period : NO_DAYS) })
        }
      />
      {name === 'custom' && (
        <>
          <TextInput
            size="xs"
            type="date"
            aria-label="First day"
            value={since}
            max={until}
            onChange={({ currentTarget: { value } }) =>
              value !== '' && onChange({ period: 'custom', since: value, until })
            }
          />
          <TextInput
            size="xs"
            type="date"
            aria-label="Last day"
            value={until}
            min={since}
            onChange={({ currentTarget: { value } }) =>
              value !== '' && onChange({ period: 'custom', since, until: value })
            }
          />
        </>
      )}
    </Group>
  );
}

const NO_DAYS = { since: undefined, until: undefined };
