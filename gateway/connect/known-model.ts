import type { Model } from '../../shared/model.ts';
import { acceptsImages } from '../../shared/model-metadata/accepts-images.ts';
import { findContextWindow, findMaxOutput } from '../../shared/model-metadata/model-facts.ts';
import type { KnownModel } from './program.ts';

/** Returns what the service says about a model; only its id when it is not in the list. */
export function describeModel(models: readonly Model[], id: string): KnownModel {
  const model = models.find((one) => one.id === id);
  if (model === undefined)
    return { id, contextWindow: null, maxOutput: null, acceptsImages: false };
  return {
    id,
    contextWindow: findContextWindow(model),
    maxOutput: findMaxOutput(model),
    acceptsImages: acceptsImages(model),
  };
}
