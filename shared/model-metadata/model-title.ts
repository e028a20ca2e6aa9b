import type { Model } from '../model.ts';

/** Finds the display name in a model's metadata; `null` when there is none. */
export function findTitle(model: Model): string | null {
  for (const [name, value] of Object.entries(model)) {
    const isTitle = /(?:^|[^\p{L}])(?:title|label|(?:display[_-]?)?name)$/iu.test(name);
    if (isTitle && typeof value === 'string' && value.trim() !== '' && value !== model.id) {
      return value.trim();
    }
  }
  return null;
}
