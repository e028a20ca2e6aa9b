import { Button, Group, Popover, Radio, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { formatTimestamp } from '../../format/format.ts';
import { FilterButton } from './filter-buttons.tsx';
import { HistoryRange, type HistorySearch, rangeStart } from './search.ts';

const RANGES: Readonly<Record<HistoryRange, string>> = {
  hour: 'Last hour',
  today: 'Today',
  week: 'Last 7 days',
  month: 'Last 30 days',
};

type Times = Pick<HistorySearch, 'range' | 'since' | 'until'>;

interface TimeFilterProps {
  readonly times: Times;
  readonly onChange: (times: Times) => void;
}

const ANY_TIME = { range: undefined, since: undefined, until: undefined };

/** A button that selects a time range: a named one, or one with start and end. */
export function TimeFilter({ times, onChange }: TimeFilterProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={(open) => !open && close()}
      position="bottom-start"
      withinPortal={false}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <FilterButton title="Time" chosen={describeTimes(times)} onClick={toggle} />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" w={250}>
          <Ranges times={times} onChange={onChange} />
          <FromTo times={times} onChange={onChange} />
          <Group justify="space-between">
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              onClick={() => onChange(ANY_TIME)}
            >
              Any time
            </Button>
            <Button size="compact-sm" onClick={close}>
              Done
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Ranges({ times, onChange }: TimeFilterProps) {
  return (
    <Radio.Group
      aria-label="Time"
      value={times.range ?? null}
      onChange={(value) => onChange({ ...ANY_TIME, range: HistoryRange.parse(value) })}
    >
      <Stack gap={8}>
        {HistoryRange.options.map((range) => (
          <Radio key={range} size="xs" value={range} label={RANGES[range]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function FromTo({ times, onChange }: TimeFilterProps) {
  const { since, until } = times;
  const isTurned = since !== undefined && until !== undefined && since >= until;
  return (
    <>
      <TextInput
        size="xs"
        type="datetime-local"
        label="From"
        value={since === undefined ? '' : formatInputTime(since)}
        onChange={({ currentTarget }) =>
          onChange({ ...times, range: undefined, since: parseTime(currentTarget.value) })
        }
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label="To"
        value={until === undefined ? '' : formatInputTime(until)}
        error={isTurned && 'The end must be after the start.'}
        onChange={({ currentTarget }) =>
          onChange({ ...times, range: undefined, until: parseTime(currentTarget.value) })
        }
      />
    </>
  );
}

function describeTimes({ range, since, until }: Times): readonly string[] {
  if (range !== undefined) {
    const start = rangeStart(range, Date.now());
    return [range === 'hour' ? `${RANGES[range]} (since ${clock.format(start)})` : RANGES[range]];
  }
  const from = since === undefined ? '' : `from ${formatTimestamp(since)}`;
  const to = until === undefined ? '' : `to ${formatTimestamp(until)}`;
  const label = `${from} ${to}`.trim();
  return label === '' ? [] : [label];
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Formats a time for `<input type="datetime-local">`: local time to the minute. */
function formatInputTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16);
}

function parseTime(text: string): number | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? undefined : at;
}
