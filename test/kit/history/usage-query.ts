import type { UsageScope } from '../../../shared/history/history.ts';

/** Selects the usage of all exchanges with services that tests record. */
export const ALL_SERVICES = {
  scope: 'services' satisfies UsageScope,
  period: { since: '2021-01-01', until: '2030-12-31' },
} as const;
