import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ConversationCursor, ConversationSummary } from '../../../../shared/chat/chat.ts';
import { useCalls } from '../../../api/client.ts';
import { type Pager, toPager } from '../../../api/pager.ts';

const PAGE_CONVERSATIONS = 60;

/** The loaded conversations of a search. */
interface Pages extends Pager {
  /** `undefined` before the first page is loaded. */
  readonly conversations: readonly ConversationSummary[] | undefined;
  /** Whether the conversations still belong to the previous search. */
  readonly stale: boolean;
}

/** Loads the list page by page. It is fetched again whenever a conversation has changed. */
export function usePages(find: string): Pages {
  const calls = useCalls();
  const query = useInfiniteQuery(
    calls.chat.page.infiniteOptions({
      input: (before: ConversationCursor | null) => ({
        find,
        limit: PAGE_CONVERSATIONS,
        ...(before !== null && { before }),
      }),
      initialPageParam: null,
      getNextPageParam: (page): ConversationCursor | null => page.next,
      placeholderData: keepPreviousData,
    }),
  );
  const { data } = query;
  const conversations = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.conversations);
    // A conversation that changes between two fetches is on both pages.
    return all === undefined ? undefined : [...new Map(all.map((one) => [one.id, one])).values()];
  }, [data]);
  return { conversations, stale: query.isPlaceholderData, ...toPager(query) };
}
