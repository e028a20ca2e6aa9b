import type { PathStep } from '../../../../gateway/connect/edit/config-format.ts';
import { type Container, type Draw, type RandomFile, REMARKS, WORDS } from './random-file.ts';

type Path = readonly PathStep[];

/** Writes JSON in one of many styles: with or without comments, lines, spaces and commas at the end. */
export function randomJson(draw: Draw): RandomFile {
  const eol = draw.pick(['\n', '\r\n']);
  const unit = draw.pick(['  ', '    ', '\t', '']);
  const colon = draw.pick([': ', ':', ' : ']);
  const hasComments = draw.oneIn(2);
  const containers: Container[] = [];
  const values: Path[] = [];

  function gap(indent: string | null): string {
    if (!hasComments || !draw.oneIn(4)) return draw.oneIn(6) ? ' ' : '';
    const remark = draw.pick(REMARKS);
    return indent === null || draw.oneIn(2) ? ` /*${remark}*/` : ` // ${remark}${eol}${indent}`;
  }

  function brackets(open: string, close: string, items: readonly string[], indent: string | null) {
    const inner = indent === null || draw.oneIn(3) ? null : indent + unit;
    const space = inner === null ? draw.pick(['', ' ']) : eol + inner;
    const parts = items.map((item, index) => {
      const isLast = index === items.length - 1;
      const comma = !isLast || (hasComments && draw.oneIn(3)) ? ',' : '';
      return space + gap(inner) + item + gap(inner) + comma + (inner === null ? '' : gap(inner));
    });
    const empty = inner === null ? gap(null) : draw.pick([eol, ' ', eol + eol]) + gap(indent);
    const end = items.length === 0 ? empty : inner === null ? space : eol + indent;
    return open + parts.join('') + end + close;
  }

  function write(path: Path, depth: number, indent: string | null): string {
    values.push(path);
    const inner = indent === null ? null : indent + unit;
    const kind = depth > 3 ? 4 : draw.nat(6);
    if (path.length > 0 && kind > 2)
      return JSON.stringify(draw.pick([...WORDS, 1, -2.5, true, null]));
    if (path.length > 0 && kind === 2) {
      containers.push({ path, kind: 'list' });
      const items = draw
        .names(3)
        .map((name) => object([...path, { where: 'name', is: name }], depth, inner, name));
      return brackets('[', ']', items, indent);
    }
    return object(path, depth, indent, null);
  }

  function object(path: Path, depth: number, indent: string | null, name: string | null): string {
    containers.push({ path, kind: 'object' });
    const inner = indent === null ? null : indent + unit;
    const members = draw.names(4).map((member) => {
      const value = write([...path, member], depth + 1, inner);
      return JSON.stringify(member) + colon + gap(inner) + value;
    });
    const own = name === null ? [] : [`"name"${colon}${JSON.stringify(name)}`];
    return brackets('{', '}', [...own, ...members], indent);
  }

  const start = draw.pick(['', '', ' ', eol]) + gap('');
  const end = gap(draw.oneIn(2) ? '' : null) + draw.pick(['', eol]);
  if (!draw.oneIn(8))
    return { text: start + write([], 0, draw.oneIn(4) ? null : '') + end, containers, values };
  return { text: start + end, containers: [{ path: [], kind: 'object' }], values: [] };
}
