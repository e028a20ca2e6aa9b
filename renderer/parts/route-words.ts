import type { RouteName } from '../../shared/exchange.ts';

const WORDS: Readonly<Record<RouteName, string>> = {
  models: 'Model list',
  chat: 'Chat',
  responses: 'Responses',
  messages: 'Messages',
  files: 'Files',
  'video-submit': 'Video, submitted',
  'video-status': 'Video, state',
  'video-content': 'Video, content',
  other: 'Other',
};

/** What a route is called on screen. */
export function routeWords(route: RouteName): string {
  return WORDS[route];
}
