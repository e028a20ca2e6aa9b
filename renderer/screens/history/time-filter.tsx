import { Button, Group, Popover, Radio, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { formatMoment } from '../../../shared/filter-language/quantities.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { formatTimestamp } from '../../format/format.ts';
import { FilterButton } from './filter-buttons.tsx';
import type { TimeTexts } from './filter-terms.ts';

/** The named ranges, by the beginning that the language of filters has for them. */
const RANGES: readonly (readonly [since: string, label: string])[] = [
  ['1h', 'Last hour'],
  ['today', 'Today'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
];

interface TimeFilterProps {
  readonly times: TimeTexts;
  /** The filter that has these times. */
  readonly filter: Pick<HistoryFilter, 'since' | 'until'>;
  readonly onChange: (times: TimeTexts) => void;
}

/** A button that selects a time range: a named one, or one with start and end. */
export function TimeFilter(props: TimeFilterProps) {
  const { onChange } = props;
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
        <FilterButton title="Time" chosen={describeTimes(props)} onClick={toggle} />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" w={250}>
          <Ranges {...props} />
          <FromTo {...props} />
          <Group justify="space-between">
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange({})}>
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
      value={findRange(times)?.[0] ?? null}
      onChange={(since) => onChange({ since })}
    >
      <Stack gap={8}>
        {RANGES.map(([since, label]) => (
          <Radio key={since} size="xs" value={since} label={label} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function findRange({ since, until }: TimeTexts) {
  return until === undefined ? RANGES.find(([text]) => text === since) : undefined;
}

function FromTo({ times, filter, onChange }: TimeFilterProps) {
  const { since, until } = filter;
  const isTurned = since !== undefined && until !== undefined && since >= until;
  return (
    <>
      <TextInput
        size="xs"
        type="datetime-local"
        label="From"
        value={since === undefined ? '' : formatInputTime(since)}
        onChange={({ currentTarget }) =>
          onChange({ ...times, since: parseTime(currentTarget.value) })
        }
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label="To"
        value={until === undefined ? '' : formatInputTime(until)}
        error={isTurned && 'The end must be after the start.'}
        onChange={({ currentTarget }) =>
          onChange({
            since: findRange(times) === undefined ? times.since : undefined,
            until: parseTime(currentTarget.value),
          })
        }
      />
    </>
  );
}

function describeTimes({ times, filter: { since, until } }: TimeFilterProps): readonly string[] {
  const [range, name] = findRange(times) ?? [];
  if (name !== undefined) {
    const isHour = range === '1h' && since !== undefined;
    return [isHour ? `${name} (since ${clock.format(since)})` : name];
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

/** Returns the time as the language of filters has it; `undefined` for none. */
function parseTime(text: string): string | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? undefined : formatMoment(at);
}
