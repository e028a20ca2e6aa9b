import { Button, CopyButton, Group, ScrollArea, Skeleton, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../../api/client.ts';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import classes from './diagnostics.module.css';

/** Shows a report to paste into an issue: all of it is visible before it is copied. */
export function Diagnostics() {
  const text = useQuery(useCalls().status.diagnostics.queryOptions({ staleTime: 0 }));
  return (
    <Panel title="Diagnostics">
      <Group justify="space-between" gap="sm" mb="sm">
        <Text size="sm" c="dimmed" flex="1 1 260px">
          For bug reports: versions, states and sizes, but no keys and no names. Read it before you
          copy it.{' '}
          <ScreenLink to="/doctor" underline="always">
            Check everything
          </ScreenLink>{' '}
          finds out what is wrong.
        </Text>
        <CopyButton value={text.data ?? ''} timeout={1500}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="compact-sm"
              onClick={copy}
              disabled={text.data === undefined}
              leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
            >
              {copied ? 'Copied' : 'Copy this text'}
            </Button>
          )}
        </CopyButton>
      </Group>
      {text.isError && text.data === undefined ? (
        <ErrorState
          title="Could not load the diagnostics."
          error={text.error}
          onRetry={() => void text.refetch()}
        />
      ) : text.data === undefined ? (
        <Skeleton h={220} />
      ) : (
        <ScrollArea.Autosize
          mah={360}
          className={classes['text'] ?? ''}
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Diagnostics text' }}
        >
          <pre>{text.data}</pre>
        </ScrollArea.Autosize>
      )}
    </Panel>
  );
}
