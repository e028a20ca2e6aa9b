import { aliasProcedures } from './aliases.ts';
import { procedures } from './base.ts';
import { chatProcedures } from './chat.ts';
import { clientProcedures } from './client.ts';
import { connectionProcedures } from './connections.ts';
import { doctorProcedures } from './doctor.ts';
import { historyProcedures } from './history.ts';
import { homeProcedures } from './history.ts';
import { modelProcedures } from './model.ts';
import { priceProcedures } from './prices.ts';
import { settingsProcedures } from './settings.ts';
import { statusProcedures } from './status.ts';
import { upstreamProcedures } from './upstream.ts';
import { usageProcedures } from './usage.ts';
import { videoProcedures } from './video.ts';

/** Implements `shared/contract.ts` once for every transport. */
export const router = procedures.router({
  status: statusProcedures,
  home: homeProcedures,
  history: historyProcedures,
  usage: usageProcedures,
  models: modelProcedures,
  aliases: aliasProcedures,
  clients: clientProcedures,
  connections: connectionProcedures,
  doctor: doctorProcedures,
  upstreams: upstreamProcedures,
  settings: settingsProcedures,
  videos: videoProcedures,
  chat: chatProcedures,
  prices: priceProcedures,
});
