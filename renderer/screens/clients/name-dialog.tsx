import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { z } from 'zod';
import { ClientName } from '../../../shared/client.ts';
import { errorField, toMessage } from '../../format/errors.ts';
import { toastError } from '../../hooks/toast.ts';

const Form = z.object({ name: ClientName });

interface NameDialogProps {
  readonly title: string;
  readonly about?: string;
  readonly name: string;
  /** Label of the submit button. */
  readonly action: string;
  readonly pending: boolean;
  /** Rejects with the reason why the name is refused. */
  readonly onName: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the name of a client. A refused name is explained at the field. */
export function NameDialog(dialog: NameDialogProps) {
  const { title, about, action, pending, onName, onClose } = dialog;
  const form = useForm({
    initialValues: { name: dialog.name },
    validate: schemaResolver(Form, { sync: true }),
  });
  const submit = form.onSubmit(async ({ name }) => {
    try {
      await onName(name);
    } catch (error) {
      if (errorField(error) === 'name') form.setFieldError('name', toMessage(error));
      else toastError(`Could not save “${name}”.`, error);
    }
  });
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {about !== undefined && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
          <TextInput
            label="Name"
            placeholder="Cline on my laptop"
            data-autofocus
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={pending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
