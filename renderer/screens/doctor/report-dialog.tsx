import { Button, CopyButton, Group, Modal, ScrollArea, Skeleton, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
import { downloadBlob } from '../../hooks/text-file-builder.ts';
import classes from './doctor.module.css';

interface ReportDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Shows the report for a bug before it is copied or saved. */
export function ReportDialog({ opened, onClose }: ReportDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Report for a bug" size="xl">
      <Report />
    </Modal>
  );
}

function Report() {
  const report = useQuery(useCalls().doctor.report.queryOptions({ staleTime: 0, gcTime: 0 }));
  const text = report.data;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        The findings and the state of Gatehouse, without keys and without the name of your home
        folder. Addresses of services and names of clients are in it: read it before you send it.
      </Text>
      {text === undefined && report.error !== null ? (
        <ErrorState
          title="The report could not be made."
          error={report.error}
          onRetry={() => void report.refetch()}
        />
      ) : text === undefined ? (
        <Skeleton h={320} aria-label="The report is being made" />
      ) : (
        <ScrollArea.Autosize
          mah={420}
          className={classes['report'] ?? ''}
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Text of the report' }}
        >
          <pre>{text}</pre>
        </ScrollArea.Autosize>
      )}
      <Group gap="xs" justify="flex-end">
        <CopyButton value={text ?? ''} timeout={1500}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              disabled={text === undefined}
              onClick={copy}
              leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button
          disabled={text === undefined}
          leftSection={<IconDownload size={15} />}
          onClick={() => {
            if (text !== undefined) save(text);
          }}
        >
          Download
        </Button>
      </Group>
    </Stack>
  );
}

function save(text: string): void {
  downloadBlob(new Blob([text], { type: 'text/plain' }), 'gatehouse-report.txt');
}
