import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptsImages } from './accepts-images.ts';

const model = (fields: object) => ({ id: 'acme/one', object: 'model', ...fields });

describe('a model sees images', () => {
  it.each([
    { tags: ['text', 'vision'] },
    { capability_tags: ['Vision', 'tools'] },
    { skills: ['vision-input'] },
    { labels_x: ['image_input'] },
    { vision: true },
    { supportsVision: true },
    { supports: { images: true } },
    { capabilities: { vision: true, tools: false } },
    { capabilities: { image_input: { supported: true } } },
    { capabilities: { vision: 'supported' } },
    { capabilities: ['completion', 'vision'] },
    { capabilities: 'text, vision' },
    { modalities: ['text', 'image'] },
    { architecture: { modality: 'text+image->text' } },
    { architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] } },
    { inputModalities: ['TEXT', 'IMAGE'] },
    { input: { types: ['images'] } },
    { pipeline_tag: 'image-text-to-text' },
    { tags: ['image-to-text'] },
    { type: 'vlm' },
  ])('by %j', (fields) => {
    expect(acceptsImages(model(fields))).toBe(true);
  });
});

describe('a model does not accept images', () => {
  it.each([
    {},
    { tags: ['text', 'tools'] },
    { title: 'Fjord Vision 2', family: 'vision' },
    { caption: 'Acme Vision 2' },
    { description: 'Not as good at vision as others', tags: ['text'] },
    { vision: false },
    { capabilities: { vision: false, image_input: { supported: false } } },
    { tags: ['image'] },
    { tags: ['text-to-image', 'image-generation'] },
    { tags: ['image-to-image', 'image-to-video'] },
    { capabilities: { image_generation: true } },
    { capabilities: ['image-output'] },
    { output_modalities: ['text', 'image'] },
    { architecture: { modality: 'text->image' } },
    { unsupported: ['vision'] },
    { features: ['no-vision'] },
    { pricing: { image: true, vision: 'yes' } },
  ])('by %j', (fields) => {
    expect(acceptsImages(model(fields))).toBe(false);
  });

  it('by its id, whatever the id is', () => {
    expect(acceptsImages({ id: 'acme/vision-image-input' })).toBe(false);
  });

  it('by nothing at all, and nothing makes the question fail', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 9 }), (fields) => {
        expect(typeof acceptsImages({ ...fields, id: 'a' })).toBe('boolean');
      }),
    );
  });

  it('by what it gives, whatever the words are', () => {
    const words = fc.array(fc.constantFrom('vision', 'image', 'text', 'image-input'));
    const path = fc.constantFrom('output_modalities', 'outputTypes', 'image_output', 'Generation');
    fc.assert(
      fc.property(path, words, (name, value) => {
        expect(acceptsImages(model({ more: { [name]: value } }))).toBe(false);
      }),
    );
  });
});
