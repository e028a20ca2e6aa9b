import type { Migration } from '../schema.ts';

/**
 * Finds the equal status checks of one video and day, which the history shows as one row. Equal in everything that is searched or
 * filtered by, so that a filter matches all of them or none. Never edited.
 */
export const statusChecks: Migration = {
  statements: () => [STATEMENT],
};

const STATEMENT = `create index exchange_by_check on exchange (
  json_array(day, service, client_id, client_name, conversation, user_agent, method, path_received,
    model_asked, model_sent, model_served, streamed, status, error_code, error_message,
    case when ended_by <> 'client' and error_code is null then '' else ended_by end, repairs),
  started_at
) where route = 'video-status' and client_name is not null`;
