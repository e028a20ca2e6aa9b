import type { UsageColumns } from './usage-columns.ts';

/** The columns of an export before any is assigned. */
export const NO_COLUMNS: UsageColumns = {
  time: '',
  model: null,
  id: null,
  requests: null,
  input: [],
  output: [],
  cost: null,
  rows: 'request',
  timeZone: 'utc',
};
