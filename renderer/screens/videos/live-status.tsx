import { Text } from '@mantine/core';
import type { VideoJob } from '../../../shared/video.ts';
import { useNow } from './use-now.ts';
import { describeLive } from './describe-video.ts';

/** What goes on with a video at this moment, kept true by the second. */
export function LiveStatus({ job }: { readonly job: VideoJob }) {
  const isStill = describeLive(job, 0).length === 0;
  return isStill ? null : <Ticking job={job} />;
}

function Ticking({ job }: { readonly job: VideoJob }) {
  const pieces = describeLive(job, useNow());
  return (
    // Time that goes by is no news: live regions around it stay silent.
    <Text size="xs" c="dimmed" mt={2} aria-live="off" data-figures>
      {pieces.join(', ')}
    </Text>
  );
}
