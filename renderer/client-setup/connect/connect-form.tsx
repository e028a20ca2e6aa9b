import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import { TOOLS } from '../../../shared/client-setup/tools.ts';
import {
  COMMAND_INTRO,
  type Connected,
  type ConnectionChoice,
  type ConnectionPreview,
  type ProgramState,
} from '../../../shared/connect/connection.ts';
import { useCalls } from '../../api/client.ts';
import { DialogFooter } from '../../components/dialog-footer.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { errorField, toMessage } from '../../format/errors.ts';
import { FileChanges } from './file-changes.tsx';
import { ModelInput } from './model-input.tsx';
import { Notes } from './notes.tsx';
import { useConnectionChoice } from './use-connection-choice.ts';

interface ConnectFormProps {
  readonly program: ProgramState;
  /** The model that the person came with. */
  readonly model?: string | undefined;
  readonly onConnected: (connected: Connected) => void;
  /** Label of the button that leaves the form. */
  readonly back: string;
  readonly onBack: () => void;
  /** Called when the person rather follows the steps of a tool by hand. */
  readonly onByHand?: (tool: ClientTool) => void;
}

/** Chooses the models of a program, shows the change of its settings, and makes it. */
export function ConnectForm(props: ConnectFormProps) {
  const { program, model, onConnected, back, onBack, onByHand } = props;
  const chosen = useConnectionChoice(program, model);
  const { choice } = chosen;
  const preview = usePreview(choice);
  const connect = useConnect(onConnected, () => void preview.refetch());
  const isCurrent = preview.isSuccess && !preview.isPlaceholderData && !preview.isFetching;
  const changes = preview.data?.files.some(({ change }) => change !== 'none') === true;
  const tool = onByHand === undefined ? undefined : TOOLS.find(({ name }) => name === program.name);
  const needsFolder = errorField(preview.error) === 'project' || chosen.project !== '';
  return (
    <Stack gap="md">
      <ChoiceInputs program={program} chosen={chosen} needsFolder={needsFolder} />
      {program.checked === 'documented' && (
        <Text size="xs" c="dimmed">
          These settings are from the documentation of {program.name}; they were not tried with it.
        </Text>
      )}
      {connect.error !== null && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title="The change was not made."
          role="alert"
        >
          {toMessage(connect.error)}
        </Alert>
      )}
      <PreviewView preview={preview} hasModel={choice !== null} />
      <DialogFooter>
        <Group justify="flex-end" gap="xs">
          {tool !== undefined && (
            <Button variant="subtle" mr="auto" onClick={() => onByHand?.(tool)}>
              Set it up by hand
            </Button>
          )}
          <Button variant="default" onClick={onBack}>
            {back}
          </Button>
          <Button
            disabled={!isCurrent || !changes}
            loading={connect.isPending}
            onClick={() =>
              choice !== null && connect.mutate({ ...choice, token: preview.data?.token ?? '' })
            }
          >
            Make this change
          </Button>
        </Group>
      </DialogFooter>
    </Stack>
  );
}

interface ChoiceInputsProps {
  readonly program: ProgramState;
  readonly chosen: ReturnType<typeof useConnectionChoice>;
  /** Whether the settings of the program have no fixed place. */
  readonly needsFolder: boolean;
}

function ChoiceInputs({ program, chosen, needsFolder }: ChoiceInputsProps) {
  const { models } = chosen;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <ModelInput
          label="Model"
          placeholder="Choose a model"
          models={models}
          value={chosen.model}
          onChange={chosen.setModel}
        />
        <ModelInput
          label="Model for small tasks"
          placeholder="The same model"
          models={models}
          value={chosen.smallModel}
          onChange={chosen.setSmallModel}
          optional
        />
      </SimpleGrid>
      {needsFolder && (
        <TextInput
          label="Folder"
          description={`The folder that holds the settings of ${program.name}.`}
          autoComplete="off"
          spellCheck={false}
          onBlur={({ currentTarget }) => chosen.setProject(currentTarget.value.trim())}
        />
      )}
    </>
  );
}

interface PreviewViewProps {
  readonly preview: ReturnType<typeof usePreview>;
  readonly hasModel: boolean;
}

function PreviewView({
  preview: { data, error, refetch, isFetching },
  hasModel,
}: PreviewViewProps) {
  if (!hasModel) {
    return (
      <Text size="sm" c="dimmed">
        Choose a model to see the change.
      </Text>
    );
  }
  if (error !== null) {
    return (
      <ErrorState
        title="The settings cannot be changed."
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  return (
    <section aria-label="The change" aria-busy={isFetching}>
      {data === undefined ? <Skeleton h={160} /> : <Change preview={data} />}
    </section>
  );
}

function Change({ preview: { files, notes } }: { readonly preview: ConnectionPreview }) {
  // What a person does with a command follows the change, and is shown after it.
  const before = notes.filter((note) => !note.includes(COMMAND_INTRO));
  const isSame = files.every(({ change }) => change === 'none');
  return (
    <Stack gap="sm">
      {isSame && <Text size="sm">The files have these settings already.</Text>}
      <FileChanges files={files} />
      <Notes label="Afterwards" notes={before} />
    </Stack>
  );
}

/** Asks for the change of a choice. It is not cached: others change the files at any time. */
function usePreview(choice: ConnectionChoice | null) {
  return useQuery(
    useCalls().connections.preview.queryOptions({
      input: choice ?? skipToken,
      staleTime: 0,
      gcTime: 0,
    }),
  );
}

function useConnect(onConnected: (connected: Connected) => void, onRefused: () => void) {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.connections.connect.mutationOptions({
      onSuccess: async (connected) => {
        await Promise.all([
          queries.invalidateQueries({ queryKey: calls.clients.key() }),
          queries.invalidateQueries({ queryKey: calls.connections.list.key() }),
        ]);
        onConnected(connected);
      },
      onError: onRefused,
    }),
  );
}
