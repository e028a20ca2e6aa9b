import assert from 'node:assert/strict';
import { ModelIndex } from '../../../../gateway/models/model-index.ts';
import { parseModelList } from '../../../../gateway/models/model-list.ts';
import { wrapModelList } from '../../../../gateway/models/wrapped-list.ts';
import type { Target } from '../target.ts';

/** Parses a model list in any wrapper: each id is found unchanged, and a wrapped list contains the same models. */
export const modelList: Target = {
  name: 'model-list',
  seeds: [
    '{"object":"list","data":[{"id":"vendor/h3","object":"model","created":1,"owned_by":"v"}]}',
    '{"models":[{"id":"a/b-1"},{"id":"a/b-2","display_name":"B 2"}],"next":null}',
    '[{"id":"x"},{"id":"X"},{"id":"x "}]',
    '{"data":[null,7,{"id":""},{"id":"a","tags":["b",{}]},[{"id":"c"}]]}',
    '{"entries":{"inner":[{"id":"////////"}]},"data":[]}',
  ],
  words: [
    '"id":',
    '"object":"model"',
    '"data":',
    '"models":',
    '{',
    '}',
    '[',
    ']',
    '/',
    '//',
    '-',
    '"has_more":true',
    '"__proto__":',
    'h3',
  ],
  run(input) {
    const text = input.toString();
    const list = parseModelList(text);
    const wrapped = wrapModelList(Buffer.from(text));
    if (wrapped !== null) {
      const again = wrapModelList(wrapped.body);
      assert(again !== null && !again.changed, 'a wrapped list is wrapped again');
    }
    if (list === null) return;
    const index = new ModelIndex(list.models);
    for (const { id } of list.models.slice(0, 20)) {
      assert.deepEqual(index.match(id), { kind: 'exact' });
      const meant = index.match(id.toUpperCase());
      if (meant.kind === 'one') assert(index.has(meant.id));
    }
    index.match(text.slice(0, 300));
  },
};
