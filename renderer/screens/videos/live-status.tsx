import { Text } from '@mantine/core';
import type { VideoJob } from '../../../shared/video/video.ts';
import { useNow } from '../../hooks/use-now.ts';
import { describeLive } from './describe-video.ts';

/** Shows a video's activity, updated every second. */
export function LiveStatus({ job }: { readonly job: VideoJob }) {
  const isStill = describeLive(job, 0).length === 0;
  return isStill ? null : <Ticking job={job} />;
}

function Ticking({ job }: { readonly job: VideoJob }) {
  const parts = describeLive(job, useNow());
  return (
    // Passing time is not announced: live regions around it stay silent.
    <Text size="xs" c="dimmed" mt={2} aria-live="off" data-figures>
      {parts.join(', ')}
    </Text>
  );
}
