import type { RouteName } from '../../shared/exchange.ts';

const ROUTE_LABELS: Readonly<Record<RouteName, string>> = {
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

/** Formats a route as its label on screen. */
export function routeLabel(route: RouteName): string {
  return ROUTE_LABELS[route];
}
