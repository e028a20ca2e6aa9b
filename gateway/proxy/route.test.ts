import { parseTarget } from './repair/path/target.ts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRoute as findPathRoute } from './route.ts';

/** Finds the route of a target, whose query does not matter. */
function findRoute(method: string, target: string) {
  return findPathRoute(method, parseTarget(target).path);
}

test.for<[method: string, path: string, name: string, protocol: string | null, charges: boolean]>([
  ['GET', '/v1/models', 'models', null, false],
  ['HEAD', '/v1/models', 'models', null, false],
  ['GET', '/v1/models/acme/one', 'other', null, false],
  ['POST', '/v1/chat/completions', 'chat', 'chat', true],
  ['GET', '/v1/chat/completions', 'other', 'chat', false],
  ['POST', '/v1/chat/completions/c1', 'other', 'chat', true],
  ['POST', '/v1/responses', 'responses', 'responses', true],
  ['GET', '/v1/responses', 'other', 'responses', false],
  ['POST', '/v1/responses/compact', 'other', 'responses', true],
  ['POST', '/v1/responses/input_tokens', 'other', 'responses', false],
  ['POST', '/v1/responses/resp_1/cancel', 'other', 'responses', false],
  ['DELETE', '/v1/responses/resp_1', 'other', 'responses', false],
  ['POST', '/v1/messages?beta=true', 'messages', 'messages', true],
  ['POST', '/v1/messages/count_tokens?beta=true', 'other', 'messages', false],
  ['POST', '/v1/messages/batches', 'other', 'messages', true],
  ['GET', '/v1/messages/batches/b1/results', 'other', 'messages', false],
  ['POST', '/v1/files', 'files', null, false],
  ['GET', '/v1/files', 'other', null, false],
  ['GET', '/v1/files/f1/content', 'other', null, false],
  ['POST', '/v1/videos', 'video-submit', null, true],
  ['GET', '/v1/videos', 'other', null, false],
  ['GET', '/v1/videos/t1', 'video-status', null, false],
  ['DELETE', '/v1/videos/t1', 'other', null, false],
  ['GET', '/v1/videos/t1/content?variant=video', 'video-content', null, false],
  ['HEAD', '/v1/videos/t1/content', 'video-content', null, false],
  ['POST', '/v1/videos/t1/remix', 'other', null, true],
  ['POST', '/v1/videos/t1/cancel', 'other', null, true],
  ['PATCH', '/v1/videos/t1', 'other', null, true],
  ['POST', '/v1/videos/count_tokens', 'other', null, true],
  ['POST', '/v1/embeddings', 'other', null, true],
  ['PATCH', '/v1/embeddings', 'other', null, true],
  ['GET', '/v1/embeddings', 'other', null, false],
  ['PUT', '/v1', 'other', null, false],
])('%s %s is %s, protocol %s, may charge: %s', ([method, path, name, protocol, charges]) => {
  expect(findRoute(method, path)).toMatchObject({ name, protocol, charges });
});

test.for<[path: string, name: string, orderPath: string | null]>([
  ['/v1/videos', 'video-submit', ''],
  ['/v1/videos/?a=1', 'video-submit', ''],
  ['/V1/Videos', 'video-submit', ''],
  ['/v1/%76ideos', 'video-submit', ''],
  ['/v1/%56IDEO%73', 'video-submit', ''],
  ['/v1/videos;a=1', 'video-submit', ''],
  ['/v1/videos;a=1/;b', 'other', ''],
  ['/v1/videos%2F', 'other', ''],
  ['/v1%2Fvideos', 'other', ''],
  ['/v1/%2576ideos', 'other', ''],
  ['/v1/%25252576ideos', 'other', ''],
  ['/v1/videos%20', 'video-submit', ''],
  ['/v1/videos%e2%80%8b', 'video-submit', ''],
  ['/v1/%C2%A0videos', 'video-submit', ''],
  ['/v1/%ef%bb%bfvideos/t1/remix', 'other', '/t1/remix'],
  ['/v1/vid%e2%80%8beos', 'other', ''],
  ['/v%c2%ad1/videos', 'other', ''],
  ['/v1/%25e2%2580%258bvideos', 'other', ''],
  ['/v1/vi%cd%8fdeos%e2%80%8b/%e2%80%8b', 'other', ''],
  ['/v1/%a0videos', 'other', ''],
  ['/%ffv1/videos', 'other', ''],
  ['/v1/\u00e2\u0080\u008bvideos', 'other', ''],
  ['/v1/\u00a0videos', 'other', ''],
  ['/v1/videos%3Ba=1', 'other', ''],
  ['/v1/videos%3Fa=1', 'other', ''],
  ['/v1/videos%23a', 'other', ''],
  ['/v1/videos%253Fa=1/t1', 'other', ''],
  ['/v1/videos/t1/remix%3Fa=/b', 'other', '/t1/remix'],
  ['/v1/videos%FF', 'other', ''],
  ['/v1/videos%E0%A4', 'other', ''],
  ['/v1/videos.json', 'other', ''],
  ['/v1/videos-old', 'other', null],
  ['/v1/videos%2f%ff', 'other', '/%ff'],
  ['/v1/videos%2f%ff/remix', 'other', '/%ff/remix'],
  ['/v1/videos%3b%ff', 'other', ''],
  ['/v1/videos%20%ff', 'other', ''],
  ['/v1/videos/t1/remix', 'other', '/t1/remix'],
  ['/v1/videos/T1/%72emix', 'other', '/T1/remix'],
  ['/v1/videos/edits', 'other', '/edits'],
  ['/v1/videos/t1/cancel', 'other', '/t1/cancel'],
  ['/v1/files/videos', 'other', null],
  ['/v1/video', 'other', null],
])('a POST to %s is %s, a video order at %s', ([path, name, orderPath]) => {
  expect(findRoute('POST', path)).toMatchObject({ name, orderPath });
  expect(findRoute('GET', path).orderPath).toBeNull();
  expect(findRoute('DELETE', path).orderPath).toBeNull();
});

test('any method and any path have a route', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (method, path) => {
      expect(findRoute(method, `/v1/${path}`).name).toBeTypeOf('string');
    }),
  );
});

test('a POST that is not known to be free is never treated as free', () => {
  fc.assert(
    fc.property(fc.webPath(), (path) => {
      fc.pre(!/files|count_tokens|input_tokens|cancel/iu.test(path));
      expect(findRoute('POST', `/v1${path}`).charges).toBe(true);
    }),
  );
});
