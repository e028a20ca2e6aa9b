import { parseFixture } from '../../../sandbox/fixture/parse-fixture.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/server.ts';
import { MODEL, type ScriptStep } from './script.ts';

/** A sandbox at one address that plays one script after the other. */
export interface PlayedSandbox extends AsyncDisposable {
  /** The one that plays the latest script. */
  readonly current: Sandbox;
  /** Begins another script; `null`: it answers without one. */
  play(steps: readonly ScriptStep[] | null): Promise<void>;
}

/** Starts a sandbox that plays these steps. */
export async function openPlayedSandbox(steps: readonly ScriptStep[]): Promise<PlayedSandbox> {
  let current = await openSandbox({ fixture: toFixture(steps) });
  const { key } = current;
  const port = Number(new URL(current.url).port);
  return {
    get current() {
      return current;
    },
    async play(next) {
      await current.close();
      const fixture = next === null ? {} : { fixture: toFixture(next) };
      current = await openSandbox({ port, key, ...fixture });
    },
    [Symbol.asyncDispose]: async () => await current.close(),
  };
}

function toFixture(steps: readonly ScriptStep[]) {
  return parseFixture(JSON.stringify({ format: 'gatehouse-fixture-1', models: [MODEL], steps }));
}
