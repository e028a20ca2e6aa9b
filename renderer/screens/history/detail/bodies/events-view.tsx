import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { memo, useId, useMemo, useState } from 'react';
import { formatCount, formatDuration, pluralize } from '../../../../../shared/format.ts';
import {
  findLargestGap,
  nameEvent,
  type TimedEvent,
} from '../../../../../shared/parse-bodies/event-stream.ts';
import { formatArguments } from '../../../../../shared/parse-bodies/json.ts';
import classes from './bodies.module.css';
import { PlainText } from './long-text.tsx';

/** Number of events that are shown at once. */
const PAGE = 100;
/** Events that are shown before the one with the largest gap. */
const BEFORE = 5;

/** Shows the events of a stream with their times, 100 at once. */
export function EventsView({ events }: { readonly events: readonly TimedEvent[] }) {
  const [from, setFrom] = useState(0);
  const largest = useMemo(() => findLargestGap(events), [events]);
  const shown = events.slice(from, from + PAGE);
  return (
    <Stack gap={8}>
      <Text size="sm" data-figures>
        {describeEvents(events, largest)}
      </Text>
      {events.length > PAGE && (
        <Pages from={from} onFrom={setFrom} count={events.length} largest={largest} />
      )}
      <ol className={classes['events']} aria-label="Events" start={from + 1}>
        {shown.map((event, place) => (
          <EventRow
            key={from + place}
            event={event}
            hasLargestGap={from + place === largest && events.length > 2}
          />
        ))}
      </ol>
    </Stack>
  );
}

interface PagesProps {
  /** Index of the first event that is shown. */
  readonly from: number;
  readonly onFrom: (from: number) => void;
  readonly count: number;
  /** Index of the event with the largest gap. */
  readonly largest: number | null;
}

/** Chooses the events that are shown. */
function Pages({ from, onFrom, count, largest }: PagesProps) {
  const targets = [
    { label: 'Earlier', to: from - PAGE, isPossible: from > 0 },
    { label: 'Later', to: from + PAGE, isPossible: from + PAGE < count },
    { label: 'Latest', to: count - PAGE, isPossible: from + PAGE < count },
    { label: 'Largest gap', to: (largest ?? 0) - BEFORE, isPossible: largest !== null },
  ];
  return (
    <Group gap="xs">
      {targets.map(({ label, to, isPossible }) => (
        <Button
          key={label}
          variant="default"
          size="compact-xs"
          disabled={!isPossible}
          onClick={() => onFrom(Math.max(0, to))}
        >
          {label}
        </Button>
      ))}
      <Text size="xs" c="dimmed" role="status" data-figures>
        {formatCount(from + 1)} to {formatCount(Math.min(from + PAGE, count))} of{' '}
        {formatCount(count)}
      </Text>
    </Group>
  );
}

function describeEvents(events: readonly TimedEvent[], largest: number | null): string {
  const count = pluralize(events.length, 'event');
  const gap = largest === null ? null : (events[largest]?.gap ?? null);
  return gap === null
    ? `${count}.`
    : `${count}. The largest gap is ${formatDuration(gap)}. Times are from the start of the exchange.`;
}

const MAX_LINE = 200;

interface EventRowProps {
  readonly event: TimedEvent;
  readonly hasLargestGap: boolean;
}

const EventRow = memo(
  function EventRow({ event, hasLargestGap }: EventRowProps) {
    const id = useId();
    const [opened, setOpened] = useState(false);
    const { at, gap, data, kind } = event;
    return (
      <li className={classes['event']} data-largest={hasLargestGap || undefined}>
        <UnstyledButton
          className={classes['eventHead'] ?? ''}
          aria-expanded={opened}
          aria-controls={id}
          onClick={() => setOpened(!opened)}
        >
          <span className={classes['time']}>{at === null ? '–' : formatDuration(at)}</span>
          <span className={classes['gap']}>{gap === null ? '' : `+${formatDuration(gap)}`}</span>
          <span className={classes['eventName']}>
            {nameEvent(event)}
            {kind === 'cut' && ' (incomplete)'}
          </span>
          {hasLargestGap && (
            <Text span inherit fw={600} c="var(--gate-warn)">
              largest gap
            </Text>
          )}
          <span className={classes['line']}>{data.slice(0, MAX_LINE)}</span>
        </UnstyledButton>
        <div id={id} hidden={!opened}>
          {opened && <PlainText text={formatArguments(data)} />}
        </div>
      </li>
    );
  },
  (before, now) =>
    before.hasLargestGap === now.hasLargestGap &&
    before.event.data === now.event.data &&
    before.event.at === now.event.at &&
    before.event.gap === now.event.gap &&
    before.event.kind === now.event.kind,
);
