import type { EffectiveSettings } from '../shared/settings.ts';
import type { EnvSettings } from './command-context.ts';

/** The flags of `serve` that set something for the whole run. */
export interface PinningFlags {
  readonly port?: string;
  readonly upstream?: string;
  readonly sandbox?: boolean;
  readonly strict?: boolean;
}

/** Explains which settings flags and environment set for this run, for people who want to change them in the window. */
export function pinnedSettings(
  flags: PinningFlags,
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
    ...(port === null ? {} : { port: explainPin(port, 'the port') }),
    ...(upstream === null ? {} : { upstream: explainPin(upstream, 'the service') }),
    ...(flags.strict === true ? { repairs: explainPin('--strict', 'this') } : {}),
  };
}

/** Returns the name of the first source that has a value. */
function firstGiven(sources: readonly (readonly [name: string, value: string | undefined])[]) {
  return sources.find(([, value]) => value !== undefined)?.[0] ?? null;
}

function explainPin(source: string, what: string): string {
  return `Set by ${source} for this run. Start without it to change ${what} here.`;
}
