import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Disconnected, UndoneFile } from '../../../../shared/connect/connection.ts';
import { useCalls } from '../../../api/client.ts';
import { FileChanges } from '../../../client-setup/connect/file-changes.tsx';
import { Notes } from '../../../client-setup/connect/notes.tsx';
import type { ConnectedProgram } from '../../../client-setup/connect/use-programs.ts';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { toMessage } from '../../../format/errors.ts';
import classes from './connect.module.css';

interface DisconnectDialogProps {
  readonly program: ConnectedProgram;
  readonly onClose: () => void;
}

/** Shows what undoing a connection changes, undoes it, and shows what became of each file. */
export function DisconnectDialog({ program, onClose }: DisconnectDialogProps) {
  const calls = useCalls();
  const queries = useQueryClient();
  const disconnect = useMutation(
    calls.connections.disconnect.mutationOptions({
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: calls.clients.key() }),
          queries.invalidateQueries({ queryKey: calls.connections.list.key() }),
        ]),
    }),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Disconnect ${program.name}`}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {disconnect.data === undefined ? (
        <Question
          program={program}
          error={disconnect.error}
          isPending={disconnect.isPending}
          onConfirm={(token) => disconnect.mutate({ program: program.id, token })}
          onClose={onClose}
        />
      ) : (
        <Result program={program} result={disconnect.data} onClose={onClose} />
      )}
    </Modal>
  );
}

interface QuestionProps extends DisconnectDialogProps {
  readonly error: Error | null;
  readonly isPending: boolean;
  /** `token`: that of the preview that was shown. */
  readonly onConfirm: (token: string) => void;
}

function Question({ program, error, isPending, onConfirm, onClose }: QuestionProps) {
  const preview = useQuery(
    useCalls().connections.previewUndo.queryOptions({
      input: { program: program.id },
      staleTime: 0,
      gcTime: 0,
    }),
  );
  const { data } = preview;
  return (
    <Stack gap="md">
      <Text size="sm">
        The settings of {program.name} are put back, and the local key of this connection ends.
        Requests in progress finish. The client “{program.connection.client.name}” stays, with its
        history and its limits.
      </Text>
      {error !== null && (
        <Alert color="red" icon={<IconAlertTriangle />} title="It was not undone." role="alert">
          {toMessage(error)}
        </Alert>
      )}
      {preview.error !== null && (
        <ErrorState
          title="Could not compute the change."
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      )}
      {data === undefined && preview.error === null && <Skeleton h={160} />}
      {data !== undefined && (
        <>
          <FileChanges files={data.files} />
          <Notes label="What stays" notes={data.notes} />
        </>
      )}
      <DialogFooter>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            color="red.9"
            disabled={data === undefined}
            loading={isPending}
            onClick={() => data !== undefined && onConfirm(data.token)}
          >
            Disconnect
          </Button>
        </Group>
      </DialogFooter>
    </Stack>
  );
}

const RESULTS: Readonly<Record<UndoneFile['result'], string>> = {
  restored: 'as it was before',
  edited: 'without the settings for Gatehouse; later changes stay',
  deleted: 'deleted, as it did not exist before',
  gone: 'somebody has deleted it already',
  unreadable: 'left as it is',
};

interface ResultProps extends DisconnectDialogProps {
  readonly result: Disconnected;
}

function Result({ program: { name }, result: { files, complete }, onClose }: ResultProps) {
  return (
    <Stack gap="md">
      <div role="status">
        <Text size="sm" mb="sm">
          {complete
            ? `${name} is disconnected. Restart it if it is running.`
            : `Not everything was undone. Correct the files below, then disconnect ${name} again on the page of its client.`}
        </Text>
        <ul className={classes['paths']} aria-label="Files">
          {files.map(({ path, result, left }) => (
            <li key={path}>
              <code>{path}</code>{' '}
              <span
                className={classes['state']}
                data-warn={result === 'unreadable' ? true : undefined}
              >
                {RESULTS[result]}
              </span>
              <Notes label={`What stays in ${path}`} notes={left} />
            </li>
          ))}
        </ul>
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
