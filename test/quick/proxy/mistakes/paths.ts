import type { RepairCode } from '../../../../shared/exchange/repair.ts';
import type { Mistake } from './mistake.ts';

/** Requested target, target at the service, and repair codes. */
type Row = readonly [ask: string, target: string, ...repairs: RepairCode[]];

const DOUBLED: readonly Row[] = [
  ['POST /v1/v1/chat/completions', '/v1/chat/completions', 'path-doubled'],
  ['POST /v1/v1/responses', '/v1/responses', 'path-doubled'],
  ['POST /v1/v1/messages', '/v1/messages', 'path-doubled'],
  ['GET /v1/v1/models', '/v1/models', 'path-doubled', 'models-wrapper'],
  ['POST /v1/messages/v1/messages', '/v1/messages', 'path-doubled'],
  ['POST /v1/messages/messages', '/v1/messages', 'path-doubled'],
  [
    'POST /v1/messages/v1/messages/count_tokens?beta=true',
    '/v1/messages/count_tokens?beta=true',
    'path-doubled',
  ],
  ['POST /v1/chat/completions/chat/completions', '/v1/chat/completions', 'path-doubled'],
  ['POST /v1/chat/completions/v1/chat/completions', '/v1/chat/completions', 'path-doubled'],
  ['POST /v1/responses/chat/completions', '/v1/chat/completions', 'path-doubled'],
  ['POST /v1/chat/completions/responses', '/v1/responses', 'path-doubled'],
  ['POST /v1/chat/responses', '/v1/responses', 'path-doubled'],
  ['POST /chat/messages', '/v1/messages', 'path-missing-v1'],
  ['GET /v1/models/models', '/v1/models', 'path-doubled', 'models-wrapper'],
  ['GET /v1/chat/completions/models', '/v1/models', 'path-doubled', 'models-wrapper'],
  [
    'GET /v1/messages/v1/models?limit=1000',
    '/v1/models?limit=1000',
    'path-doubled',
    'models-wrapper',
  ],
];

const WITHOUT_V1: readonly Row[] = [
  ['POST /messages', '/v1/messages', 'path-missing-v1'],
  ['POST /responses', '/v1/responses', 'path-missing-v1'],
  ['POST /chat/completions', '/v1/chat/completions', 'path-missing-v1'],
  ['GET /models', '/v1/models', 'path-missing-v1', 'models-wrapper'],
  ['POST /chat/completions/chat/completions', '/v1/chat/completions', 'path-doubled'],
];

const SLASHES_AND_CASE: readonly Row[] = [
  ['POST //v1/chat/completions', '/v1/chat/completions', 'path-slashes'],
  ['POST /v1//chat//completions', '/v1/chat/completions', 'path-slashes'],
  ['POST //v1/messages?beta=true', '/v1/messages?beta=true', 'path-slashes'],
  ['POST /v1/responses/', '/v1/responses', 'path-slashes'],
  ['GET /v1/models/', '/v1/models', 'path-slashes', 'models-wrapper'],
  ['POST /v1/%63hat/completions', '/v1/chat/completions', 'path-encoding'],
  ['POST /v1/messages;a=1', '/v1/messages', 'path-encoding'],
  ['POST /V1/Chat/Completions', '/v1/chat/completions', 'path-case'],
  ['POST /v1/MESSAGES', '/v1/messages', 'path-case'],
];

const SPACES: readonly Row[] = [
  ['POST /v1/chat/completions%20', '/v1/chat/completions', 'path-spaces'],
  ['GET /v1/models%20%20', '/v1/models', 'path-spaces', 'models-wrapper'],
  ['POST /v1%20/responses', '/v1/responses', 'path-spaces'],
  ['POST /v1/messages%20/?beta=true', '/v1/messages?beta=true', 'path-slashes'],
];

const PREFIXES: readonly Row[] = [
  ['POST /api/v1/chat/completions', '/v1/chat/completions', 'path-prefix'],
  ['POST /openai/v1/responses', '/v1/responses', 'path-prefix'],
  ['POST /anthropic/v1/messages', '/v1/messages', 'path-prefix'],
  ['POST /compatible-mode/v1/chat/completions', '/v1/chat/completions', 'path-prefix'],
  ['POST /api/v1/v1/messages?beta=true', '/v1/messages?beta=true', 'path-doubled'],
  ['POST /openai/chat/completions', '/v1/chat/completions', 'path-missing-v1'],
];

/** Correct paths that look like mistakes. The service answers those that it does not know. */
const RIGHT: readonly (readonly [ask: string, status: number])[] = [
  ['POST /v1/messages/count_tokens?beta=true', 200],
  ['GET /v1/messages/batches/batches', 404],
  ['POST /v1/responses/resp_1/cancel', 404],
  ['POST /v1/responses/compact', 404],
  ['POST /v1/responses/messages/cancel', 404],
  ['GET /v1/files/v1/content', 404],
  ['GET /v1/files/messages', 404],
  ['GET /v1/videos/task-1/content', 404],
  ['GET /v1/models/dune/open/dune-7b', 200],
  ['GET /v1/models/chat/completions', 404],
  ['POST /v1/embeddings', 404],
];

/** Wrong paths, and correct ones that must not change. */
export const PATHS: readonly Mistake[] = [
  ...[...DOUBLED, ...WITHOUT_V1, ...SLASHES_AND_CASE, ...SPACES, ...PREFIXES].map(
    ([ask, target, ...repairs]): Mistake => ({
      name: ask,
      requestLine: ask,
      repairs,
      arrives: { target },
    }),
  ),
  ...RIGHT.map(([ask, status]): Mistake => ({
    name: `${ask} is not changed`,
    requestLine: ask,
    status,
    repairs: [],
  })),
];
