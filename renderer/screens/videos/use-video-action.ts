import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { VideoAction, VideoId } from '../../../shared/video/video.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';

/** Runs an action on a job and shows the resulting state at once. */
export function useVideoAction(id: VideoId) {
  const calls = useCalls();
  const queries = useQueryClient();
  const { mutate, mutateAsync, isPending, variables } = useMutation(
    calls.videos.act.mutationOptions({
      onSuccess: (job) => {
        const options = { input: { id } };
        queries.setQueryData(calls.videos.get.queryKey(options), (before) =>
          before === undefined ? before : { ...before, job },
        );
      },
    }),
  );
  return {
    /** Shows a notification when the action fails. */
    act: (action: VideoAction, done?: () => void) =>
      mutate(
        { id, action },
        {
          onSuccess: () => done?.(),
          onError: (error) => toastError('Could not change the video.', error),
        },
      ),
    /** Rejects with the cause when the action fails. */
    attempt: async (action: VideoAction) => await mutateAsync({ id, action }),
    /** The action in progress. */
    doing: isPending ? variables?.action.type : undefined,
  };
}
