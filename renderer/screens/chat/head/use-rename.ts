import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConversationId } from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';

/** Gives a conversation another name, which then stands everywhere. Rejects with what was wrong with it. */
export function useRename(id: ConversationId) {
  const calls = useCalls();
  const queries = useQueryClient();
  const { mutateAsync, isPending } = useMutation(
    calls.chat.change.mutationOptions({
      onSuccess: (conversation) => {
        queries.setQueryData(calls.chat.open.queryKey({ input: { id } }), (before) =>
          before === undefined ? before : { ...before, conversation },
        );
        void queries.invalidateQueries({ queryKey: calls.chat.page.key() });
      },
    }),
  );
  return {
    rename: async (title: string) => await mutateAsync({ id, change: { title } }),
    pending: isPending,
  };
}
