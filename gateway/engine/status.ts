import type { Status } from '../../shared/status.ts';
import type { Engine, EngineOptions } from './engine.ts';
import type { SystemProxy } from '../lender.ts';
import { SANDBOX_KEY } from './link.ts';
import type { Outlook } from './reach.ts';

/** The running Gatehouse at a glance. */
export function statusOf({ version }: EngineOptions, engine: Engine): Status {
  const { id, startedAt, proxy, links, limits, settings, pause, lastError } = engine;
  const { upstream, keys, reach, systemProxy } = links.current;
  const { repairs, setUp } = settings.inForce().settings;
  const root = `http://127.0.0.1:${proxy.port}`;
  return {
    version,
    engine: id,
    startedAt,
    port: proxy.port,
    baseUrls: { chat: `${root}/v1`, messages: root },
    upstream: { ...upstream, active: true },
    key: upstream.kind === 'sandbox' ? SANDBOX_KEY : keys.state(),
    ...withReason(reach.outlook, systemProxy),
    load: limits.of(upstream.baseUrl).load(),
    paused: pause.paused,
    lastError: lastError.latest,
    repairs,
    setUp,
    running: proxy.running,
  };
}

/** A proxy that cannot be used may be why nothing answers. */
function withReason(outlook: Outlook, { reason }: SystemProxy): Outlook {
  const { reach } = outlook;
  if (reach.state !== 'unreachable' || reason === null) return outlook;
  return { ...outlook, reach: { ...reach, sentence: `${reach.sentence} ${reason}` } };
}
