import { Group } from '@mantine/core';
import type { VideoJob } from '../../../../shared/video.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Part } from '../../../parts/part.tsx';
import { promptOf } from '../../../parts/video-words.ts';
import { Thumbnail } from '../thumbnail.tsx';
import classes from './detail.module.css';

/** What was asked for: the words, whole, and the image. */
export function Prompt({ job }: { readonly job: VideoJob }) {
  const { image, request } = job;
  return (
    <Part
      title={
        <span className={classes['titled']}>
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
        <p className={classes['prompt']}>{promptOf(job)}</p>
      </Group>
    </Part>
  );
}
