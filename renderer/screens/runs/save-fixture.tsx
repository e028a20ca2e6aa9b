import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { pluralize } from '../../../shared/format.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import type { FixtureChunk } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { useSavedFile } from '../../components/export/use-saved-file.ts';

/** Saves a run as a fixture, which the sandbox plays. Leaving the page stops it. */
export function SaveFixture({ id }: { readonly id: RunId }) {
  const calls = useCalls();
  const { isSaving, save } = useSavedFile('Could not save the fixture.');
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isSaving}
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={() =>
        save({
          name: `${id}.fixture.json`,
          type: 'application/json',
          open: async (signal) => await calls.history.fixture.call({ id }, { signal }),
          describe,
        })
      }
    >
      Save as a fixture
    </Button>
  );
}

function describe(chunk: FixtureChunk | undefined): string {
  const { steps = 0, skipped = 0, masked = 0 } = chunk ?? {};
  return [
    `Saved ${pluralize(steps, 'step')}.`,
    skipped > 0 ? `${pluralize(skipped, 'step')} left out, whose response is not kept whole.` : '',
    masked > 0 ? `${pluralize(masked, 'secret')} in it masked.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
