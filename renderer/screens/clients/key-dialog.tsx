import { Alert, Button, Divider, Group, Modal, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import type { NewClient } from '../../../shared/client.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { DialogFooter } from '../../components/dialog-footer.tsx';
import { guessTool, ToolSettings } from '../../client-setup/tool-settings.tsx';

interface KeyDialogProps {
  readonly made: NewClient;
  /** Guessed from the client's name where it is not known. */
  readonly tool?: ClientTool | undefined;
  /** The model that the person came with. */
  readonly model?: string | undefined;
  readonly onClose: () => void;
}

/**
 * Shows a new local key, which is visible only once, with the settings of its tool. Closing without copying asks for
 * confirmation.
 */
export function KeyDialog({ made, tool, model, onClose }: KeyDialogProps) {
  const [leaving, setLeaving] = useState(false);
  const { client, key } = made;
  return (
    <Modal
      opened
      onClose={() => setLeaving(true)}
      closeOnClickOutside={false}
      title={`The local key of ${client.name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <CopyField value={key} what="the local key" />
        <Text size="sm" c="dimmed">
          Shown only once: Gatehouse stores only a fingerprint of it. It works on this machine only.
        </Text>
        <Divider />
        <ToolSettings tool={tool ?? guessTool(client.name)} localKey={key} model={model} />
        <DialogFooter>
          {leaving ? (
            <ConfirmLeave onStay={() => setLeaving(false)} onLeave={onClose} />
          ) : (
            <Group justify="flex-end">
              <Button onClick={onClose}>I have copied the key</Button>
            </Group>
          )}
        </DialogFooter>
      </Stack>
    </Modal>
  );
}

interface LeaveProps {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

function ConfirmLeave({ onStay, onLeave }: LeaveProps) {
  return (
    <Alert color="orange" icon={<IconKey />} title="The key will not be shown again" role="alert">
      <Text size="sm">If you have not copied it, you need to create a new one.</Text>
      <Group gap="xs" mt="xs" p={4} mx={-4}>
        <Button size="xs" onClick={onStay} autoFocus>
          Keep it open
        </Button>
        <Button size="xs" variant="default" onClick={onLeave}>
          Close
        </Button>
      </Group>
    </Alert>
  );
}
