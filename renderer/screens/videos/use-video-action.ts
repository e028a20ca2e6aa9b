import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { VideoAction, VideoId } from '../../../shared/video.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';

/** Carries out what a person decides about a job. What then holds is on screen at once. */
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
    /** Says by itself when it could not be done. */
    act: (act: VideoAction, done?: () => void) =>
      mutate(
        { id, act },
        {
          onSuccess: () => done?.(),
          onError: (error) => toastError('It stays as it was.', error),
        },
      ),
    /** Rejects with what stands in the way. */
    attempt: async (act: VideoAction) => await mutateAsync({ id, act }),
    /** What is being carried out now. */
    doing: isPending ? variables?.act.act : undefined,
  };
}
