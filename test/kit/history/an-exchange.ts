import { ExchangeRecord } from '../../../shared/exchange/exchange.ts';

/** What a client says that names no agent. */
const NO_SENDER = {
  agent: null,
  parent: null,
  agentType: null,
  requestClass: null,
  prompt: null,
  turn: null,
  project: null,
  toolTimes: null,
};

/** What a client says that names nothing but a project. */
export function ofProject(project: string | null) {
  return { sender: { ...NO_SENDER, project } };
}

/** Creates a successful exchange with the given changes. */
export function anExchange(id: string, fields: Record<string, unknown> = {}): ExchangeRecord {
  const { startedAt = new Date(2026, 10, 21, 12).getTime() } = fields;
  return ExchangeRecord.parse({
    id,
    startedAt,
    times: 1,
    lastAt: startedAt,
    service: 'https://models.example.com',
    clientId: 'c1',
    clientName: 'Cline',
    conversation: 'conversation-1',
    userAgent: 'Cline/3.0',
    route: 'chat',
    method: 'POST',
    pathReceived: '/chat/completions',
    pathSent: '/v1/chat/completions',
    modelAsked: 'large',
    modelSent: 'acme/large',
    modelServed: 'acme/large-2',
    streamed: true,
    status: 200,
    errorCode: null,
    errorMessage: null,
    endedBy: 'service',
    repairs: [{ code: 'path-missing-v1', before: '/a', after: '/v1/a', advice: 'Add "/v1".' }],
    attempts: 1,
    bytesIn: 100,
    bytesOut: 2_000,
    firstByteMs: 12.5,
    durationMs: 99.25,
    overheadMs: 0.5,
    usage: {
      input: 10,
      output: 5,
      cacheRead: 4,
      cacheWrite: 0,
      cacheWriteHour: null,
      media: null,
      reasoning: null,
      source: 'reported',
    },
    ...fields,
  });
}
