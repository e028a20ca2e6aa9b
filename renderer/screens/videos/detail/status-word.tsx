import { Alert, Button, Group, Text } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { useVideoAction } from '../use-video-action.ts';

interface StatusWordProps {
  readonly job: VideoJob;
  readonly word: string;
}

/** Asks for the meaning of an unknown status word. Polling continues until it is answered. */
export function NewStatusWord({ job, word }: StatusWordProps) {
  const { act, doing } = useVideoAction(job.id);
  const busy = doing === 'explain-word';
  return (
    <Alert
      color="gray"
      icon={<IconHelpCircle />}
      title={`The service says “${word.slice(0, 200)}”. What does it mean?`}
    >
      <Text size="sm">
        Gatehouse does not know this word. Until you choose, this one counts as “still working”.
        Your choice is remembered for {job.service.name}.
      </Text>
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          variant="default"
          disabled={busy}
          onClick={() => act({ type: 'explain-word', meaning: 'working' })}
        >
          Still working
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={busy}
          onClick={() => act({ type: 'explain-word', meaning: 'failed' })}
        >
          It failed
        </Button>
      </Group>
    </Alert>
  );
}

/** Undoes the decision that a status word means failure. */
export function MisreadStatus({ job, word }: StatusWordProps) {
  const { act, doing } = useVideoAction(job.id);
  return (
    <Text size="xs" c="dimmed" component="div">
      It counts as failed because the service says “{word.slice(0, 200)}”
      {job.wordIsNew ? ' and gives a reason' : ''}.{' '}
      <Button
        size="compact-xs"
        variant="default"
        loading={doing === 'explain-word'}
        onClick={() => act({ type: 'explain-word', meaning: 'working' })}
      >
        That means still working
      </Button>
    </Text>
  );
}
