import { procedures } from './base.ts';
import { chatProcedures } from './chat.ts';
import { clientProcedures } from './client.ts';
import { historyProcedures } from './history.ts';
import { homeProcedures } from './history.ts';
import { modelProcedures } from './model.ts';
import { settingsProcedures } from './settings.ts';
import { statusProcedures } from './settings.ts';
import { upstreamProcedures } from './upstream.ts';
import { videoProcedures } from './video.ts';

/** Implements `shared/contract.ts` once for every transport. */
export const router = procedures.router({
  status: statusProcedures,
  home: homeProcedures,
  history: historyProcedures,
  models: modelProcedures,
  clients: clientProcedures,
  upstreams: upstreamProcedures,
  settings: settingsProcedures,
  videos: videoProcedures,
  chat: chatProcedures,
});
