import { body } from './targets/body.ts';
import { form } from './targets/form.ts';
import { headers } from './targets/headers.ts';
import { modelList } from './targets/model-list.ts';
import { path } from './targets/path.ts';
import { stream } from './targets/stream.ts';
import type { Target } from './target.ts';

/** All fuzz targets. */
export const TARGETS: readonly Target[] = [path, headers, body, form, stream, modelList];
