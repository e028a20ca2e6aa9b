import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_USAGE_EXPORT } from '../../../../shared/reconcile/reconcile-contract.ts';
import { formatBytes } from '../../../../shared/format.ts';
import { type Calls, useCalls } from '../../../api/client.ts';
import { readFileChunks } from '../../../api/file-chunks.ts';
import { toMessage } from '../../../format/errors.ts';
import classes from './reconcile.module.css';

/** A file that was sent, and its name. */
interface SentFile {
  readonly upload: string;
  readonly file: string;
}

interface ExportFileProps {
  /** The file that is compared now; `null` for none. */
  readonly upload: string | null;
  readonly name: string | null;
  readonly onSent: (sent: SentFile) => void;
}

/** Takes an export by drop or file dialog, and sends it to the engine. */
export function ExportFile({ upload, name, onSent }: ExportFileProps) {
  const calls = useCalls();
  const [progress, setProgress] = useState(0);
  const [refusal, setRefusal] = useState<string | null>(null);
  const send = useMutation({
    mutationFn: async (file: File) => {
      setProgress(0);
      const sent = await sendFile(calls, file, setProgress);
      if (upload !== null) void calls.usage.reconcile.forget.call({ upload }).catch(() => null);
      return sent;
    },
    onSuccess: onSent,
  });
  const choose = (file: File | undefined): void => {
    const fault = file === undefined ? 'Choose one file.' : findFault(file);
    setRefusal(fault);
    send.reset();
    if (file !== undefined && fault === null) send.mutate(file);
  };
  const problem = refusal ?? (send.error === null ? null : toMessage(send.error));
  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={([file]) => choose(file)}
        onReject={([rejected]) => choose(rejected?.file)}
        multiple={false}
        disabled={send.isPending}
        className={classes['drop'] ?? ''}
        inputProps={{ 'aria-label': 'Usage export' }}
        aria-label="Drop or choose the usage export of your service"
      >
        <Group gap="sm" wrap="nowrap" justify="center">
          <IconFileUpload size={26} stroke={1.4} aria-hidden />
          <div>
            <Text size="sm" fw={500}>
              {name === null || upload === null
                ? 'Drop the usage export of your service here, or click to choose it'
                : name}
            </Text>
            <Text size="xs" c="dimmed">
              {upload === null
                ? 'CSV, JSON or JSON lines, up to 64 MiB, from the pages of your account there. It stays on this machine.'
                : 'Drop another file here, or click to choose one.'}
            </Text>
          </div>
        </Group>
      </Dropzone>
      {send.isPending && <Progress value={progress * 100} size={4} aria-label="Reading the file" />}
      {problem !== null && (
        <Alert color="red" role="alert" title="Could not take the file.">
          <Text size="sm">{problem}</Text>
        </Alert>
      )}
    </Stack>
  );
}

function findFault({ size }: File): string | null {
  if (size === 0) return 'The file is empty.';
  if (size <= MAX_USAGE_EXPORT) return null;
  return `It is ${formatBytes(size)}; a usage export has at most 64 MiB. Choose a shorter period at your service, or use the command “gatehouse usage reconcile”.`;
}

async function sendFile(
  calls: Calls,
  file: File,
  onProgress: (progress: number) => void,
): Promise<SentFile> {
  const { begin, append } = calls.usage.reconcile;
  const { upload } = await begin.call({ bytes: file.size });
  for await (const { base64, progress } of readFileChunks(file)) {
    await append.call({ upload, base64 });
    onProgress(progress);
  }
  return { upload, file: file.name.slice(0, 255) };
}
