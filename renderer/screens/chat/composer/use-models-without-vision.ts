import { useModelChoice } from '../../../api/use-model-list.ts';
import { acceptsImages } from './accepts-images.ts';

/** Returns those models that the list does not mark as accepting images. */
export function useModelsWithoutVision(models: readonly string[]): readonly string[] {
  const list = useModelChoice();
  const seeing = new Set(
    list
      .filter(({ model }) => models.includes(model.id) && acceptsImages(model))
      .map(({ model }) => model.id),
  );
  return [...new Set(models)].filter((id) => id !== '' && !seeing.has(id));
}
