import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { VideoDetail, VideoId, VideoState } from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { DetailPane } from '../../../components/detail/detail-pane.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { isNotFoundError, toMessage } from '../../../format/errors.ts';
import { Actions } from './actions.tsx';
import { Answers } from './answers.tsx';
import { Facts } from './facts.tsx';
import { MisreadStatus, NewStatusWord } from './status-word.tsx';
import { CurrentState } from './current-state.tsx';
import { Player } from './player.tsx';
import { Prompt } from './prompt.tsx';
import { Question } from './question.tsx';
import { Reasons } from './reasons.tsx';
import { UnsureOrder } from './unsure.tsx';

interface VideoPaneProps {
  readonly id: VideoId;
  readonly onClose: () => void;
}

/** Shows everything about one video and the actions on it. */
export function VideoPane({ id, onClose }: VideoPaneProps) {
  const { data, error, refetch, isPlaceholderData } = useQuery(
    useCalls().videos.get.queryOptions({ input: { id } }),
  );
  const detail = isPlaceholderData ? undefined : data;
  const isMissing = detail === undefined && isNotFoundError(error);
  return (
    <DetailPane title={isMissing ? 'No such video' : 'Video'} onClose={onClose}>
      {detail !== undefined ? (
        <VideoSections detail={detail} onClose={onClose} />
      ) : isMissing ? (
        <Text size="sm">{toMessage(error)} Choose one from the list.</Text>
      ) : error !== null ? (
        <ErrorState
          title="Could not load this video."
          error={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <Loading />
      )}
    </DetailPane>
  );
}

/** Whether the render has ended depends on the meaning of an unknown status word. */
const ASKS_FOR_WORD: ReadonlySet<VideoState> = new Set(['rendering', 'timed-out']);

function VideoSections({
  detail: { job, answers },
  onClose,
}: {
  detail: VideoDetail;
  onClose: () => void;
}) {
  return (
    <Stack gap="md">
      {job.file !== null && <Player job={job} file={job.file} />}
      <CurrentState job={job} />
      {job.state === 'unsure' && <UnsureOrder job={job} />}
      {job.question !== null && (
        <Question key={job.question.about} job={job} question={job.question} />
      )}
      {ASKS_FOR_WORD.has(job.state) && job.wordIsNew && job.word !== null && (
        <NewStatusWord job={job} word={job.word} />
      )}
      {job.state === 'failed' && job.taskId !== null && job.word !== null && (
        <MisreadStatus job={job} word={job.word} />
      )}
      {job.state === 'failed' && job.reasons.length > 0 && <Reasons job={job} />}
      <Prompt job={job} />
      <Actions job={job} onGone={onClose} />
      <Facts job={job} />
      {answers.length > 0 ? (
        <Answers answers={answers} />
      ) : (
        <Text size="xs" c="dimmed">
          The service has not answered yet.
        </Text>
      )}
    </Stack>
  );
}

function Loading() {
  return (
    <Stack gap="sm" role="group" aria-busy aria-label="Loading the video">
      <Skeleton h={200} />
      <Skeleton h={22} w="50%" />
      <Skeleton h={60} />
      <Skeleton h={120} />
    </Stack>
  );
}
