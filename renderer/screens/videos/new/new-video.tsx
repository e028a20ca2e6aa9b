import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { VideoId, VideoJob } from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { Page } from '../../../components/page.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { EMPTY_FORM, toFormValues, type InitialForm } from './form.ts';
import { readForm } from './form-storage.ts';
import { VideoFormPart } from './video-form.tsx';

/** The screen for a new video: empty, a copy of another one, or a saved draft. */
export function NewVideo() {
  const { from, draft } = useSearch({ from: '/videos/new' });
  const other = draft ?? from;
  return (
    <Page
      title={draft === undefined ? 'New video' : 'Draft of a video'}
      about={
        <ScreenLink to="/videos" size="sm">
          All videos
        </ScreenLink>
      }
    >
      {other === undefined ? (
        <VideoFormPart begin={initialForm(null, null)} />
      ) : (
        <CopiedVideo key={other} id={other} isDraft={draft !== undefined} />
      )}
    </Page>
  );
}

/** Input from before a reload takes precedence over the initial values. */
function initialForm(job: VideoJob | null, draft: VideoId | null): InitialForm {
  const key = `gatehouse-new-video${job === null ? '' : `-${job.id}`}`;
  const stored = readForm(key);
  return {
    key,
    draft,
    values: stored?.values ?? (job === null ? EMPTY_FORM : toFormValues(job)),
    images: stored?.images ?? (job?.image ? [job.image] : []),
  };
}

function CopiedVideo({ id, isDraft }: { readonly id: VideoId; readonly isDraft: boolean }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(
    useCalls().videos.get.queryOptions({ input: { id } }),
  );
  if (data !== undefined && !isPlaceholderData) {
    const { job } = data;
    const draft = isDraft && job.state === 'draft' ? id : null;
    return <VideoFormPart begin={initialForm(job, draft)} />;
  }
  return error === null ? (
    <Skeleton h={420} role="group" aria-busy aria-label="Loading the video" />
  ) : (
    <ErrorState
      title="Could not load the video to copy."
      error={error}
      onRetry={() => void refetch()}
    />
  );
}
