import type { EffectiveSettings } from '../shared/settings.ts';
import type { EnvSettings } from './command-context.ts';

/** The flags of `serve` that decide something for the whole run. */
export interface LockingFlags {
  readonly port?: string;
  readonly upstream?: string;
  readonly sandbox?: boolean;
  readonly strict?: boolean;
}

/** What flags and environment decide for this run, in words for whoever wants to change it in the window. */
export function lockedSettings(
  flags: LockingFlags,
  environment: EnvSettings,
): EffectiveSettings['pinned'] {
  const port = firstGiven([
    ['--port', flags.port],
    ['GATEHOUSE_PORT', environment.port],
  ]);
  const upstream = firstGiven([
    ['--sandbox', flags.sandbox === true ? 'sandbox' : undefined],
    ['--upstream', flags.upstream],
    ['GATEHOUSE_UPSTREAM_URL', environment.upstreamUrl],
  ]);
  return {
    ...(port === null ? {} : { port: sentence(port, 'the port') }),
    ...(upstream === null ? {} : { upstream: sentence(upstream, 'the service') }),
    ...(flags.strict === true ? { repairs: sentence('--strict', 'this') } : {}),
  };
}

/** The first of these that says something. */
function firstGiven(sources: readonly (readonly [name: string, value: string | undefined])[]) {
  return sources.find(([, value]) => value !== undefined)?.[0] ?? null;
}

function sentence(source: string, what: string): string {
  return `Set by ${source} for this run. Start without it to change ${what} here.`;
}
