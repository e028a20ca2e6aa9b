import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryBudget } from '../lib/memory-budget.ts';
import { UpstreamBody } from './upstream-body.ts';

const memory = new MemoryBudget(1024 ** 3).open();

/** A connection that only records calls. */
function openBody() {
  const calls: string[] = [];
  const body = new UpstreamBody({
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: (reason) => void calls.push(`abort ${reason.message}`),
  });
  return { body, calls };
}

/** A reader that records its chunks; `wants` says whether it is ready for more. */
function openReader(wants: () => boolean = () => true) {
  const got: string[] = [];
  return {
    got,
    data: (chunk: Buffer) => {
      got.push(chunk.toString());
      return wants();
    },
    end: () => void got.push('<end>'),
    fail: (error: Error) => void got.push(`<${error.message}>`),
  };
}

describe('A response body', () => {
  test('reaches its reader in order, whenever the reader comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(), fc.boolean(), (chunks, cut, ends) => {
        const { body } = openBody();
        const reader = openReader();
        const at = cut % (chunks.length + 2);
        for (const [index, chunk] of chunks.entries()) {
          if (index === at) body.read(reader);
          body.push(Buffer.from(chunk));
        }
        if (at === chunks.length) body.read(reader);
        if (ends) body.end();
        else body.fail(new Error('broke'));
        if (at > chunks.length) body.read(reader);
        expect(reader.got).toEqual([...chunks, ends ? '<end>' : '<broke>']);
      }),
    );
  });

  test('is taken as a whole once it has completely come, and only then', () => {
    const { body } = openBody();
    body.push(Buffer.from('a'));
    body.push(Buffer.from('b'));
    expect(body.takeComplete()).toBeNull();
    body.end();
    expect(body.takeComplete()?.toString()).toBe('ab');
    const broken = openBody().body;
    broken.push(Buffer.from('a'));
    broken.fail(new Error('broke'));
    const reader = openReader();
    expect(broken.takeComplete()).toBeNull();
    broken.read(reader);
    expect(reader.got).toEqual(['a', '<broke>']);
  });

  test('that is partly read and put back loses and repeats nothing', async () => {
    const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(20), fc.nat(), async (chunks, limit, cut) => {
        const { body } = openBody();
        const early = cut % (chunks.length + 1);
        for (const chunk of chunks.slice(0, early)) body.push(Buffer.from(chunk));
        const collecting = body.collect({ bytes: limit, ms: 10_000 }, memory);
        for (const chunk of chunks.slice(early)) body.push(Buffer.from(chunk));
        body.end();
        const { bytes, ended } = await collecting;
        expect(ended).toBe(Buffer.byteLength(chunks.join('')) <= limit);
        body.putBack(bytes);
        const reader = openReader();
        body.read(reader);
        expect(reader.got.join('')).toBe(`${chunks.join('')}<end>`);
      }),
    );
  });

  test('pauses the connection while its reader is not ready', () => {
    const { body, calls } = openBody();
    body.read(openReader(() => false));
    calls.length = 0;
    body.push(Buffer.from('a'));
    expect(calls).toEqual(['pause']);
    body.resume();
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('is buffered up to a limit while nobody reads', () => {
    const { body, calls } = openBody();
    body.push(Buffer.alloc(256 * 1024));
    expect(calls).toEqual([]);
    body.push(Buffer.alloc(1));
    expect(calls).toEqual(['pause']);
    body.read(openReader());
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('reports that it broke off while it was collected', async () => {
    const { body } = openBody();
    const collecting = body.collect({ bytes: 100, ms: 10_000 }, memory);
    body.push(Buffer.from('a'));
    body.fail(new Error('broke'));
    await expect(collecting).rejects.toThrow('broke');
  });

  test('that is not needed is read to its end, up to a limit', () => {
    const { body, calls } = openBody();
    body.push(Buffer.alloc(1000));
    body.discard();
    body.push(Buffer.alloc(200 * 1024));
    expect(calls).toEqual(['resume']);
    body.push(Buffer.alloc(100 * 1024));
    expect(calls).toContain('abort The response was not needed.');
  });

  test('is stopped only while it is still being received', () => {
    const { body, calls } = openBody();
    body.abort(new Error('left'));
    expect(calls).toEqual(['abort left']);
    body.end();
    body.abort(new Error('again'));
    expect(calls).toEqual(['abort left']);
  });
});
