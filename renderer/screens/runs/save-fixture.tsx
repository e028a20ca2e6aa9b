import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { pluralize } from '../../../shared/format.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import type { FixtureChunk } from '../../../shared/run/run.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { downloadBlob, TextFileBuilder } from '../../hooks/text-file-builder.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';

/** Saves a run as a fixture, which the sandbox plays. */
export function SaveFixture({ id }: { readonly id: RunId }) {
  const { isSaving, save } = useSaveFixture(id);
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isSaving}
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={() => void save()}
    >
      Save as a fixture
    </Button>
  );
}

/** Leaving the page stops it. */
function useSaveFixture(id: RunId) {
  const calls = useCalls();
  const [isSaving, setIsSaving] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (): Promise<void> => {
    const { signal } = (running.current = new AbortController());
    setIsSaving(true);
    try {
      const { blob, last } = await collect(calls, id, signal);
      downloadBlob(blob, `${id}.fixture.json`);
      toastSuccess(describe(last));
    } catch (error) {
      if (!signal.aborted) toastError('Could not save the fixture.', error);
    } finally {
      setIsSaving(false);
    }
  };
  return { isSaving, save };
}

async function collect(calls: Calls, id: RunId, signal: AbortSignal) {
  const text = new TextFileBuilder('application/json');
  let last: FixtureChunk | null = null;
  for await (const chunk of await calls.history.fixture.call({ id }, { signal })) {
    text.add(chunk.text);
    last = chunk;
  }
  // An aborted stream may end as if it were complete.
  signal.throwIfAborted();
  return { blob: text.blob(), last };
}

function describe(chunk: FixtureChunk | null): string {
  const { steps = 0, skipped = 0, masked = 0 } = chunk ?? {};
  return [
    `Saved ${pluralize(steps, 'step')}.`,
    skipped > 0 ? `${pluralize(skipped, 'step')} left out, whose response is not kept whole.` : '',
    masked > 0 ? `${pluralize(masked, 'secret')} in it masked.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
