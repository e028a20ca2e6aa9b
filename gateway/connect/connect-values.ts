import type { Model } from '../../shared/model.ts';
import { describeModel } from './known-model.ts';
import type { ConnectValues } from './program.ts';

interface ValuesOptions {
  /** The local address without a path. */
  readonly root: string;
  readonly key: string;
  /** The models of the service. */
  readonly models: readonly Model[];
  readonly model: string;
  readonly smallModel: string;
}

/** Returns the values that a program is set to. */
export function toConnectValues({
  root,
  key,
  models,
  model,
  smallModel,
}: ValuesOptions): ConnectValues {
  return {
    root,
    v1: `${root}/v1`,
    key,
    model: describeModel(models, model),
    smallModel: describeModel(models, smallModel),
  };
}
