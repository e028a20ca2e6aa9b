import { api } from './base.ts';
import { chatCalls } from './chat-calls.ts';
import { clientCalls } from './client-calls.ts';
import { historyCalls } from './history-calls.ts';
import { homeCalls } from './home-calls.ts';
import { modelCalls } from './model-calls.ts';
import { settingsCalls } from './settings-calls.ts';
import { statusCalls } from './status-calls.ts';
import { upstreamCalls } from './upstream-calls.ts';
import { videoCalls } from './video-calls.ts';

/** `shared/contract.ts`, implemented once for every transport. */
export const router = api.router({
  status: statusCalls,
  home: homeCalls,
  history: historyCalls,
  models: modelCalls,
  clients: clientCalls,
  upstreams: upstreamCalls,
  settings: settingsCalls,
  videos: videoCalls,
  chat: chatCalls,
});
