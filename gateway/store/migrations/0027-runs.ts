import type { Migration } from '../schema.ts';

/** Adds what clients say of the agent that sent a request, and the run that it belongs to. Never edited. */
export const runs: Migration = {
  statements: () => STATEMENTS,
};

const STATEMENTS = [
  ...[
    'run',
    'agent',
    'parent_agent',
    'agent_type',
    'request_class',
    'prompt',
    'turn',
    'project',
    'tool_times',
  ].map((column) => `alter table exchange add column ${column} text`),
  'create index exchange_by_run on exchange (run, started_at) where run is not null',
];
