import { z } from 'zod';

/** What one row of an export is: a single request, or the sum of a day or an hour and a model. */
export const ExportRows = z.enum(['request', 'day', 'hour']);
export type ExportRows = z.infer<typeof ExportRows>;

/** The time zone of days, and of times that name none. */
export const TimeZoneChoice = z.enum(['utc', 'local']);
export type TimeZoneChoice = z.infer<typeof TimeZoneChoice>;

const Column = z.string().min(1).max(200);

/** The columns of a service's usage export. */
export const UsageColumns = z.object({
  time: Column,
  model: Column.nullable(),
  /** The id of a request, as a header of the service's answer has it. */
  id: Column.nullable(),
  /** The number of requests of a sum. */
  requests: Column.nullable(),
  /** The columns that are added up to all input tokens, and to all output tokens. */
  input: z.array(Column).max(10),
  output: z.array(Column).max(10),
  /** In units of the currency. */
  cost: Column.nullable(),
  rows: ExportRows,
  timeZone: TimeZoneChoice,
});
export type UsageColumns = z.infer<typeof UsageColumns>;

/** Lists the names of all assigned columns. */
export function listColumns(columns: UsageColumns): readonly string[] {
  const { time, model, id, requests, input, output, cost } = columns;
  return [time, model, id, requests, ...input, ...output, cost].filter((name) => name !== null);
}
