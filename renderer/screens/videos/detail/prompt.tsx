import { Group } from '@mantine/core';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { shortPrompt } from '../../../format/video-state.ts';
import { Thumbnail } from '../thumbnail.tsx';
import classes from './detail.module.css';

/** Shows the full prompt and the reference image. */
export function Prompt({ job }: { readonly job: VideoJob }) {
  const { image, request } = job;
  return (
    <DetailSection
      title={
        <span className={classes['withButton']}>
          Prompt
          {request.prompt !== null && <CopyButton value={request.prompt} what="the prompt" />}
        </span>
      }
    >
      <Group gap="sm" wrap="nowrap" align="flex-start">
        {image !== null && (
          <div className={classes['reference']}>
            <Thumbnail job={{ id: job.id, image, file: null }} />
          </div>
        )}
        <p className={classes['prompt']}>{shortPrompt(job)}</p>
      </Group>
    </DetailSection>
  );
}
