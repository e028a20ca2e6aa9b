import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Harness } from '../kit/harness.ts';
import type { RawAnswer } from '../net/raw-http.ts';
import { beginRequest } from '../kit/request.ts';
import { startScriptedHarness } from '../kit/scripted-harness.ts';
import {
  type ArrivedRequest,
  jsonAnswer,
  type ScriptedUpstream,
} from '../net/scripted-upstream.ts';
import { nextPost, orderRequest, orderBody } from '../kit/video-order.ts';
import { readWholeAnswer } from '../net/read-answer.ts';

/** What the service does with an order: after the last three it has taken it, as far as anybody can know. */
type Outcome = 400 | 403 | 429 | 200 | 500 | 'dropped';

interface Story {
  readonly outcomes: readonly Outcome[];
  /** Of each client whether it leaves as soon as it has asked. */
  readonly leaves: readonly boolean[];
}

const stories: fc.Arbitrary<Story> = fc.record({
  outcomes: fc.array(fc.constantFrom<Outcome>(400, 403, 429, 200, 500, 'dropped'), {
    minLength: 1,
    maxLength: 6,
  }),
  leaves: fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }),
});

const STORIES = 40;

test('of one order that comes several times at once, the service takes at most one, and everybody hears what became of it', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const service = new Service(upstream);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      number += 1;
      const prompt = `Story ${number}`;
      service.outcomes.set(prompt, [...story.outcomes]);
      const answers = await tell(harness, prompt, story);
      const did = service.did.get(prompt) ?? [];
      const taken = did.filter(isTaken);
      expect(taken.length).toBeLessThanOrEqual(1);
      // Nothing is sent after it.
      if (taken.length === 1) expect(isTaken(did.at(-1))).toBe(true);
      for (const { status, body } of answers) {
        if (status === 200) expect([body, did.at(-1)]).toEqual([`{"id":"${prompt}"}`, 200]);
        else if (status === 409) expect(body).toContain('order_unsure');
        else expect(did).toContain(status === 502 ? 'dropped' : status);
      }
      const heard = answers.map(({ status }) => status);
      if (heard.includes(409)) expect([500, 'dropped']).toContain(did.at(-1));
      // A refusal is heard by one.
      for (const refusal of [400, 403]) {
        const times = did.filter((outcome) => outcome === refusal).length;
        expect(heard.filter((status) => status === refusal).length).toBeLessThanOrEqual(times);
      }
    }),
    { numRuns: STORIES },
  );
}, 240_000);

function isTaken(outcome: Outcome | undefined): boolean {
  return outcome === 200 || outcome === 500 || outcome === 'dropped';
}

/** The answers of those that stay. The first one never leaves. */
async function tell(harness: Harness, prompt: string, { leaves }: Story): Promise<RawAnswer[]> {
  const asked = leaves.map(async (leaving, index) => {
    const wire = await beginRequest(harness, orderRequest(orderBody('u', prompt)));
    if (!leaving || index === 0) return await readWholeAnswer(wire);
    wire.socket.destroy();
    return null;
  });
  return (await Promise.all(asked)).filter((answer) => answer !== null);
}

/** A service that does with the orders of each prompt what stands in a list; after its end, and otherwise, it takes them. */
class Service {
  readonly outcomes = new Map<string, Outcome[]>();
  readonly did = new Map<string, Outcome[]>();

  constructor(upstream: ScriptedUpstream) {
    void this.#attend(upstream);
  }

  async #attend(upstream: ScriptedUpstream): Promise<never> {
    for (;;) this.#answer(await nextPost(upstream));
  }

  #answer({ wire, body }: ArrivedRequest): void {
    const { prompt }: { prompt: string } = JSON.parse(body);
    const outcome = this.outcomes.get(prompt)?.shift() ?? 200;
    this.did.set(prompt, [...(this.did.get(prompt) ?? []), outcome]);
    if (outcome === 'dropped') wire.socket.destroy();
    else if (outcome === 200) wire.send(jsonAnswer(200, { id: prompt }));
    else wire.send(jsonAnswer(outcome, { error: { message: 'No.', code: 'no' } }));
  }
}
