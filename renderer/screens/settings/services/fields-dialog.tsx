import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { UpstreamId } from '../../../../shared/upstream.ts';
import {
  EMPTY_FIELD_MAP,
  type FieldMap,
  OPENAI_FIELD_MAP,
} from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { FieldsForm, toFieldsForm, toFieldMap } from './fields-form.ts';
import { StatusWords } from './status-words.tsx';

interface FieldsDialogProps {
  readonly id: UpstreamId;
  readonly name: string;
  readonly map: FieldMap;
  readonly onClose: () => void;
}

const PLACES = [
  { field: 'fileUrl', label: 'Address of a file', about: 'In the answer to an upload.' },
  { field: 'taskId', label: 'Id of a task', about: 'In the answer to an order.' },
  { field: 'reason', label: 'Reason for a failure', about: 'In the state of a task.' },
  { field: 'progress', label: 'Progress', about: 'In the state of a task.' },
  { field: 'cost', label: 'Cost', about: 'In the state of a task.' },
] as const;

/**
 * Edits the field map of one service: which fields of its responses videos need. It can be changed, deleted, or set by a
 * preset.
 */
export function FieldsDialog({ id, name, map, onClose }: FieldsDialogProps) {
  const form = useForm<FieldsForm>({
    initialValues: toFieldsForm(map),
    validate: schemaResolver(FieldsForm, { sync: true }),
  });
  const save = useMutation(
    useCalls().videos.fields.set.mutationOptions({
      onSuccess: () => {
        toastSuccess(`The fields of ${name} were saved.`);
        onClose();
      },
      onError: (error) => toastError('Could not save the fields.', error),
    }),
  );
  return (
    <Modal opened onClose={onClose} title={`Fields of ${name}`} size="lg">
      <form
        onSubmit={form.onSubmit((values) => save.mutate({ id, map: toFieldMap(values) }))}
        noValidate
      >
        <Stack gap="md">
          <Text size="sm">
            Paths look like /data/0/url. Fields left empty are detected automatically, or you are
            asked once.
          </Text>
          <Places form={form} />
          <StatusWords form={form} />
          <FieldsFooter form={form} busy={save.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

type Form = UseFormReturnType<FieldsForm>;

function Places({ form }: { readonly form: Form }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {PLACES.map(({ field, label, about }) => (
        <TextInput
          key={field}
          label={label}
          description={about}
          placeholder="not known"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps(field)}
        />
      ))}
    </SimpleGrid>
  );
}

interface FootProps {
  readonly form: Form;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** The presets and the buttons of the dialog. */
function FieldsFooter({ form, busy, onCancel }: FootProps) {
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          onClick={() => form.setValues(toFieldsForm(OPENAI_FIELD_MAP))}
        >
          OpenAI video convention
        </Button>
        <Button
          variant="default"
          size="xs"
          onClick={() => form.setValues(toFieldsForm(EMPTY_FIELD_MAP))}
        >
          Forget all
        </Button>
      </Group>
      <Group gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          Save
        </Button>
      </Group>
    </Group>
  );
}
