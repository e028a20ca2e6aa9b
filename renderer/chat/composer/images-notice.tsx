import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useIsFree } from '../../hooks/use-is-free.ts';

interface ImagesNoticeProps {
  /** The models that are not listed as accepting images. */
  readonly models: readonly string[];
  readonly onAnyway: () => void;
  readonly onLeaveOut: () => void;
}

/** Explains why the images of a draft are held back, with buttons to send or remove them. */
export function ImagesNotice({ models, onAnyway, onLeaveOut }: ImagesNoticeProps) {
  const isSandbox = useIsFree();
  return (
    <Alert color="orange" icon={<IconEyeOff />} py={8} role="status">
      <Text size="sm">
        No image support is listed for{' '}
        {models.map((id, index) => (
          <Fragment key={id}>
            {index > 0 && ' or '}
            <Code>{id}</Code>
          </Fragment>
        ))}
        . If sent anyway, the images may be refused or ignored
        {isSandbox ? '' : ', and still be charged'}.
      </Text>
      <Group gap="xs" mt={6}>
        <Button size="compact-xs" variant="default" onClick={onAnyway}>
          Send images anyway
        </Button>
        <Button size="compact-xs" variant="default" onClick={onLeaveOut}>
          Remove the images
        </Button>
      </Group>
    </Alert>
  );
}
