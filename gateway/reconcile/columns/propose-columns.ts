import type { RawRow } from '../read/raw-row.ts';
import { parseCost, parseCount, parseExportTime } from './parse-cells.ts';
import type { ExportRows, UsageColumns } from '../../../shared/reconcile/usage-columns.ts';

/** The parts that a column can have in an export. */
type Part = 'time' | 'model' | 'id' | 'requests' | 'input' | 'output' | 'cost';

/** A column with the shape of its values in the first rows. */
interface ColumnShape {
  readonly name: string;
  readonly values: readonly string[];
  readonly isTime: boolean;
  readonly isWhole: boolean;
  readonly isAmount: boolean;
  /** Whether no value occurs twice. */
  readonly isUnique: boolean;
}

/** The shape that the column of a part has, and words in its name that decide between several of that shape. */
const PARTS: Readonly<
  Record<Part, { readonly fits: (shape: ColumnShape) => boolean; readonly words: RegExp }>
> = {
  time: { fits: ({ isTime }) => isTime, words: /time|date|day|hour|created|start/iu },
  cost: {
    fits: ({ isAmount, isTime }) => isAmount && !isTime,
    words: /cost|amount|price|charge|spend|usd|eur/iu,
  },
  input: { fits: isCount, words: /input|prompt/iu },
  output: { fits: isCount, words: /output|completion|generated/iu },
  requests: { fits: isCount, words: /requests|calls|count|^n$/iu },
  id: {
    fits: ({ isUnique, isTime, isAmount }) => isUnique && !isTime && !isAmount,
    words: /request.?id|(?:^|_)id$|generation/iu,
  },
  model: {
    fits: ({ isTime, isAmount }) => !isTime && !isAmount,
    words: /model/iu,
  },
};

function isCount({ isWhole, isTime }: ColumnShape): boolean {
  return isWhole && !isTime;
}

/**
 * Proposes the columns of an export by the shape of its first rows; where several have the shape of a part, by their names. A person
 * confirms it. `null` when no column has times, or none has anything to compare.
 */
export function proposeColumns(sample: readonly RawRow[]): UsageColumns | null {
  const left = listShapes(sample);
  const take = (part: Part, needsName: boolean) => {
    const { fits, words } = PARTS[part];
    const fitting = left.filter(fits);
    const found =
      fitting.find(({ name }) => words.test(name)) ?? (needsName ? undefined : fitting[0]);
    if (found !== undefined) left.splice(left.indexOf(found), 1);
    return found ?? null;
  };
  const time = take('time', false);
  if (time === null) return null;
  const id = take('id', true);
  const model = take('model', true);
  const named = (['cost', 'input', 'output', 'requests'] as const).map((part) => take(part, true));
  const [cost, input, output, requests = null] = named;
  const wholeCost = cost ?? takeFraction(left);
  const parts = {
    time: time.name,
    model: (model ?? take('model', false))?.name ?? null,
    id: id?.name ?? null,
    requests: requests?.name ?? null,
    input: toList(input ?? take('input', false)),
    output: toList(output ?? take('output', false)),
    cost: wholeCost?.name ?? null,
  };
  const hasAny = parts.input.length + parts.output.length > 0 || parts.cost !== null;
  if (!hasAny && parts.requests === null) return null;
  return { ...parts, rows: proposeRows(time, parts.requests !== null), timeZone: 'utc' };
}

function toList(shape: ColumnShape | null): string[] {
  return shape === null ? [] : [shape.name];
}

/** Takes a column of amounts that are not all whole. */
function takeFraction(left: ColumnShape[]): ColumnShape | null {
  const at = left.findIndex(({ isAmount, isWhole, isTime }) => isAmount && !isWhole && !isTime);
  return at === -1 ? null : (left.splice(at, 1)[0] ?? null);
}

function listShapes(sample: readonly RawRow[]): ColumnShape[] {
  const usable = sample.filter(({ fault }) => fault === null);
  const names = new Set(usable.flatMap(({ cells }) => [...cells.keys()]));
  return [...names].flatMap((name) => {
    const values = usable
      .map(({ cells }) => cells.get(name)?.trim() ?? '')
      .filter((value) => value !== '');
    if (values.length === 0) return [];
    return {
      name,
      values,
      isTime: values.every((value) => parseExportTime(value, 'utc') !== null),
      isWhole: values.every((value) => parseCount(value) !== null),
      isAmount: values.every((value) => parseCost(value) !== null),
      isUnique: new Set(values).size === values.length,
    };
  });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function proposeRows({ values }: ColumnShape, hasRequests: boolean): ExportRows {
  const times = values.flatMap((value) => parseExportTime(value, 'utc') ?? []);
  const isEvery = (ms: number) => times.every(({ at }) => at % ms === 0);
  const isSeveral = hasRequests || times.length > 1;
  if (times.every(({ day }) => day) || (isSeveral && isEvery(DAY_MS))) return 'day';
  return isSeveral && isEvery(HOUR_MS) ? 'hour' : 'request';
}
