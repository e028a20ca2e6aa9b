import type { PathStep } from '../../../../gateway/connect/edit/config-format.ts';
import { type Container, type Draw, type RandomFile, REMARKS, WORDS } from './random-file.ts';

type Path = readonly PathStep[];

const DATES = ['1979-05-27', '1979-05-27 07:32:00', '07:32:00', '1979-05-27T07:32:00Z'];
const LONG_TEXTS = ["'lit\\eral'", "''''quoted'''''", '"""\nlong # no\n[no]\n"""'];
const NUMBERS = ['1', '-0.5', 'true', 'inf', '0x1F'];
const TEXTS = WORDS.map((word) => JSON.stringify(word));
const SCALARS = [TEXTS, NUMBERS, LONG_TEXTS, DATES].flat();

/** Writes TOML with tables, lists of tables, dotted keys, and values in brackets. */
export function randomToml(draw: Draw): RandomFile {
  return new TomlWriter(draw).write();
}

class TomlWriter {
  readonly #containers: Container[] = [{ path: [], kind: 'object' }];
  readonly #values: Path[] = [];
  readonly #lines: string[] = [];
  readonly #draw: Draw;
  readonly #eol: string;

  constructor(draw: Draw) {
    this.#draw = draw;
    this.#eol = draw.pick(['\n', '\r\n']);
  }

  write(): RandomFile {
    this.#between();
    this.#members([], '');
    for (let at = this.#draw.nat(3); at > 0; at -= 1) this.#table([`t${at}`], 0);
    if (this.#draw.oneIn(3)) this.#tableList();
    if (this.#draw.oneIn(4)) this.#table(['last', 'table'], 1);
    this.#between();
    const end = this.#lines.length > 0 && this.#draw.oneIn(2) ? this.#eol : '';
    const text = this.#lines.join(this.#eol) + end;
    return { text, containers: this.#containers, values: this.#values };
  }

  #tableList(): void {
    this.#containers.push({ path: ['list'], kind: 'list' });
    for (const name of ['one', 'two'].slice(this.#draw.nat(1))) {
      this.#lines.push('[[list]]', `name = "${name}"`);
      if (this.#draw.oneIn(2)) this.#lines.push('[list.sub]', 'x = 1');
      this.#containers.push({ path: ['list', { where: 'name', is: name }], kind: 'object' });
    }
  }

  #table(path: readonly string[], depth: number): void {
    this.#between();
    const indent = this.#draw.oneIn(4) ? '  ' : '';
    this.#containers.push({ path, kind: 'object' });
    const names = path.map((name) => this.#key(name)).join(this.#draw.pick(['.', ' . ']));
    this.#lines.push(`${indent}[${names}]${this.#remark(4)}`);
    this.#members(path, indent);
    for (let at = this.#draw.nat(depth > 1 ? 0 : 2); at > 0; at -= 1)
      this.#table([...path, `t${depth}${at}`], depth + 1);
  }

  #members(path: Path, indent: string): void {
    for (const name of this.#draw.names(3)) {
      this.#between();
      this.#lines.push(indent + this.#member(path, name, 0) + this.#remark(4));
    }
  }

  #member(path: Path, name: string, depth: number): string {
    const sign = this.#draw.pick([' = ', '=', '  =  ']);
    const inner = [...path, name];
    if (!this.#draw.oneIn(6)) return this.#key(name) + sign + this.#value(inner, depth);
    // To a table of dotted keys within brackets, nothing can be added.
    if (depth === 0) this.#containers.push({ path: inner, kind: 'object' });
    return `${this.#key(name)}.sub${sign}${this.#value([...inner, 'sub'], depth)}`;
  }

  #value(path: Path, depth: number): string {
    this.#values.push(path);
    const kind = depth > 2 ? 9 : this.#draw.nat(9);
    if (kind > 2) return this.#draw.pick(SCALARS).replaceAll('\n', this.#eol);
    this.#containers.push({ path, kind: kind === 0 ? 'object' : 'list' });
    return kind === 0 ? this.#inlineTable(path, depth) : this.#list();
  }

  #inlineTable(path: Path, depth: number): string {
    const members = this.#draw.names(3).map((name) => this.#member(path, name, depth + 1));
    return members.length === 0 ? this.#draw.pick(['{}', '{ }']) : `{ ${members.join(', ')} }`;
  }

  #list(): string {
    const names = this.#draw.names(3);
    const items = names.map((name) => `{ name = ${JSON.stringify(name)}, v = 1 }`);
    const line = this.#draw.oneIn(2) ? `${this.#remark(2)}${this.#eol}  ` : '';
    const comma = items.length > 0 && this.#draw.oneIn(2) ? ',' : '';
    return `[${line}${items.join(`,${line || ' '}`)}${comma}${line}]`;
  }

  #key(name: string): string {
    return /^[\w-]+$/u.test(name) && !this.#draw.oneIn(5) ? name : JSON.stringify(name);
  }

  /** Adds a comment or a blank line now and then. */
  #between(): void {
    if (!this.#draw.oneIn(3)) return;
    this.#lines.push(this.#draw.pick([`# ${this.#draw.pick(REMARKS)}`, '', '', '  ']));
  }

  #remark(times: number): string {
    return this.#draw.oneIn(times) ? ` # ${this.#draw.pick(REMARKS)}` : '';
  }
}
