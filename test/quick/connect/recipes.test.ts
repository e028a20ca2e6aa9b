import { parse, type ParseError } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import type { SetupValues, Step } from '../../../shared/client-setup/client-tool.ts';
import { TOOLS } from '../../../shared/client-setup/tools.ts';

const GIVEN: SetupValues = {
  chat: 'http://127.0.0.1:6417/v1',
  messages: 'http://127.0.0.1:6417',
  key: 'gh-0123456789abcdefghij',
  model: 'vendor/some-model-1',
};
/** A model id as a hostile service could send it. */
const HOSTILE = `x"; $(touch /tmp/a) 'y\` \\ {{z}}`;

function listCodes(steps: readonly Step[]): string[] {
  return steps.flatMap(({ code, windows }) => [code, windows]).filter((code) => code !== undefined);
}

const REACHING = TOOLS.filter(({ supportsLocalhost }) => supportsLocalhost === true);

test('every tool has an id and a name of its own', () => {
  expect(new Set(TOOLS.map(({ id }) => id)).size).toBe(TOOLS.length);
  expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
});

describe.each(REACHING)('$name', ({ style, recipe }) => {
  const steps = recipe(GIVEN);

  test('is given the base address of its style, and the other one only when it speaks both', () => {
    const all = listCodes(steps).join('\n');
    const bare = /http:\/\/127\.0\.0\.1:6417(?!\/v1)/u;
    if (style !== 'messages') expect(all).toContain(GIVEN.chat);
    if (style !== 'chat') expect(all).toMatch(bare);
    if (style === 'chat') expect(all).not.toMatch(bare);
    if (style === 'messages') expect(all).not.toContain(GIVEN.chat);
  });

  test('has the local key in exactly one place, which is no file of a project', () => {
    const holding = steps.filter(({ code }) => code?.includes(GIVEN.key));
    expect(holding).toHaveLength(1);
    expect(holding[0]?.where).toMatch(
      /^(~\/|Terminal$|Your shell’s profile$|API [Kk]ey$|Agent settings)/u,
    );
    if (holding[0]?.windows !== undefined) expect(holding[0].windows).toContain(GIVEN.key);
  });

  test('names the model', () => {
    expect(listCodes(steps).join('\n')).toContain(GIVEN.model);
  });

  test('has JSON that can be read, whatever the model is called', () => {
    for (const model of [GIVEN.model, HOSTILE]) {
      for (const { language, code } of recipe({ ...GIVEN, model })) {
        if (language !== 'json' || code === undefined) continue;
        const errors: ParseError[] = [];
        expect(parse(code, errors)).toBeTypeOf('object');
        expect(errors).toEqual([]);
      }
    }
  });

  test('lets no model name out of its quotes in a terminal', () => {
    for (const { language, code } of recipe({ ...GIVEN, model: HOSTILE })) {
      if (language !== 'shell' || code === undefined) continue;
      // Everything outside of single quotes in a POSIX shell.
      expect(code.replaceAll(/'[^']*'/gu, '')).not.toContain('touch');
    }
  });
});

test('Cursor’s page says that its servers make the call, and offers no settings', () => {
  const cursor = TOOLS.find(({ id }) => id === 'cursor');
  expect(cursor?.supportsLocalhost).toMatch(/servers make the call.*127\.0\.0\.1/u);
  expect(listCodes(cursor?.recipe(GIVEN) ?? [])).toEqual([]);
});

test('Codex gets a provider of its own that speaks Responses without WebSockets', () => {
  const [config] = TOOLS.find(({ id }) => id === 'codex')?.recipe(GIVEN) ?? [];
  expect(config?.code?.split('\n')).toEqual([
    'model = "vendor/some-model-1"',
    'model_provider = "gatehouse"',
    '',
    '[model_providers.gatehouse]',
    'name = "Gatehouse"',
    'base_url = "http://127.0.0.1:6417/v1"',
    'wire_api = "responses"',
    'env_key = "GATEHOUSE_CODEX_KEY"',
    'supports_websockets = false',
  ]);
});
