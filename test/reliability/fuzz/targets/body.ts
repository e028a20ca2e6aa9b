import assert from 'node:assert/strict';
import {
  type BodyFacts,
  changeModel,
  promptToMessages,
  readBody,
  removeStreamOptions,
  secondsToString,
} from '../../../../gateway/proxy/repair/body/body.ts';
import { applyChanges } from '../../../../gateway/proxy/repair/body/text-change.ts';
import { ByteChunks } from '../../../../gateway/lib/byte-chunks.ts';
import { scanMembers } from '../../../../gateway/proxy/repair/body/json-members.ts';
import { Problem } from '../../../../shared/problem.ts';
import type { Target } from '../target.ts';

/** Parses a body as Node does; returns `null` when it is not an object. A byte order mark is not JSON, but is accepted. */
function objectIn(body: Buffer): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(body.toString().replace(/^\ufeff/u, ''));
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
    return Object.fromEntries(Object.entries(json));
  } catch {
    // Invalid JSON must only not throw.
    return null;
  }
}

/** Returns `null` for a body that is rejected for its depth or size. */
async function factsOf(body: Buffer) {
  try {
    return await readBody(body);
  } catch (error) {
    assert(error instanceof Problem && error.code === 'body_too_complex', String(error));
    return null;
  }
}

function setModel(input: Buffer, { places }: BodyFacts, model: string): Buffer {
  if (places === null) return input;
  const changed = applyChanges(input, changeModel(input, places, { model, effort: null }));
  return changed instanceof ByteChunks ? changed.slice(0, changed.length) : changed;
}

/** Compares the scanner of JSON bodies with JSON.parse: it finds what is there, and changes nothing else. */
export const body: Target = {
  name: 'body',
  seeds: [
    '{"model":"h3","stream":true,"stream_options":{"include_usage":true},"messages":[]}',
    '{"prompt":"Hello \\u0041","model":"a/b","seconds":4}',
    '\ufeff { "a" : [1, {"b":null}], "model" : "x", "model":"y" } ',
    '{"seconds":1e2,"prompt":["a"],"__proto__":{"model":1}}',
    '{"\\u006dodel":"h3"}',
    String.raw`{"text":"say \"hi\" \\","model":"m\"","stream_options":"\\\"","x":1}`,
    '[[[[[[',
  ],
  words: [
    '"model":',
    '"stream_options":',
    '"prompt":',
    '"seconds":',
    '"stream":true',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    '\\',
    '\\u006d',
    'null',
    '1e999',
    '"__proto__":',
    '\ufeff',
  ],
  async run(input) {
    const facts = await factsOf(input);
    if (facts === null) return;
    const edits = [
      setModel(input, facts, 'a/b"c'),
      promptToMessages(input),
      secondsToString(input),
      removeStreamOptions(input),
    ];
    const members = scanMembers(input);
    const object = objectIn(input);
    if (object === null) return;
    assert(facts.parsed, 'an object is not seen as one');
    const model = object['model'];
    assert.equal(facts.model, typeof model === 'string' ? model : null);
    assert.equal(facts.hasStreamOptions, Object.hasOwn(object, 'stream_options'));
    // Integer-like names move to the front of an object.
    assert.deepEqual(new Set(members.map(({ key }) => key)), new Set(Object.keys(object)));
    const [modelled, , timed, optionless] = edits.map(objectIn);
    assert.deepEqual(
      modelled,
      Object.hasOwn(object, 'model') ? { ...object, model: 'a/b"c' } : object,
    );
    const { stream_options: _options, ...without } = object;
    assert.deepEqual(optionless, without);
    assert.deepEqual(Object.keys(timed ?? {}).toSorted(), Object.keys(object).toSorted());
    assert(objectIn(edits[1] ?? input) !== null, 'a changed body is no JSON any more');
  },
};
