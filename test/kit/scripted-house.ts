import { type House, type HouseOptions, startHouse } from './house.ts';
import { openUpstream, type ScriptedUpstream } from './upstream.ts';

/** A house whose service is written by the test. It lists one model, `m`. */
export interface ScriptedHouse extends AsyncDisposable {
  readonly house: House;
  readonly upstream: ScriptedUpstream;
}

export async function startScriptedHouse(options: HouseOptions = {}): Promise<ScriptedHouse> {
  const upstream = await openUpstream({ models: ['m'] });
  const house = await startHouse({ ...options, baseUrl: upstream.url });
  return {
    house,
    upstream,
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}
