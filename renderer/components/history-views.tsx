import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';

const VIEWS = [
  { value: '/history', label: 'Requests' },
  { value: '/history/runs', label: 'Runs' },
] as const;

/** Switches between the two views of the history. */
export function HistoryViews({ value }: { readonly value: (typeof VIEWS)[number]['value'] }) {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label="View of the history"
      data={[...VIEWS]}
      value={value}
      onChange={(chosen) =>
        void navigate({ to: chosen === '/history/runs' ? '/history/runs' : '/history' })
      }
    />
  );
}
