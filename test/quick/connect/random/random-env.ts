import { type Draw, type RandomFile, REMARKS } from './random-file.ts';

const LINES = [
  'A=1',
  'export B=two',
  "C='single # quoted' # remark",
  'D="double \\n line"',
  'E = spaced  ',
  'F=',
  'G=value#no space',
  "H='two\nlines'",
  'I=`back tick`',
  'A=again',
  '',
  '   ',
  'no assignment',
  'K: colon',
  '  L=indented',
  'export M',
  'N=""',
  'O="it\'s"',
];

/** Writes a file of environment variables. */
export function randomEnv(draw: Draw): RandomFile {
  const eol = draw.pick(['\n', '\r\n']);
  const lines = Array.from({ length: draw.nat(8) }, () =>
    draw.oneIn(4) ? `# ${draw.pick(REMARKS)}` : draw.pick(LINES),
  );
  const end = lines.length > 0 && draw.oneIn(2) ? eol : '';
  const text = lines.map((line) => line.replace('\n', eol)).join(eol) + end;
  return { text, containers: [{ path: [], kind: 'object' }], values: [['A'], ['B'], ['C']] };
}
