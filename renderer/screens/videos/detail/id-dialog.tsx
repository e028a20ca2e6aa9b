import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { z } from 'zod';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { toMessage } from '../../../format/errors.ts';
import { useVideoAction } from '../use-video-action.ts';

const Form = z.object({
  taskId: z
    .string()
    .trim()
    .min(1, 'Paste the id of the task.')
    .max(512, 'An id has at most 512 characters.'),
});

interface IdDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly job: VideoJob;
}

/** Asks for the task id that an order received. */
export function IdDialog({ opened, onClose, job }: IdDialogProps) {
  const { attempt, doing } = useVideoAction(job.id);
  const form = useForm({
    initialValues: { taskId: '' },
    validate: schemaResolver(Form, { sync: true }),
  });
  const submit = form.onSubmit(async ({ taskId }) => {
    try {
      await attempt({ type: 'give-id', taskId: taskId.trim() });
      onClose();
    } catch (error) {
      form.setFieldError('taskId', toMessage(error));
    }
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Task id">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm">
            Gatehouse checks this task at {job.service.name} from now on. Checking is free, and
            nothing is ordered.
          </Text>
          <TextInput
            label="Id"
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('taskId')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={doing === 'give-id'}>
              Use this id
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
