import { useModelChoice } from '../../../client/use-model-list.ts';
import { seesImages } from './sees-images.ts';

/** Those of the models of which the list does not say that they see images. */
export function useBlind(models: readonly string[]): readonly string[] {
  const list = useModelChoice();
  const seeing = new Set(
    list
      .filter(({ model }) => models.includes(model.id) && seesImages(model))
      .map(({ model }) => model.id),
  );
  return [...new Set(models)].filter((id) => id !== '' && !seeing.has(id));
}
