import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ConfirmDialogProps {
  readonly opened: boolean;
  /** The question: "Delete all exchanges?" */
  readonly title: string;
  /** The consequences, and whether they can be undone. */
  readonly children: ReactNode;
  /** Label of the confirming button: "Delete 120 exchanges". */
  readonly action: string;
  /** Label of the cancelling button; "Cancel" unless the question itself is about cancelling. */
  readonly cancel?: string;
  /** Whether the action loses nothing, so that its button is not red. */
  readonly harmless?: boolean;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation of an action that cannot be undone. The cancelling button has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, busy, onConfirm, cancel = 'Cancel', harmless, ...modal } = props;
  return (
    <Modal {...modal} title={title}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={modal.onClose} data-autofocus>
          {cancel}
        </Button>
        <Button {...(harmless !== true && { color: 'red.9' })} onClick={onConfirm} loading={busy}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
