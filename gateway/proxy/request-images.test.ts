import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countImages } from './request-images.ts';

const PARTS = {
  chat: { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  responses: { type: 'input_image', image_url: 'https://example.com/a.png' },
  messages: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  text: { type: 'text', text: 'A part {"type":"image"} and "type": "image_url" is text.' },
  cached: {
    type: 'image',
    cache_control: { type: 'ephemeral' },
    source: { type: 'url', url: 'x' },
  },
  turned: { source: { type: 'url', url: 'x' }, type: 'image' },
  arguments: { type: 'tool_use', input: { type: 'image', name: 'a' }, more: { type: 'image' } },
  result: { type: 'tool_result', content: [{ type: 'image', source: { type: 'url', url: 'x' } }] },
};
const IMAGES: Readonly<Record<keyof typeof PARTS, number>> = {
  chat: 1,
  responses: 1,
  messages: 1,
  text: 0,
  cached: 1,
  turned: 1,
  arguments: 0,
  result: 1,
};
const NAMES = Object.keys(PARTS).filter((name): name is keyof typeof PARTS => name in PARTS);

test('images are counted in every protocol, however the request is written and cut', () => {
  const names = fc.array(fc.constantFrom(...NAMES), { maxLength: 12 });
  fc.assert(
    fc.property(names, fc.constantFrom(0, 2), fc.array(fc.nat(4_000)), (list, indent, cuts) => {
      const parts = list.map((name) => PARTS[name]);
      const body = Buffer.from(JSON.stringify({ messages: [{ content: parts }] }, null, indent));
      const places = [0, ...cuts.map((cut) => cut % (body.length + 1)), body.length];
      const sorted = places.toSorted((one, other) => one - other);
      const pieces = sorted.slice(1).map((end, place) => body.subarray(sorted[place], end));
      expect(countImages(pieces)).toBe(list.reduce((sum, name) => sum + IMAGES[name], 0));
    }),
  );
});
