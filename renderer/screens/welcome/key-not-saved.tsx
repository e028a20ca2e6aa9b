import { Alert, Button, Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';

interface KeyNotSavedProps {
  /** The cause as text. */
  readonly sentence: string;
  readonly onRetry: () => void;
  readonly onFile: () => void;
}

/** Explains that the keychain did not save the key: try again, or choose a plain text file. */
export function KeyNotSaved({ sentence, onRetry, onFile }: KeyNotSavedProps) {
  return (
    <Alert color="orange" icon={<IconLock />} title="Could not save the key" role="alert">
      <Text size="sm">{sentence}</Text>
      <Text size="sm" mt={4}>
        Unlock the keychain and try again, or store the key in a plain-text file, which every
        program that you run can read.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={onRetry}>
          Try the keychain again
        </Button>
        <Button size="xs" variant="default" onClick={onFile}>
          Store it in a plain-text file
        </Button>
      </Group>
    </Alert>
  );
}
