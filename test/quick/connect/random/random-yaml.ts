import type { PathStep } from '../../../../gateway/connect/edit/config-format.ts';
import { type Container, type Draw, type RandomFile, REMARKS, WORDS } from './random-file.ts';

type Path = readonly PathStep[];

const PLAIN = ['alpha', 'it works', '12', 'true', 'http://127.0.0.1:4000/v1', '~x', 'a#b'];

/** Writes YAML with block and flow collections, comments, all kinds of scalars, anchors and aliases. */
export function randomYaml(draw: Draw): RandomFile {
  return new YamlWriter(draw).write();
}

class YamlWriter {
  readonly #containers: Container[] = [{ path: [], kind: 'object' }];
  readonly #values: Path[] = [];
  readonly #lines: string[] = [];
  readonly #draw: Draw;
  readonly #eol: string;
  readonly #unit: string;
  readonly #listIndent: string;

  constructor(draw: Draw) {
    this.#draw = draw;
    this.#eol = draw.pick(['\n', '\r\n']);
    this.#unit = draw.pick(['  ', '    ', ' ']);
    this.#listIndent = draw.pick(['', this.#unit]);
  }

  write(): RandomFile {
    if (this.#draw.oneIn(6)) this.#lines.push('---');
    this.#between('');
    if (this.#draw.oneIn(5))
      this.#lines.push('anchored: &anchor', `${this.#unit}x: "1"`, 'alias: *anchor');
    this.#members([], 0, '', this.#draw.names(4));
    this.#between('');
    const end = this.#lines.length > 0 && this.#draw.oneIn(2) ? this.#eol : '';
    const text = this.#lines.join(this.#eol) + end;
    return { text, containers: this.#containers, values: this.#values };
  }

  #members(path: Path, depth: number, indent: string, names: readonly string[]): void {
    for (const name of names) {
      this.#between(indent);
      this.#value(`${indent}${this.#key(name)}:`, [...path, name], depth, indent);
    }
  }

  /** Writes a member's value after its key, in the same line and in lines below. */
  #value(head: string, path: Path, depth: number, indent: string): void {
    const kind = depth > 2 ? 5 : this.#draw.nat(9);
    const inner = indent + this.#unit;
    if (kind > 4) this.#lines.push(`${head} ${this.#flow(path, 0)}${this.#remark()}`);
    else this.#values.push(path);
    if (kind === 0) {
      this.#containers.push({ path, kind: this.#draw.oneIn(2) ? 'object' : 'list' });
      this.#lines.push(head + this.#remark());
    } else if (kind === 1) {
      const header = `${head} ${this.#draw.pick(['|', '>-', '|-'])}${this.#remark()}`;
      this.#lines.push(header, `${inner}some # text`, '', `${inner}- more`);
    } else if (kind === 2) this.#list(head, path, depth, indent + this.#listIndent);
    else if (kind < 5) {
      this.#lines.push(head + this.#remark());
      this.#containers.push({ path, kind: 'object' });
      const names = this.#draw.names(4);
      this.#members(path, depth + 1, inner, names.length === 0 ? ['k0'] : names);
    }
  }

  #list(head: string, path: Path, depth: number, indent: string): void {
    this.#lines.push(head + this.#remark());
    this.#containers.push({ path, kind: 'list' });
    for (const name of ['one', 'two', 'three'].slice(this.#draw.nat(2))) {
      this.#between(indent);
      const item = [...path, { where: 'name', is: name }];
      this.#containers.push({ path: item, kind: 'object' });
      this.#lines.push(`${indent}- name: ${name}${this.#remark()}`);
      this.#members(item, depth + 1, `${indent}  `, this.#draw.names(4));
    }
  }

  #flow(path: Path, depth: number): string {
    this.#values.push(path);
    const kind = depth > 1 ? 3 : this.#draw.nat(4);
    if (kind > 1)
      return this.#draw.oneIn(3) ? this.#draw.pick(PLAIN) : this.#quote(this.#draw.pick(WORDS));
    const space = this.#draw.pick(['', ' ']);
    this.#containers.push({ path, kind: kind === 0 ? 'list' : 'object' });
    const items = this.#draw
      .names(3)
      .map((name) =>
        kind === 0
          ? `{name: ${this.#quote(name)}, v: 1}`
          : `${this.#key(name)}: ${this.#flow([...path, name], depth + 1)}`,
      );
    const content = space + items.join(`,${space || ' '}`) + space;
    return kind === 0 ? `[${content}]` : `{${content}}`;
  }

  #quote(text: string): string {
    const isSingle = this.#draw.oneIn(2) && !/[\\\n]/u.test(text);
    return isSingle ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
  }

  #key(name: string): string {
    return /^[a-z]\d+$/u.test(name) && !this.#draw.oneIn(5) ? name : this.#quote(name);
  }

  /** Adds a comment or a blank line now and then. */
  #between(indent: string): void {
    if (!this.#draw.oneIn(4)) return;
    const comment = `# ${this.#draw.pick(REMARKS)}`;
    this.#lines.push(this.#draw.pick(['', indent + comment, comment]));
  }

  #remark(): string {
    return this.#draw.oneIn(4) ? ` # ${this.#draw.pick(REMARKS)}` : '';
  }
}
