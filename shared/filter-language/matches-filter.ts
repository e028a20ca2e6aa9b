import type { HistoryFilter, RunningExchange } from '../history/history.ts';
import { matchesPattern } from '../name-pattern.ts';

/** Whether an exchange without an outcome passes a filter. A filter on facts that are not known yet matches none. */
export function matchesFilter(exchange: RunningExchange, filter: HistoryFilter): boolean {
  const { text, exact, statuses, failed, left, answered, not, id, ids, run, projects } = filter;
  const {
    repaired,
    repairs,
    errors,
    agents,
    tools,
    tokens,
    input,
    output,
    cost,
    duration,
    tags,
    notes,
    pinned = false,
  } = filter;
  const { clients, models, routes, services, known, streamed, since, until } = filter;
  const ended = [
    statuses,
    failed,
    left,
    answered,
    repaired,
    repairs,
    errors,
    tokens,
    input,
    output,
    cost,
    duration,
  ];
  const unknown = [text, exact, agents, tools, not, id, ids, run, projects, tags, notes, ...ended];
  // One in flight has no marks.
  if (pinned || unknown.some((wanted) => wanted !== undefined)) return false;
  return (
    matchesSome(services, exchange.service) &&
    matchesSome(clients, exchange.clientName) &&
    matchesSome(models, exchange.modelSent) &&
    matchesSome(routes, exchange.route) &&
    (known === undefined || known === (exchange.clientName !== null)) &&
    (streamed === undefined || streamed === exchange.streamed) &&
    (since === undefined || exchange.startedAt >= since) &&
    (until === undefined || exchange.startedAt < until)
  );
}

function matchesSome(patterns: readonly string[] | undefined, name: string | null): boolean {
  if (patterns === undefined) return true;
  return name !== null && patterns.some((pattern) => matchesPattern(pattern, name));
}
