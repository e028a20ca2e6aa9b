import { type Harness, type HarnessOptions, startHarness } from './harness.ts';
import { openUpstream, type ScriptedUpstream } from '../net/scripted-upstream.ts';

/** Starts a harness whose service is scripted by the test. It lists one model, `m`. */
export interface ScriptedHarness extends AsyncDisposable {
  readonly harness: Harness;
  readonly upstream: ScriptedUpstream;
}

export async function startScriptedHarness(options: HarnessOptions = {}): Promise<ScriptedHarness> {
  const upstream = await openUpstream({ models: ['m'] });
  const harness = await startHarness({ ...options, baseUrl: upstream.url });
  return {
    harness,
    upstream,
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}
