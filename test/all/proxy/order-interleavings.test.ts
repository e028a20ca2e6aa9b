import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Harness } from '../../kit/gateway/harness.ts';
import type { RawAnswer } from '../../kit/net/raw-http.ts';
import { beginRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import {
  type ArrivedRequest,
  jsonAnswer,
  type ScriptedUpstream,
} from '../../kit/net/scripted-upstream.ts';
import { nextPost, orderRequest, orderBody } from '../../kit/videos/video-order.ts';
import { readWholeAnswer } from '../../kit/net/read-answer.ts';

/** Behaviours of the service for an order. After the last three it has accepted the order or may have. */
type Outcome = 400 | 403 | 429 | 200 | 500 | 'dropped';

interface Scenario {
  readonly outcomes: readonly Outcome[];
  /** For each client, whether it disconnects right after its request. */
  readonly leaves: readonly boolean[];
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  outcomes: fc.array(fc.constantFrom<Outcome>(400, 403, 429, 200, 500, 'dropped'), {
    minLength: 1,
    maxLength: 6,
  }),
  leaves: fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }),
});

const SCENARIOS = 40;

test('of several identical concurrent orders the service accepts at most one, and every client gets its outcome', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const service = new Service(upstream);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      number += 1;
      const prompt = `Story ${number}`;
      service.outcomes.set(prompt, [...scenario.outcomes]);
      const answers = await sendOrders(harness, prompt, scenario);
      const applied = service.applied.get(prompt) ?? [];
      const taken = applied.filter(isTaken);
      expect(taken.length).toBeLessThanOrEqual(1);
      // No further order is sent after it.
      if (taken.length === 1) expect(isTaken(applied.at(-1))).toBe(true);
      for (const { status, body } of answers) {
        if (status === 200) expect([body, applied.at(-1)]).toEqual([`{"id":"${prompt}"}`, 200]);
        else if (status === 409) expect(body).toContain('order_unsure');
        else expect(applied).toContain(status === 502 ? 'dropped' : status);
      }
      const statuses = answers.map(({ status }) => status);
      if (statuses.includes(409)) expect([500, 'dropped']).toContain(applied.at(-1));
      // Only one client gets a refusal.
      for (const refusal of [400, 403]) {
        const times = applied.filter((outcome) => outcome === refusal).length;
        expect(statuses.filter((status) => status === refusal).length).toBeLessThanOrEqual(times);
      }
    }),
    { numRuns: SCENARIOS },
  );
}, 240_000);

function isTaken(outcome: Outcome | undefined): boolean {
  return outcome === 200 || outcome === 500 || outcome === 'dropped';
}

/** Returns the answers of the clients that stay. The first one never disconnects. */
async function sendOrders(
  harness: Harness,
  prompt: string,
  { leaves }: Scenario,
): Promise<RawAnswer[]> {
  const answers = leaves.map(async (leaving, index) => {
    const connection = await beginRequest(harness, orderRequest(orderBody('u', prompt)));
    if (!leaving || index === 0) return await readWholeAnswer(connection);
    connection.socket.destroy();
    return null;
  });
  return (await Promise.all(answers)).filter((answer) => answer !== null);
}

/** A service that treats the orders of each prompt as listed, and accepts all further ones. */
class Service {
  readonly outcomes = new Map<string, Outcome[]>();
  readonly applied = new Map<string, Outcome[]>();

  constructor(upstream: ScriptedUpstream) {
    void this.#attend(upstream);
  }

  async #attend(upstream: ScriptedUpstream): Promise<never> {
    for (;;) this.#answer(await nextPost(upstream));
  }

  #answer({ connection, body }: ArrivedRequest): void {
    const { prompt }: { prompt: string } = JSON.parse(body);
    const outcome = this.outcomes.get(prompt)?.shift() ?? 200;
    this.applied.set(prompt, [...(this.applied.get(prompt) ?? []), outcome]);
    if (outcome === 'dropped') connection.socket.destroy();
    else if (outcome === 200) connection.send(jsonAnswer(200, { id: prompt }));
    else connection.send(jsonAnswer(outcome, { error: { message: 'No.', code: 'no' } }));
  }
}
