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
    <Alert color="orange" icon={<IconLock />} title="The key could not be kept" role="alert">
      <Text size="sm">{sentence}</Text>
      <Text size="sm" mt={4}>
        Try again when there is a keychain and it is unlocked. Or keep the key in a file: it is
        plain text, and every program that you run can read it.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={onRetry}>
          Try the keychain again
        </Button>
        <Button size="xs" variant="default" onClick={onFile}>
          Keep it in a plain-text file
        </Button>
      </Group>
    </Alert>
  );
}
