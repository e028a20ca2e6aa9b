import { useMutation } from '@tanstack/react-query';
import type { ConversationId } from '../../../../shared/chat/chat.ts';
import { useCalls } from '../../../api/client.ts';

/** Returns a function that renames a conversation and rejects with the cause of a failure. */
export function useRename(id: ConversationId) {
  const { mutateAsync, isPending } = useMutation(useCalls().chat.change.mutationOptions());
  return {
    rename: async (title: string) => await mutateAsync({ id, change: { title } }),
    pending: isPending,
  };
}
