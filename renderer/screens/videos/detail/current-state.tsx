import { Group, Progress, Text } from '@mantine/core';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { videoStateLabel } from '../../../format/video-state.ts';
import { useIsPaused } from '../../../hooks/use-pause-state.ts';
import { RefusingLimit } from '../../../components/limit-dialog/refusing-limit.tsx';
import { LiveStatus } from '../live-status.tsx';
import { StateBadge } from '../state-badge.tsx';
import { describeSentCharge } from '../describe-video.ts';
import { isUnpriced } from '../../../../shared/video/describe-charge.ts';
import { toOrderFacts } from '../../../../shared/video/order-facts.ts';
import { SetPriceLink } from '../../../components/cost.tsx';
import { useCurrency } from '../../../hooks/use-currency.ts';
import classes from './detail.module.css';

/** Shows the state of the video, its meaning, and any error. */
export function CurrentState({ job }: { readonly job: VideoJob }) {
  const { state, progress, problem, reason } = job;
  const { about } = videoStateLabel(job, useIsPaused());
  const charge = describeSentCharge(job, useCurrency());
  const moves = (state === 'rendering' || state === 'downloading') && progress !== null;
  return (
    <section aria-label="State">
      <Group gap={8} role="status">
        <StateBadge job={job} />
        {charge !== null && (
          <Text span size="sm" data-figures>
            {charge}
            {isUnpriced(job) && (
              <SetPriceLink model={toOrderFacts(job.request).model} service={job.service.address} />
            )}
          </Text>
        )}
      </Group>
      <Text size="sm" mt={6}>
        {about}
      </Text>
      <LiveStatus job={job} />
      {moves && (
        <Progress
          value={progress * 100}
          mt={6}
          aria-label={state === 'rendering' ? 'Rendered' : 'Downloaded'}
        />
      )}
      {problem !== null && state !== 'unsure' && <p className={classes['problem']}>{problem}</p>}
      {problem !== null && state === 'waiting' && <RefusingLimit refusal={problem} />}
      {reason !== null && (
        <p className={classes['problem']} data-bad>
          {reason}
        </p>
      )}
    </section>
  );
}
