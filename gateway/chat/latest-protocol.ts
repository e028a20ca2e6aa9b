import { TextProtocol } from '../../shared/chat.ts';
import type { History } from '../history/history.ts';

const ROUTES = [...TextProtocol.options];

/** Returns the protocol of a model's latest answer, to any client; Chat Completions when there is none. */
export async function findLatestProtocol(
  history: Pick<History, 'page'>,
  model: string,
): Promise<TextProtocol> {
  const filter = { models: [model], routes: ROUTES, outcome: '2xx' as const };
  const { exchanges } = await history.page({ filter, limit: 1 });
  return TextProtocol.safeParse(exchanges[0]?.route).data ?? 'chat';
}
