import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { z } from 'zod';
import { type ConversationId, ConversationTitle } from '../../../../shared/chat/chat.ts';
import { useRestoreFocus } from '../../../hooks/keyboard/open-dialog.ts';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastError } from '../../../hooks/toast.ts';
import { useRename } from './use-rename.ts';

const Form = z.object({ title: ConversationTitle });

interface TitleDialogProps {
  readonly id: ConversationId;
  readonly title: string;
  readonly onClose: () => void;
}

/** Asks for the title of a conversation. */
export function TitleDialog({ id, title, onClose }: TitleDialogProps) {
  useRestoreFocus();
  const form = useForm({
    initialValues: { title },
    validate: schemaResolver(Form, { sync: true }),
  });
  const { rename, pending } = useRename(id);
  const submit = form.onSubmit(async (values) => {
    try {
      await rename(values.title);
      onClose();
    } catch (error) {
      if (errorField(error) === 'title') form.setFieldError('title', toMessage(error));
      else toastError('Could not rename the conversation.', error);
    }
  });
  return (
    <Modal opened onClose={onClose} title="Rename the conversation">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            data-autofocus
            autoComplete="off"
            {...form.getInputProps('title')}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={pending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
