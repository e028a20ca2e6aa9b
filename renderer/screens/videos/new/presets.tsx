import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmark, IconChevronDown, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { VideoPreset } from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { toMessage } from '../../../format/errors.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { toPresetValues, type VideoForm, toNewVideo } from './form.ts';

type Form = UseFormReturnType<VideoForm>;

/** Saves and applies named presets of the settings. */
export function Presets({ form }: { readonly form: Form }) {
  const calls = useCalls();
  const { data: presets = [] } = useQuery(calls.videos.presets.list.queryOptions());
  const [saving, dialog] = useDisclosure(false);
  const refresh = useRefresh();
  const remove = useMutation(
    calls.videos.presets.remove.mutationOptions({
      onSuccess: (_, { name }) => {
        toastSuccess(`The preset “${name}” was removed.`);
        void refresh();
      },
      onError: (error) => toastError('Could not remove the preset.', error),
    }),
  );
  const save = (): void => {
    const bad = ['model', 'task', 'seconds', 'resolution', 'more'].some(
      (field) => form.validateField(field).hasError,
    );
    if (!bad) dialog.open();
  };
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button size="compact-xs" variant="default" rightSection={<IconChevronDown size={13} />}>
            Presets
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {presets.map((preset) => (
            <Group key={preset.name} gap={2} wrap="nowrap">
              <Menu.Item flex={1} onClick={() => form.setValues(toPresetValues(preset))}>
                {preset.name}
              </Menu.Item>
              <Menu.Item
                w={36}
                c="dimmed"
                aria-label={`Remove the preset ${preset.name}`}
                onClick={() => remove.mutate({ name: preset.name })}
              >
                <IconTrash size={14} />
              </Menu.Item>
            </Group>
          ))}
          {presets.length > 0 && <Menu.Divider />}
          <Menu.Item leftSection={<IconBookmark size={15} />} onClick={save}>
            Save these settings…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {saving && <SaveDialog form={form} onClose={dialog.close} />}
    </>
  );
}

function useRefresh(): () => Promise<void> {
  const calls = useCalls();
  const queries = useQueryClient();
  return async () => await queries.invalidateQueries({ queryKey: calls.videos.presets.list.key() });
}

interface SaveDialogProps {
  readonly form: Form;
  readonly onClose: () => void;
}

function SaveDialog({ form, onClose }: SaveDialogProps) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const refresh = useRefresh();
  const save = useMutation(
    useCalls().videos.presets.save.mutationOptions({
      onSuccess: (_, preset) => {
        toastSuccess(`Saved as “${preset.name}”.`);
        void refresh();
        onClose();
      },
      onError: (error) => setProblem(toMessage(error)),
    }),
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    const { prompt: _, ...values } = form.getValues();
    const {
      image: __,
      waitMinutes: ___,
      prompt: ____,
      ...request
    } = toNewVideo({ ...values, prompt: 'none' }, null);
    const read = VideoPreset.safeParse({ name, request });
    if (read.success) save.mutate(read.data);
    else setProblem(read.error.issues[0]?.message ?? 'Could not save the preset.');
  };
  return (
    <Modal opened onClose={onClose} title="Save these settings">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Saves the model, task, length, resolution and more fields. A preset of the same name is replaced."
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setProblem(null);
            }}
            error={problem}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
