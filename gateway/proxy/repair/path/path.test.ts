import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../shared/problem.ts';
import { repairPath as repairTarget } from './path.ts';
import { formatTarget, parseTarget } from './target.ts';

const BASE = 'http://127.0.0.1:6417';

/** Repairs a target that is given as one string. */
function repairPath(method: string, target: string, base: string) {
  const { target: meant, repairs } = repairTarget(method, parseTarget(target), base);
  return { target: formatTarget(meant), repairs };
}

function repaired(method: string, target: string): string {
  return repairPath(method, target, BASE).target;
}

function codes(method: string, target: string): string[] {
  return repairPath(method, target, BASE).repairs.map(({ code }) => code);
}

function problem(method: string, target: string): Problem {
  try {
    repairPath(method, target, BASE);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${target} was accepted`);
}

describe('a wrong path is repaired to the intended route', () => {
  test.for<[method: string, target: string, meant: string, codes: string[]]>([
    ['POST', '/v1/messages/v1/messages', '/v1/messages', ['path-doubled']],
    ['POST', '/v1/v1/messages', '/v1/messages', ['path-doubled']],
    ['POST', '/v1/v1/v1/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/v1/embeddings', '/v1/embeddings', ['path-doubled']],
    ['POST', '/v1/chat/completions/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/chat/completions/v1/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/chat/completions/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/chat/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/responses/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/chat/completions/responses', '/v1/responses', ['path-doubled']],
    ['POST', '/v1/chat/completions/messages', '/v1/messages', ['path-doubled']],
    ['POST', '/v1/messages/responses/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/v1/responses/responses/compact', '/v1/responses/compact', ['path-doubled']],
    ['POST', '/v1/files/messages', '/v1/messages', ['path-doubled']],
    ['POST', '/v1/videos/videos', '/v1/videos', ['path-doubled']],
    ['GET', '/v1/chat/completions/models', '/v1/models', ['path-doubled']],
    ['GET', '/v1/responses/models', '/v1/models', ['path-doubled']],
    ['GET', '/v1/messages/models', '/v1/models', ['path-doubled']],
    ['GET', '/v1/messages/v1/models?limit=1000', '/v1/models?limit=1000', ['path-doubled']],
    ['GET', '/v1/responses/models/acme/one', '/v1/models/acme/one', ['path-doubled']],
    ['GET', '/v1/responses/responses', '/v1/responses', ['path-doubled']],
    ['GET', '/v1/videos/videos/t1/content', '/v1/videos/t1/content', ['path-doubled']],
    [
      'POST',
      '/v1/messages/v1/messages/count_tokens?beta=true',
      '/v1/messages/count_tokens?beta=true',
      ['path-doubled'],
    ],
    [
      'POST',
      '/v1/messages/count_tokens/messages/count_tokens',
      '/v1/messages/count_tokens',
      ['path-doubled'],
    ],
    ['POST', '/messages', '/v1/messages', ['path-missing-v1']],
    [
      'POST',
      '/messages/count_tokens?beta=true',
      '/v1/messages/count_tokens?beta=true',
      ['path-missing-v1'],
    ],
    ['POST', '/responses', '/v1/responses', ['path-missing-v1']],
    ['POST', '/chat/completions', '/v1/chat/completions', ['path-missing-v1']],
    ['GET', '/models', '/v1/models', ['path-missing-v1']],
    ['POST', '/files', '/v1/files', ['path-missing-v1']],
    ['GET', '/videos/t1/content', '/v1/videos/t1/content', ['path-missing-v1']],
    ['POST', '/chat/completions/chat/completions', '/v1/chat/completions', ['path-doubled']],
    ['POST', '/api/v1/messages', '/v1/messages', ['path-prefix']],
    ['POST', '/openai/v1/chat/completions', '/v1/chat/completions', ['path-prefix']],
    ['POST', '/anthropic/v1/messages', '/v1/messages', ['path-prefix']],
    ['POST', '/any/thing/v1/responses', '/v1/responses', ['path-prefix']],
    ['POST', '/compatible-mode/v1/embeddings', '/v1/embeddings', ['path-prefix']],
    ['POST', '/anthropic/messages', '/v1/messages', ['path-missing-v1']],
    ['POST', '/backend-api/codex/responses', '/v1/responses', ['path-missing-v1']],
    ['POST', '/api/v1/v1/messages?beta=true', '/v1/messages?beta=true', ['path-doubled']],
    ['POST', '/V1/Chat/Completions', '/v1/chat/completions', ['path-case']],
    ['POST', '/v1/messages/Count_Tokens', '/v1/messages/count_tokens', ['path-case']],
    ['GET', '/v1/Files/File_ABC/Content', '/v1/files/File_ABC/content', ['path-case']],
    ['POST', '/v1/%76ideos', '/v1/videos', ['path-encoding']],
    ['POST', '/%76%31/videos;a=1', '/v1/videos', ['path-encoding']],
    ['POST', '/v1/chat/%43ompletions', '/v1/chat/completions', ['path-encoding']],
    ['GET', '/v1/Models/a%2Db;c', '/v1/models/a%2Db;c', ['path-case']],
    ['POST', '//v1//messages', '/v1/messages', ['path-slashes']],
    ['POST', '/v1/messages/', '/v1/messages', ['path-slashes']],
    ['POST', '/v1%20/%20messages%20', '/v1/messages', ['path-spaces']],
    ['GET', '/v1/models/one%20', '/v1/models/one', ['path-spaces']],
    ['POST', '/v1/messages%e2%80%8b', '/v1/messages', ['path-spaces']],
    ['POST', '/v1/messages%C2%A0%20%ef%bb%bf', '/v1/messages', ['path-spaces']],
    ['POST', '/%e3%80%80v1/%e2%80%8bvideos', '/v1/videos', ['path-spaces']],
    ['GET', '/v1/models/a%e2%80%8bb%e2%81%a0', '/v1/models/a%e2%80%8bb', ['path-spaces']],
    ['GET', '/v1/models/models', '/v1/models', ['path-doubled']],
    ['POST', '/v1/chat/responses', '/v1/responses', ['path-doubled']],
    ['POST', '/chat/messages', '/v1/messages', ['path-missing-v1']],
    ['GET', '/v1/', '/v1', ['path-slashes']],
    ['GET', '/v1/v1', '/v1', ['path-doubled']],
    ['POST', '/api//V1/v1/Messages/', '/v1/messages', ['path-doubled']],
  ])('%s %s → %s', ([method, target, meant, expected]) => {
    expect(repaired(method, target)).toBe(meant);
    expect(codes(method, target)).toEqual(expected);
  });
});

describe('a correct path is not changed', () => {
  test.each([
    ['GET', '/v1/models?limit=1000'],
    ['POST', '/v1/messages?beta=true'],
    ['POST', '/v1/messages/count_tokens?beta=true'],
    ['POST', '/v1/messages/batches'],
    ['GET', '/v1/messages/batches/msgbatch_1'],
    ['GET', '/v1/messages/batches/msgbatch_1/results'],
    ['POST', '/v1/messages/batches/msgbatch_1/cancel'],
    ['GET', '/v1/responses/resp_1?include[]=a%20b&stream=true'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['GET', '/v1/responses/resp_1/input_items'],
    ['POST', '/v1/responses/compact'],
    ['POST', '/v1/responses/input_tokens'],
    ['GET', '/v1/chat/completions/chatcmpl-1/messages'],
    ['DELETE', '/v1/files/file-1'],
    ['GET', '/v1/files/file-1/content'],
    ['GET', '/v1/videos/t1/content'],
    ['POST', '/v1/videos/t1/remix'],
    ['GET', '/v1/models/acme/One-Model:free'],
    ['GET', '/v1/models/models/gemini'],
    ['GET', '/v1/files/a%2Fb'],
    ['GET', '/v1'],
    ['POST', '/v1/embeddings'],
    ['POST', '/v1/alpha/search'],
    ['POST', '/v1/Some/Other_Thing'],
    ['POST', '/v1/openai/v1'],
  ])('%s %s', (method, target) => {
    expect(repairPath(method, target, BASE)).toEqual({ target, repairs: [] });
  });
});

describe('an id that looks like a route word stays an id', () => {
  test.each([
    ['GET', '/v1/files/messages'],
    ['DELETE', '/v1/files/models'],
    ['GET', '/v1/files/v1/content'],
    ['GET', '/v1/videos/models/content'],
    ['GET', '/v1/videos/videos'],
    ['POST', '/v1/videos/messages/remix'],
    ['POST', '/v1/responses/messages/cancel'],
    ['GET', '/v1/responses/files/input_items'],
    ['DELETE', '/v1/chat/completions/messages'],
    ['HEAD', '/v1/chat/completions/messages'],
    ['GET', '/v1/chat/completions/completions'],
    ['GET', '/v1/models/chat/completions'],
    ['HEAD', '/v1/models/responses'],
  ])('%s %s', (method, target) => {
    expect(repairPath(method, target, BASE)).toEqual({ target, repairs: [] });
  });
});

describe('the advice names the base URL that fits the client', () => {
  test.each([
    ['POST', '/v1/messages/v1/messages', `${BASE} and`],
    ['POST', '/v1/chat/completions/chat/completions', `${BASE}/v1 and`],
    ['POST', '/messages', `${BASE}/v1,`],
    ['POST', '/openai/v1/chat/completions', `${BASE}/v1.`],
    ['POST', '/anthropic/v1/messages', `${BASE}.`],
    ['POST', '/v1//messages', `${BASE}/v1,`],
    ['POST', '//v1/chat/completions', `${BASE},`],
    ['POST', '/V1/chat/completions', `${BASE}/v1.`],
  ])('%s %s: %s', (method, target, address) => {
    const [repair] = repairPath(method, target, BASE).repairs;
    expect(repair?.advice).toContain(` ${address}`);
  });

  test.each([
    ['/v1/v1/chat/completions', 'twice', '/v1/v1'],
    ['/v1/v1/v1/responses', '3 times', '/v1/v1/v1'],
  ])('%s: both possible mistakes are named', (target, times, ending) => {
    expect(repairPath('POST', target, BASE).repairs).toMatchObject([
      {
        code: 'path-doubled',
        advice: `The path has /v1 ${times}. If the base address ends in ${ending}, leave only one of them. If the client adds /v1 itself, set its base address to ${BASE} and nothing more.`,
      },
    ]);
  });

  test.each([
    ['/v1/v1/messages', `${BASE} and`],
    ['/v1//v1/chat/completions', `${BASE} and`],
  ])('%s: only the client can have added /v1', (target, address) => {
    const [repair] = repairPath('POST', target, BASE).repairs;
    expect(repair?.advice).toContain(`Set its base address to ${address} nothing more.`);
  });

  test('a repair shows the whole path before and after, without the query', () => {
    const { repairs } = repairPath('POST', '/v1/messages/v1/messages?secret=1', BASE);
    expect(repairs).toEqual([
      {
        code: 'path-doubled',
        before: '/v1/messages/v1/messages',
        after: '/v1/messages',
        advice: `This client adds /v1/messages itself. Set its base address to ${BASE} and nothing more.`,
      },
    ]);
  });
});

describe('an unknown path is rejected with a suggestion', () => {
  test.each([
    ['/embeddings', '/v1/embeddings'],
    ['/v1beta/models', '/v1/models'],
    ['/v4/embeddings', '/v1/embeddings'],
    ['/api/coding/paas/v4/chat/completions', '/v1/chat/completions'],
    ['/openai/deployments/one/chat/completions', '/v1/chat/completions'],
    ['/foo/v1/embeddings', '/v1/embeddings'],
    ['/completions', '/v1/chat/completions'],
    ['/api/chat', '/v1/chat/completions'],
    ['/api/tags', '/v1/models'],
  ])('%s: did you mean %s?', (target, meant) => {
    const { code, message } = problem('POST', target);
    expect(code).toBe('unknown_path');
    expect(message).toContain(`Did you mean ${meant}?`);
    expect(message).toContain(`${BASE}/v1`);
  });

  test.each(['/', '/favicon.ico', '/foo'])('%s is rejected without a suggestion', (target) => {
    const { code, message } = problem('GET', target);
    expect(code).toBe('unknown_path');
    expect(message).not.toContain('Did you mean');
    expect(message).toContain(`${BASE}/v1`);
  });
});

describe('an ambiguous path is rejected', () => {
  test.each([
    '/v1/../models',
    '/v1/./models',
    '/v1/%2e%2E/models',
    '/v1/files/..%2F..%5csecret',
    '/v1/files/.%2e',
    '/v1\\models',
    '/v1/files/a%00b',
    '/v1/files/a%0d%0ab',
    '/v1/%20../admin',
    '/v1/%20%2e%2e/admin',
    '/v1/%20..%20/admin',
    '/v1/%20..;a/admin',
    '/v1/%20%252e%252e/admin',
    '/v1/models/%20../%20../admin',
    '/v1/x/%20../videos',
    '/v1/%e2%80%8b../admin',
    '/v1/..%C2%A0/admin',
    '/v1/.%e2%80%8b./admin',
    '/v1/%25e2%2580%258b../admin',
    '/v1/mod els',
    '/v1/models\r\nx: y',
    '/v1/models?a=\n',
    '/v1/models#top',
    '/v1/models/é€',
    'v1/models',
    'http://127.0.0.1/v1/models',
    '*',
    '',
  ])('%j', (target) => {
    expect(problem('GET', target).code).toBe('invalid_path');
  });

  test('dots inside an id are allowed', () => {
    expect(repaired('GET', '/v1/models/a..b/.c/v1.5')).toBe('/v1/models/a..b/.c/v1.5');
  });
});

// Canonical paths with the words that follow `/v1`, independent of the grammar under test.
const id = fc.constantFrom('file-1', 'resp_Ab9', 'a%2Fb', 'x.y:free', 'T1');
const canonical = fc.oneof(
  fc.constantFrom(
    ['GET', 'models'],
    ['POST', 'chat/completions'],
    ['POST', 'responses'],
    ['POST', 'responses/compact'],
    ['POST', 'responses/input_tokens'],
    ['POST', 'messages'],
    ['POST', 'messages/count_tokens'],
    ['POST', 'messages/batches'],
    ['POST', 'files'],
    ['GET', 'files'],
    ['POST', 'videos'],
  ),
  fc
    .tuple(
      fc.constantFrom(
        ['GET', 'responses/{id}'],
        ['DELETE', 'responses/{id}'],
        ['POST', 'responses/{id}/cancel'],
        ['GET', 'responses/{id}/input_items'],
        ['GET', 'chat/completions/{id}'],
        ['GET', 'chat/completions/{id}/messages'],
        ['GET', 'messages/batches/{id}'],
        ['GET', 'messages/batches/{id}/results'],
        ['POST', 'messages/batches/{id}/cancel'],
        ['GET', 'files/{id}'],
        ['DELETE', 'files/{id}'],
        ['GET', 'files/{id}/content'],
        ['GET', 'videos/{id}'],
        ['GET', 'videos/{id}/content'],
        ['POST', 'videos/{id}/remix'],
        ['GET', 'models/{id}'],
        ['GET', 'models/{id}/{id}'],
      ),
      id,
    )
    .map(([[method, words], value]) => [method, words?.replaceAll('{id}', value)]),
);
const query = fc.oneof(
  fc.constant(''),
  fc.webQueryParameters().map((parameters) => `?${parameters}`),
  fc.constant('?beta=true&a=%2F%2E%2E/v1/messages'),
);
const requestArbitrary = fc
  .tuple(canonical, query)
  .map(([[method = '', words = ''], rest]) => ({ method, words, rest }));
const textRoute = fc.constantFrom('chat/completions', 'responses', 'messages');
const foreign = fc.constantFrom('api', 'openai', 'anthropic', 'compatible-mode');

function expectRepaired(noisy: string, { method, words, rest }: CanonicalRequest): void {
  expect(repaired(method, noisy + rest)).toBe(`/v1/${words}${rest}`);
}

interface CanonicalRequest {
  readonly method: string;
  /** The part of the canonical path after `/v1/`. */
  readonly words: string;
  readonly rest: string;
}

describe('a canonical path with additions', () => {
  test('a canonical path is not changed', () => {
    fc.assert(
      fc.property(requestArbitrary, ({ method, words, rest }) => {
        const target = `/v1/${words}${rest}`;
        expect(repairPath(method, target, BASE)).toEqual({ target, repairs: [] });
      }),
    );
  });

  test('anything before the last /v1 is dropped', () => {
    const junk = fc.constantFrom('v1', 'V1', 'x', 'files', 'a.b');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(textRoute, foreign, junk)),
        requestArbitrary,
        (noise, meant) => {
          expectRepaired(['', ...noise, 'v1', meant.words].join('/'), meant);
        },
      ),
    );
  });

  test('text routes before the path are dropped, with or without /v1', () => {
    const pasted = fc.array(textRoute, { maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom('', '/v1'), pasted, requestArbitrary, (version, noise, meant) => {
        expectRepaired([version, ...noise, meant.words].join('/'), meant);
      }),
    );
  });

  test('foreign prefixes are replaced by /v1', () => {
    fc.assert(
      fc.property(fc.array(foreign), requestArbitrary, (noise, meant) => {
        expectRepaired(['', ...noise, meant.words].join('/'), meant);
      }),
    );
  });

  test('extra slashes and capitals in route words are repaired', () => {
    const slashes = fc.constantFrom('/', '//', '///');
    fc.assert(
      fc.property(slashes, slashes, requestArbitrary, (one, other, meant) => {
        const [first = '', ...more] = meant.words.split('/');
        const loud = `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`;
        expectRepaired(`${one}V1${other}${[loud, ...more].join(one)}${other}`, meant);
      }),
    );
  });
});

const someMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS');
const VOCABULARY =
  `v1 V1 chat completions responses messages models files videos Files batches count_tokens compact
 cancel content remix input_items COMPACT api openai x y v1beta embeddings a%2Fb %20 a%20 %20chat
 %e2%80%8b a%c2%a0 %e2%80%8bvideos`.split(/\s+/u);
const somePath = fc
  .array(fc.constantFrom('', ...VOCABULARY), { maxLength: 9 })
  .map((words) => `/${words.join('/')}`);

describe('repairPath with arbitrary paths', () => {
  test('repairing twice changes nothing more', () => {
    fc.assert(
      fc.property(someMethod, somePath, query, (how, path, rest) => {
        const once = outcome(how, path + rest);
        if (once === null) return;
        expect(repairPath(how, once, BASE)).toEqual({ target: once, repairs: [] });
      }),
      { numRuns: 3000 },
    );
  });

  test('finding 14: a changed path has one repair, and an unchanged one has none', () => {
    fc.assert(
      fc.property(someMethod, somePath, (how, path) => {
        if (outcome(how, path) === null) return;
        const { target: meant, repairs } = repairPath(how, path, BASE);
        expect(repairs).toHaveLength(meant === path ? 0 : 1);
      }),
      { numRuns: 3000 },
    );
  });

  test('the result begins with /v1, or a Problem is thrown', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.webPath());
    fc.assert(
      fc.property(fc.string(), anything, (how, target) => {
        outcome(how, target);
        outcome(how, `/${target}`);
        outcome(how, `/v1/${target}`);
      }),
    );
  });

  test('a very long path is repaired in less than quadratic time', () => {
    repairLongPath(300_000);
  });
});

function repairLongPath(length: number): void {
  for (const part of [
    'messages',
    'chat',
    'v1',
    'v1/messages',
    'chat/completions',
    'models',
    '%20',
    '%e2%80%8b',
    '',
    'a',
  ]) {
    outcome('POST', `/${part}`.repeat(length));
    outcome('POST', `/a${part.repeat(length)}a`);
  }
}

function outcome(how: string, target: string): string | null {
  try {
    const { target: meant } = repairPath(how, target, BASE);
    expect(meant).toMatch(/^\/v1(?:[/?]|$)/u);
    return meant;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return null;
  }
}
