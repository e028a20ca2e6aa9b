import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { SavedFilterName } from '../../../../shared/saved-filter.ts';
import { toMessage } from '../../../format/errors.ts';

interface NameDialogProps {
  readonly title: string;
  readonly description: string | undefined;
  readonly initial: string;
  /** Rejects with what is wrong with the name. */
  readonly onSubmit: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the name of a saved filter. */
export function NameDialog({ title, description, initial, onSubmit, onClose }: NameDialogProps) {
  const [name, setName] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const submit = async (): Promise<void> => {
    const read = SavedFilterName.safeParse(name);
    if (!read.success) {
      setProblem(read.error.issues[0]?.message ?? null);
      return;
    }
    setSending(true);
    try {
      await onSubmit(read.data);
    } catch (error) {
      setProblem(toMessage(error));
      setSending(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            description={description}
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
            <Button type="submit" loading={isSending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
