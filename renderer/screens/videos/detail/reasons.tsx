import { Button, Stack, Text } from '@mantine/core';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { useVideoAction } from '../use-video-action.ts';
import classes from './detail.module.css';

/** Lists texts from the response of a failed job when it is not known which of them is the reason. */
export function Reasons({ job }: { readonly job: VideoJob }) {
  const { act, doing } = useVideoAction(job.id);
  return (
    <DetailSection title="Which of these says why it failed?">
      <Text size="xs" c="dimmed" mb={6}>
        Your choice is remembered for {job.service.name}.
      </Text>
      <Stack gap={8}>
        {job.reasons.map(({ pointer, value }) => (
          <div key={pointer} className={classes['ask']}>
            <p className={classes['prompt']}>{value}</p>
            <Button
              size="compact-xs"
              variant="default"
              mt={6}
              disabled={doing === 'pick-reason'}
              onClick={() => act({ type: 'pick-reason', pointer })}
              aria-label={`This is the reason: ${value.slice(0, 80)}`}
            >
              This is the reason
            </Button>
          </div>
        ))}
      </Stack>
    </DetailSection>
  );
}
