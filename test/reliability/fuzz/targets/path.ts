import assert from 'node:assert/strict';
import { repairPath } from '../../../../gateway/proxy/repair/path/path.ts';
import { formatTarget, parseTarget } from '../../../../gateway/proxy/repair/path/target.ts';
import { Problem } from '../../../../shared/problem.ts';
import type { Target } from '../target.ts';

const METHODS = ['GET', 'POST', 'HEAD', 'DELETE', 'OPTIONS'] as const;

/** Returns `null` when the path is rejected. */
function repaired(method: string, target: string): string | null {
  try {
    return formatTarget(repairPath(method, parseTarget(target), 'http://127.0.0.1:6417').target);
  } catch (error) {
    assert(error instanceof Problem, `${String(error)} is no Problem`);
    return null;
  }
}

/** Repairs a path: the result is stable, keeps the query, and never leaves the target. */
export const path: Target = {
  name: 'path',
  seeds: [
    '0/v1/models',
    '1/v1/chat/completions/v1/chat/completions?key=1',
    '1/v1/messages/v1/messages',
    '1/v1/%76ideos',
    '0/v1/videos/a%2Fb/content',
    '0/v1/..;/admin',
    '0/v1/%252e%252e/admin',
    '1/openai/v1/responses',
    '0/v1/models/models',
  ],
  words: [
    '/v1',
    '/chat',
    '/completions',
    '/models',
    '/videos',
    '/content',
    '/..',
    '%2e',
    '%252e',
    ';',
    '//',
    '?',
    '%76',
    '%e2%80%8b',
    '%c2%a0',
    '/remix',
  ],
  run(input) {
    const method = METHODS[(input[0] ?? 0) % METHODS.length] ?? 'GET';
    const target = input.subarray(1).toString('latin1');
    const first = repaired(method, target);
    if (first === null) return;
    assert.equal(repaired(method, first), first, 'a repaired path is repaired again');
    const mark = target.indexOf('?');
    if (mark !== -1) assert.equal(first.slice(first.indexOf('?')), target.slice(mark));
    const [kept = ''] = first.split('?');
    let plain = kept;
    for (let times = 0; times < 4; times += 1) {
      const segments = plain.split(/[/\\]/u).map((segment) => segment.split(';')[0]);
      assert(!segments.includes('..') && !segments.includes('.'), `${kept} leads elsewhere`);
      plain = plain.replaceAll(/%2e|%2f|%5c|%25|%3b/giu, (code) => decodeURIComponent(code));
    }
  },
};
