import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMatches } from './split-matches.ts';

const markMatches = (text: string, find: string) =>
  splitMatches(text, find)
    .map((mark) => (mark.found ? `[${mark.text}]` : mark.text))
    .join('');

describe('a search term', () => {
  it.each([
    ['Plan a garden party', 'gard PLAN', '[Plan] a [gard]en party'],
    ['Ein Café in Zürich', 'cafe zur', 'Ein [Café] in [Zür]ich'],
    ['Cafe\u0301 Noir', 'café', '[Cafe\u0301] Noir'],
    ['sandboxes and sand', 'sand sandbox', '[sandbox]es and [sand]'],
    ['ungarded', 'gard', 'ungarded'],
    ['a (b) "c"', '"b" OR c*', 'a ([b]) "[c]"'],
    ['今日は天気がいい', '天気', '今日は[天気]がいい'],
    ['天気とgarden', 'gard 天気', '[天気]とgarden'],
    ['nothing', '', 'nothing'],
  ])('is marked in %j for %j', (text, find, marked) => {
    expect(markMatches(text, find)).toBe(marked);
  });

  it('never changes the text, whatever both are', () => {
    const anything = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(anything, anything, (text, find) => {
        const whole = splitMatches(text, find).map((mark) => mark.text);
        expect(whole.join('')).toBe(text);
      }),
    );
  });
});
