import type { RouteName } from './exchange.ts';

const ROUTE_LABELS: Readonly<Record<RouteName, string>> = {
  models: 'Model list',
  chat: 'Chat',
  responses: 'Responses',
  messages: 'Messages',
  files: 'Files',
  'video-submit': 'Video order',
  'video-status': 'Video status',
  'video-content': 'Video file',
  other: 'Other',
};

/** The names of all routes. */
export const ROUTE_NAMES: readonly string[] = Object.keys(ROUTE_LABELS);

/** Formats a route as its label on screen. */
export function routeLabel(route: RouteName): string {
  return ROUTE_LABELS[route];
}

/** Whether a value is the name of a route. */
export function isRoute(value: unknown): value is RouteName {
  return typeof value === 'string' && Object.hasOwn(ROUTE_LABELS, value);
}
